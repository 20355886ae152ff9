// The records of workspaces and their snapshots: stored, found, moved from state to state.
import { randomUUID } from 'node:crypto';
import type { WorkspaceKind, WorkspaceState } from '../../contract/enums.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { type Db, defineCollection, type Filter } from '../../ports/db.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import type { Ids } from '../../ports/ids.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { type Move, moves } from './states.ts';

export interface WorkspaceDoc {
  _id: number;
  guid: string;
  tenantId: number;
  name: string;
  /** Lower-case name, unique within the tenant. */
  nameKey: string;
  description: string | null;
  kind: WorkspaceKind;
  state: WorkspaceState;
  projectId: number | null;
  orgUnitId: number | null;
  ownerIdentityId: number | null;
  rootPath: string;
  gitUrl: string | null;
  branch: string | null;
  headSha: string | null;
  sizeBytes: number;
  quotaBytes: number | null;
  fileCount: number;
  isReadOnly: boolean;
  lastError: string | null;
  expiresAt: Date | null;
  /** When its removal began; from then on nobody finds it, and a sweep completes what a dead server left. */
  removingAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

export interface SnapshotDoc {
  _id: number;
  tenantId: number;
  workspaceId: number;
  label: string;
  sha: string;
  fileCount: number;
  sizeBytes: number;
  runId: number | null;
  createdByName: string | null;
  createdAt: Date;
}

export const workspaceSpec = defineCollection<WorkspaceDoc>({
  name: 'workspaces',
  indexes: [
    { keys: { tenantId: 1, nameKey: 1 }, unique: true },
    { keys: { tenantId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, projectId: 1 } },
    { keys: { state: 1, expiresAt: 1 } },
    { keys: { removingAt: 1 } },
  ],
});
export const snapshotSpec = defineCollection<SnapshotDoc>({
  name: 'workspace_snapshots',
  indexes: [{ keys: { tenantId: 1, workspaceId: 1, _id: -1 } }],
});

/** What the records themselves write. */
type Kept = '_id' | 'guid' | 'tenantId' | 'nameKey' | 'removingAt' | 'createdAt' | 'updatedAt';
/** What a workspace is made with. */
export type WorkspaceFields = Omit<WorkspaceDoc, Kept>;

export function createWorkspaceRecords({ db, ids, clock }: { db: Db; ids: Ids; clock: Clock }) {
  const all = db.collection(workspaceSpec);
  const of = perTenant(all);
  const present = { removingAt: null };
  const snapshotsOf = perTenant(db.collection(snapshotSpec));
  const now = () => new Date(clock.now());

  /** @throws Fault NOT_FOUND */
  const get = async (tenantId: number, id: number): Promise<WorkspaceDoc> => {
    const found = await of(tenantId).findOne({ _id: id, ...present });
    if (found) return found;
    throw new Fault('NOT_FOUND', `There is no workspace ${id}.`, { hint: 'List them with GET /api/workspaces.' });
  };

  return {
    all,
    of,
    snapshotsOf,
    /** Filter for those that are not being removed. */
    present,
    get,
    /** @throws Fault DUPLICATE when the name is taken */
    async insert(tenantId: number, fields: WorkspaceFields): Promise<WorkspaceDoc> {
      const doc: WorkspaceDoc = {
        ...fields,
        _id: await ids.next('workspaces'),
        guid: randomUUID(),
        tenantId,
        nameKey: fields.name.toLowerCase(),
        removingAt: null,
        createdAt: now(),
        updatedAt: now(),
      };
      await of(tenantId).insertOne(doc).catch(nameTaken);
      return doc;
    },
    /** @throws Fault NOT_FOUND, DUPLICATE */
    async change(tenantId: number, id: number, fields: Partial<WorkspaceFields>): Promise<WorkspaceDoc> {
      const renamed = fields.name === undefined ? {} : { nameKey: fields.name.toLowerCase() };
      const $set = { ...fields, ...renamed, updatedAt: now() };
      const changed = await of(tenantId)
        .findOneAndUpdate({ _id: id, ...present }, { $set }, { returnDocument: 'after' })
        .catch(nameTaken);
      return changed ?? get(tenantId, id);
    },
    /** Moves a workspace on; null when it was not in a state to move from. */
    move: (doc: WorkspaceDoc, move: Move, fields: Partial<Omit<WorkspaceFields, 'state'>> = {}) =>
      all.findOneAndUpdate(
        { _id: doc._id, state: { $in: [...moves[move].from] } },
        { $set: { lastError: null, ...fields, state: moves[move].to, updatedAt: now() } },
        { returnDocument: 'after' },
      ),
    async addSnapshot(tenantId: number, fields: Omit<SnapshotDoc, '_id' | 'tenantId' | 'createdAt'>) {
      const snapshot: SnapshotDoc = {
        ...fields,
        _id: await ids.next('workspace_snapshots'),
        tenantId,
        createdAt: now(),
      };
      await snapshotsOf(tenantId).insertOne(snapshot);
      return snapshot;
    },
    /** Claims a workspace for removal, if it still matches `asRead`; null when it does not, or is claimed already. */
    beginRemoval: (doc: WorkspaceDoc, asRead: Filter<WorkspaceDoc> = {}) =>
      all.findOneAndUpdate(
        { ...asRead, ...present, _id: doc._id },
        { $set: { removingAt: now() } },
        { returnDocument: 'after' },
      ),
    /** The last step of a removal, or of a creation that failed. */
    async remove(tenantId: number, id: number): Promise<void> {
      await snapshotsOf(tenantId).deleteMany({ workspaceId: id });
      await of(tenantId).deleteOne({ _id: id });
    },
  };
}
export type WorkspaceRecords = ReturnType<typeof createWorkspaceRecords>;

function nameTaken(error: unknown): never {
  if (!isDuplicate(error)) throw error;
  throw new Fault('DUPLICATE', 'There is a workspace of this name already.', { hint: 'Choose another name.' });
}

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
