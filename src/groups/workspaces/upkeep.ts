// What happens to workspaces by themselves: clones are made, those whose time is over expire, and at last they go.
import type { Clock } from '../../kernel/clock.ts';
import { toFault } from '../../kernel/fault.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { WorkspaceFiles } from '../../ports/workspaces.ts';
import { present, type WorkspaceDoc, type WorkspaceRecords } from './records.ts';

interface Deps {
  records: WorkspaceRecords;
  files: WorkspaceFiles;
  clock: Clock;
  log: Logger;
  /** How many runs that have not ended use a workspace. */
  runsIn: (tenantId: number, workspaceId: number) => Promise<number>;
}

/** A clone takes ten minutes at most, a removal far less; who has not finished by then is dead. */
const abandonedAfterMs = 15 * 60_000;
const dayMs = 24 * 60 * 60_000;
/** Expired workspaces can be renewed for so long; then their files go. */
export const keptExpiredMs = 30 * dayMs;
/** How long a Scratch workspace lasts unless its creator says otherwise. */
export const scratchMs = 7 * dayMs;

export function createWorkspaceUpkeep({ records, files, clock, log, runsIn }: Deps) {
  const cloning = new Set<number>();

  const clone = async (doc: WorkspaceDoc): Promise<void> => {
    if (cloning.has(doc._id) || doc.gitUrl === null) return;
    cloning.add(doc._id);
    try {
      await files.clone(doc._id, { url: doc.gitUrl, branch: doc.branch }, doc.quotaBytes);
      const opened = await files.open(doc._id, doc.quotaBytes);
      await records.move(doc, 'cloned', { ...(await opened.measure()), rootPath: opened.rootPath });
    } catch (error) {
      const { message, hint } = toFault(error);
      log.warn({ err: error, workspaceId: doc._id }, 'a workspace could not be cloned');
      // The workspace may have been deleted meanwhile; a failed write is repeated by the next round.
      await records
        .move(doc, 'cloneFailed', { lastError: hint ? `${message} ${hint}` : message })
        .catch((second: unknown) => log.warn({ err: second, workspaceId: doc._id }, 'a failed clone is not on record'));
    } finally {
      cloning.delete(doc._id);
    }
  };

  /** One failure is logged, and stops nobody else's turn. */
  const attempt = (doc: WorkspaceDoc, work: Promise<unknown>) =>
    work.catch((error: unknown) =>
      log.warn({ err: error, workspaceId: doc._id }, 'a workspace could not be kept tidy'),
    );

  const takeUpAbandoned = async (before: Date): Promise<void> => {
    for (const doc of await records.all.find({ removingAt: { $lt: before } }).toArray())
      await attempt(doc, completeRemoval(doc));
    const idle = { updatedAt: { $lt: before }, ...present };
    for (const doc of await records.all.find({ state: 'Preparing', ...idle }).toArray()) await clone(doc);
    for (const doc of await records.all.find({ state: 'Restoring', ...idle }).toArray())
      await attempt(
        doc,
        records.move(doc, 'restoreFailed', { lastError: 'The server stopped in the middle of a restore.' }),
      );
  };

  const completeRemoval = async ({ tenantId, _id }: WorkspaceDoc): Promise<void> => {
    await files.remove(_id);
    await records.remove(tenantId, _id);
  };

  const removeExpired = async (doc: WorkspaceDoc, old: Parameters<WorkspaceRecords['beginRemoval']>[1]) => {
    if ((await runsIn(doc.tenantId, doc._id)) > 0) return;
    // A workspace that was renewed meanwhile stays.
    if (!(await records.beginRemoval(doc, old))) return;
    await completeRemoval(doc);
    log.info({ workspaceId: doc._id }, 'an expired workspace was removed');
  };

  return {
    clone,
    /** Removes a workspace for everybody at once; its files follow. */
    async remove(doc: WorkspaceDoc): Promise<void> {
      if (await records.beginRemoval(doc)) await completeRemoval(doc);
    },
    /** One round: takes up what dead servers left, expires, and removes what expired long ago and nobody uses. */
    async sweep(): Promise<void> {
      const now = clock.now();
      await takeUpAbandoned(new Date(now - abandonedAfterMs));
      const over = await records.all.find({ state: 'Ready', expiresAt: { $lte: new Date(now) } }).toArray();
      for (const doc of over)
        if ((await runsIn(doc.tenantId, doc._id)) === 0) await attempt(doc, records.move(doc, 'expire'));
      const old = { state: 'Expired' as const, expiresAt: { $lte: new Date(now - keptExpiredMs) } };
      for (const doc of await records.all.find(old).toArray()) await attempt(doc, removeExpired(doc, old));
    },
  };
}
export type WorkspaceUpkeep = ReturnType<typeof createWorkspaceUpkeep>;
