// What those who restore share: where things go, what others of the document became, and that each is written once.
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Collection, Db } from '../../../ports/db.ts';
import { isDuplicate } from '../../../ports/duplicate.ts';
import type { Ids } from '../../../ports/ids.ts';
import type { Held } from '../jobs.ts';
import type { CommitChoice, ItemDoc, RestoreChoice } from '../record.ts';
import type { StagedSets } from '../staging.ts';
import type { WholeKind } from './wholes.ts';

export interface RestoringDeps {
  db: Db;
  ids: Ids;
  clock: Clock;
  sets: StagedSets;
}

/** One import that is being restored. */
export interface Restoring {
  held: Held;
  by: { tenantId: number };
  identityId: number;
  commit: CommitChoice;
  restore: RestoreChoice;
  /** The project of a key; null for none. @throws Fault VALIDATION_FAILED where it is not included */
  projectOf(key: string | null): number | null;
  /** Included items of a kind, in the order of the document. */
  itemsOf(kind: WholeKind): AsyncIterable<ItemDoc>;
  /** What an entry of the document became, by its id there; null where it is not included. */
  madeOf(ref: string | null): Promise<number | null>;
  memoryOf(ref: string | null): Promise<number | null>;
  /** The id that an item becomes, noted before anything is written: whoever goes on finds it. */
  idFor(item: ItemDoc, series: string): Promise<number>;
  /** A time of the document; never one that has yet to come. */
  past(at: string): Date;
}

export function createRestoring({ ids, clock, sets }: RestoringDeps, held: Held, commit: CommitChoice): Restoring {
  const { tenantId, _id: importId } = held.doc;
  const { identityId, projectId } = commit;
  const restore = commit.restore as RestoreChoice;
  const keys = new Map(restore.projects.map((one) => [one.key, one.projectId]));
  const items = sets.items(tenantId);
  const byRef = async (ref: string | null) =>
    ref === null ? null : items.findOne({ importId, ref, approved: true }, { projection: { madeId: 1, memoryId: 1 } });
  return {
    held,
    by: { tenantId },
    identityId,
    commit,
    restore,
    projectOf(key) {
      if (key === null) return null;
      const id = keys.get(key) ?? projectId;
      if (id !== null) return id;
      throw new Fault('VALIDATION_FAILED', `The project ${key} is not included, and something in it is.`, {
        hint: 'Include the project, leave what is in it out, or send the projectId of another one.',
      });
    },
    itemsOf: (wholeKind) => items.find({ importId, wholeKind, approved: true }, { sort: { _id: 1 } }),
    madeOf: async (ref) => (await byRef(ref))?.madeId ?? null,
    memoryOf: async (ref) => (await byRef(ref))?.memoryId ?? null,
    async idFor(item, series) {
      if (item.madeId != null) return item.madeId;
      const madeId = await ids.next(series);
      await items.updateOne({ _id: item._id }, { $set: { madeId } });
      return madeId;
    },
    past: (at) => new Date(Math.min(Date.parse(at), clock.now())),
  };
}

/** Id of authors that are unknown on this server: their name is kept, without an account. */
export const nobody = 0;

/** Inserts a document unless it is there already, from a process that died. */
export async function insertOnce<Doc extends { _id: number }>(of: Collection<Doc>, doc: Doc): Promise<void> {
  try {
    await of.insertOne(doc);
  } catch (error) {
    if (!isDuplicate(error) || !(await of.findOne({ _id: doc._id } as never))) throw error;
  }
}
