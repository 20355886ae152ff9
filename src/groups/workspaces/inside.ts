// Opens a workspace for a caller: finds it, says whether it can be used, commits what was changed.
import type { RunRecord } from '../../../runtime/records.ts';
import type { Caller } from '../../contract/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { isOpenTo } from '../../ports/in-project.ts';
import { notThere } from '../../ports/keeper.ts';
import { mayReadInUnit } from '../../ports/org-units.ts';
import type { SharedWorkspace, WorkspaceAuthor, WorkspaceFiles } from '../../ports/workspaces.ts';
import type { AgentRunDto } from '../agent/dto.ts';
import type { FindRun } from '../agent/runs/find-run.ts';
import { requireUsable, type WorkspaceDoc, type WorkspaceRecords } from './records.ts';
import { toSnapshotDto, toWorkspaceDto } from './to-dto.ts';

export interface InsideDeps {
  records: WorkspaceRecords;
  files: WorkspaceFiles;
  clock: Clock;
  findRun: FindRun;
  /** Runs of these workspaces that have not ended. */
  activeRuns: (tenantId: number, workspaceIds: readonly number[]) => Promise<RunRecord[]>;
  viewRun: (run: RunRecord) => Promise<AgentRunDto>;
}

type Measure = Awaited<ReturnType<SharedWorkspace['measure']>>;

/** Snapshots that a workspace is shown with. */
const mostSnapshots = 500;

export const authorOf = (caller: Caller): WorkspaceAuthor => ({
  name: caller.name,
  email: `identity-${caller.identityId ?? 0}@rivulet.invalid`,
});

export function createInside(deps: InsideDeps) {
  const { records, files, clock } = deps;

  const find = async (caller: Caller, id: number): Promise<WorkspaceDoc> => {
    const doc = await records.get(caller, id);
    isOpenTo(caller, doc.projectId);
    if (!mayReadInUnit(caller, doc.orgUnitId)) throw notThere(records.keeper.record, id);
    return doc;
  };

  /** Notes what a workspace holds now, whoever brought it in; a write of the server's own. */
  const measured = ({ tenantId, _id }: WorkspaceDoc, holds: Measure & { rootPath?: string }) =>
    records.change({ tenantId }, _id, holds);

  /** Commits what was changed and notes what the workspace holds now. */
  const settle = async (caller: Caller, doc: WorkspaceDoc, workspace: SharedWorkspace, message: string) => {
    await workspace.commit(message, authorOf(caller));
    return records.change(caller, doc._id, await workspace.measure());
  };

  return {
    ...deps,
    find,
    measured,
    settle,
    detail: async (caller: Caller, doc: WorkspaceDoc) => {
      const [snapshots, runs] = await Promise.all([
        records.snapshots
          .of(caller.tenantId)
          .find({ workspaceId: doc._id }, { sort: { _id: -1 }, limit: mostSnapshots })
          .toArray(),
        deps.activeRuns(caller.tenantId, [doc._id]),
      ]);
      const activeRuns = await Promise.all(runs.map(deps.viewRun));
      return { ...toWorkspaceDto(doc, runs.length), snapshots: snapshots.map(toSnapshotDto), activeRuns };
    },
    /** @throws Fault NOT_FOUND; what `requireUsable` says */
    open: async (caller: Caller, id: number, changes = false) => {
      const doc = await find(caller, id);
      requireUsable(doc, clock.now(), changes);
      return { doc, workspace: await files.open(id, doc.quotaBytes) };
    },
    takeSnapshot: async (
      caller: Caller,
      doc: WorkspaceDoc,
      workspace: SharedWorkspace,
      { label, runId }: { label: string; runId: number | null },
    ) => {
      await workspace.commit(label, authorOf(caller));
      const { headSha, sizeBytes, fileCount } = await measured(doc, await workspace.measure());
      const sha = headSha as string;
      const made = { workspaceId: doc._id, label, sha, fileCount, sizeBytes, runId, createdByName: caller.name };
      const snapshot = await records.snapshots.insert(caller, made);
      await workspace.mark(`snapshot-${snapshot._id}`, sha);
      return snapshot;
    },
    findSnapshot: async (caller: Caller, workspaceId: number, id: number) => {
      const snapshot = await records.snapshots.find(caller, id, { workspaceId });
      if (snapshot) return snapshot;
      throw new Fault('NOT_FOUND', `Workspace ${workspaceId} has no snapshot ${id}.`, {
        hint: `They are listed by GET /api/workspaces/${workspaceId}.`,
      });
    },
  };
}
export type Inside = ReturnType<typeof createInside>;
