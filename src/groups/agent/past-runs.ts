// Runs that ended on another server, as those who bring them over keep them.
import type { AgentEvent, RunRecord } from '../../../runtime/records.ts';
import type { TreeMember } from '../../../runtime/state/members.ts';
import type { TreeRecord } from '../../../runtime/state/tree.ts';

export interface PastRuns {
  /** The series that numbers of runs are taken from. */
  readonly series: string;
  /** A run that was brought over; null for this server's own. */
  find(id: number): Promise<RunRecord | null>;
  /** With the tree of a root, or the place in one; what is there already stays as it is. */
  keep(run: RunRecord, place: { tree: TreeRecord } | { rootRunId: number; member: TreeMember }): Promise<void>;
  /** Events of a run, in place of those with the same numbers. */
  tell(runId: number, events: readonly AgentEvent[]): Promise<void>;
  /** Removes the trees of roots with all that hangs on their runs. */
  remove(tenantId: number, roots: readonly number[]): Promise<void>;
}
