// What a maintenance task is: what it works on, what it can be told, and how it tells how far it is.
import type { MaintenanceTask } from '../../contract/enums.ts';

export interface TaskContext {
  /** Tenants whose data it is about: that of its caller, or all where a schedule asked for it. */
  tenants: readonly number[];
  /** Say what would be done, and do nothing. */
  dryRun: boolean;
  olderThanDays: number | null;
  identityId: number | null;
  message: string | null;
  /** Called after each small step, between which others have the store to themselves. Rejects when the work is to stop. */
  step(processed: number, total?: number | null): Promise<void>;
  signal: AbortSignal;
}

export interface Outcome {
  processed: number;
  /** Becomes JSON. */
  result: unknown;
  /** Why it did not succeed. */
  error?: string | null;
}

type Option = 'dryRun' | 'olderThanDays' | 'identityId' | 'message';

export interface Task {
  /** The tenant's own data, or the server as a whole, which is the operator's. */
  scope: 'tenant' | 'server';
  takes: readonly Option[];
  /** May be done from its beginning again after a crash. */
  work(context: TaskContext): Promise<Outcome>;
}

export type Tasks = Record<MaintenanceTask, Task>;
