// The records of workspaces and their snapshots, and how a workspace moves from state to state.
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Db, Filter } from '../../ports/db.ts';
import type { Ids } from '../../ports/ids.ts';
import { type By, createKeeper } from '../../ports/keeper.ts';
import { type Draft, record, type Stored } from '../../ports/record.ts';
import type { WorkspaceDto, WorkspaceSnapshotDto } from './dto.ts';
import { type Move, moves } from './states.ts';

export interface WorkspaceDoc extends Stored<Omit<WorkspaceDto, 'activeRunCount'>> {
  /** Lower-case name, unique within the tenant. */
  nameKey: string;
  expiresAt: Date | null;
  /** When its removal began; from then on nobody finds it, and a sweep completes what a dead server left. */
  removingAt: Date | null;
}

export type SnapshotDoc = Stored<WorkspaceSnapshotDto>;

export const workspaceRecord = record<WorkspaceDoc>('workspaces', {
  noun: 'workspace',
  list: 'GET /api/workspaces',
  order: '-createdAtUtc',
  search: ['name', 'description'],
  uniqueName: true,
  inProject: true,
  indexes: [
    { keys: { tenantId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, projectId: 1 } },
    { keys: { tenantId: 1, orgUnitId: 1 } },
    { keys: { state: 1, expiresAt: 1 } },
    { keys: { removingAt: 1 } },
  ],
});
export const snapshotRecord = record<SnapshotDoc>('workspace_snapshots', {
  noun: 'snapshot',
  list: 'GET /api/workspaces/{id}',
  order: '-id',
  lacks: ['guid', 'updatedAt'],
  indexes: [{ keys: { tenantId: 1, workspaceId: 1, _id: -1 } }],
});

/** Filter of workspaces that are not being removed. */
export const present = { removingAt: null };

export function createWorkspaceRecords(deps: { db: Db; ids: Ids; clock: Clock }) {
  const keeper = createKeeper(workspaceRecord, deps);
  const snapshots = createKeeper(snapshotRecord, deps);
  const all = deps.db.collection(workspaceRecord.spec);
  const now = () => new Date(deps.clock.now());

  return {
    keeper,
    snapshots,
    /** Workspaces of every tenant, for the upkeep. */
    all,
    /** @throws Fault NOT_FOUND, also for one that is being removed */
    get: (by: By, id: number) => keeper.get(by, id, present),
    change: (by: By, id: number, fields: Partial<Draft<WorkspaceDoc>>) =>
      keeper.change(by, id, fields, { within: present }),
    /** Moves a workspace on; null when it was not in a state to move from. */
    move: (doc: WorkspaceDoc, move: Move, fields: Partial<Omit<Draft<WorkspaceDoc>, 'state'>> = {}) =>
      all.findOneAndUpdate(
        { _id: doc._id, state: { $in: [...moves[move].from] } },
        { $set: { lastError: null, ...fields, state: moves[move].to, updatedAt: now() } },
        { returnDocument: 'after' },
      ),
    /** Claims a workspace for removal, if it still matches `asRead`; null when it does not, or is claimed already. */
    beginRemoval: (doc: WorkspaceDoc, asRead: Filter<WorkspaceDoc> = {}) =>
      all.findOneAndUpdate(
        { ...asRead, ...present, _id: doc._id },
        { $set: { removingAt: now() } },
        { returnDocument: 'after' },
      ),
    /** The last step of a removal, or of a creation that failed. */
    async remove(tenantId: number, id: number): Promise<void> {
      await snapshots.of(tenantId).deleteMany({ workspaceId: id });
      await keeper.of(tenantId).deleteOne({ _id: id });
    },
  };
}
export type WorkspaceRecords = ReturnType<typeof createWorkspaceRecords>;

/**
 * Says whether a workspace can be used now. Throws Fault NOT_READY, GONE or CONFLICT with what to do; FORBIDDEN for
 * changes to one that is read-only.
 */
export function requireUsable(doc: WorkspaceDoc, now: number, changes = false): void {
  const { _id: id, state } = doc;
  if (state === 'Expired' || (doc.expiresAt !== null && doc.expiresAt.getTime() <= now))
    throw new Fault('GONE', `Workspace ${id} has expired.`, {
      hint: `Give it a later expiresAtUtc with PATCH /api/workspaces/${id}.`,
    });
  if (state === 'Preparing' || state === 'Restoring')
    throw new Fault('NOT_READY', `Workspace ${id} is ${state.toLowerCase()}.`, {
      hint: 'Try again in a moment.',
      retryAfterSeconds: 2,
    });
  if (state === 'Failed')
    throw new Fault('CONFLICT', `Workspace ${id} failed: ${doc.lastError ?? 'the cause is not known'}`, {
      hint: 'Restore one of its snapshots, or delete it and make another.',
    });
  if (changes && doc.isReadOnly)
    throw new Fault('FORBIDDEN', `Workspace ${id} is read-only.`, {
      hint: `Unlock it with PATCH /api/workspaces/${id} and isReadOnly false.`,
    });
}
