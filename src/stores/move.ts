// Takes the documents of a data folder's own store along into another one, at once and only once.
import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../kernel/fault.ts';
import type { Db, Entity } from '../ports/db.ts';
import { databaseFile } from './backup/manifest.ts';
import { movedEnding } from './embedded/identity.ts';
import { countersCollection } from './ids.ts';
import { appliedCollection, lockCollection } from './migrations.ts';

/** Documents that are read and written at once. */
const chunk = 200;

/** Says in the new store where its documents come from, so that a move that was cut short goes on. */
interface Mark extends Entity {
  _id: string;
  isDone: boolean;
}
export const marksName = 'moves';

/** Without counters a store counts as new (wiring/storage.ts): they come last, when all else is there. */
const lastOnes = [appliedCollection.name, countersCollection.name];
const stays = new Set([lockCollection.name, marksName, ...lastOnes]);

export interface Moved {
  collections: number;
  documents: number;
}

interface Moving {
  from: Db;
  to: Db;
  /** Names the store that the documents are of. */
  storeId: string;
}

/**
 * Copies every document. One that words and vectors are made of waits for its indexes again, which the new store has
 * yet to make.
 *
 * @throws Fault CONFLICT when the new store holds anything else, or has been given them already
 */
export async function moveDocuments({ from, to, storeId }: Moving): Promise<Moved> {
  const marks = to.collection<Mark>(marksName);
  const mark = await marks.findOne({ _id: storeId });
  if (mark?.isDone)
    throw new Fault('CONFLICT', 'The documents of this folder were moved into the database of MONGODB_URI already.', {
      hint: 'Start the server with it, and move rivulet.db out of the folder. For what was written here since, name another empty database.',
    });
  if (!mark) {
    await requireEmpty(to);
    await marks.insertOne({ _id: storeId, isDone: false });
  }
  const names = (await from.figures()).collections.map(({ name }) => name).filter((name) => !stays.has(name));
  let documents = 0;
  for (const name of [...names, ...lastOnes]) documents += await copied(from, to, name);
  await marks.updateOne({ _id: storeId }, { $set: { isDone: true } });
  return { collections: names.length + lastOnes.length, documents };
}

async function requireEmpty(to: Db): Promise<void> {
  for (const { name } of (await to.figures()).collections) {
    if ((await to.collection(name).findOne({})) === null) continue;
    throw new Fault('CONFLICT', `The database of MONGODB_URI holds documents already (${name}).`, {
      hint: 'Name an empty one at the end of MONGODB_URI: mongodb://host:27017/rivulet.',
    });
  }
}

/** The number of documents of a collection, which the other store has afterwards: again where a move was cut short. */
async function copied(from: Db, to: Db, name: string): Promise<number> {
  const [source, target] = [from.collection<Entity>(name), to.collection<Entity>(name)];
  const count = await source.countDocuments({});
  await target.deleteMany({});
  for (let after: Entity['_id'] | null = null; ; ) {
    const rest = after === null ? {} : { _id: { $gt: after } };
    const some: Entity[] = await source.find(rest, { sort: { _id: 1 }, limit: chunk }).toArray();
    if (some.length === 0) break;
    await target.insertMany(some.map(unindexed));
    after = some.at(-1)?._id ?? null;
  }
  const arrived = await target.countDocuments({});
  if (arrived === count) return count;
  throw new Fault('STORE_UNAVAILABLE', `Of ${count} documents of ${name} ${arrived} arrived in the new store.`, {
    hint: 'Nothing was taken away here. Run the command again.',
  });
}

/** Documents that are found by words and vectors (memory/kinds.ts) wait for both. */
const unindexed = (document: Entity): Entity =>
  'embeddingModel' in document && 'pending' in document
    ? Object.assign({}, document, { pending: true, embeddingModel: null })
    : document;

/** Renames the store of a folder: nothing opens it any more, and a start without MONGODB_URI says so. */
export function putAside(folder: string): string {
  const database = join(folder, databaseFile);
  const aside = database + movedEnding;
  // An orderly end leaves the log empty; one that is not is found by SQLite under this name.
  if ((statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0)
    renameSync(`${database}-wal`, `${aside}-wal`);
  renameSync(database, aside);
  for (const ending of ['-wal', '-shm', '-synced']) rmSync(database + ending, { force: true });
  return aside;
}

/** @throws Fault STORE_UNAVAILABLE where a new database would begin with nothing beside a folder that has documents */
export async function requireMoved(folder: string, isNew: () => Promise<boolean>): Promise<void> {
  const database = join(folder, databaseFile);
  if (!existsSync(database) || !(await isNew())) return;
  throw new Fault(
    'STORE_UNAVAILABLE',
    `The database of MONGODB_URI is empty, and ${folder} has one of its own, whose documents would not be there.`,
    {
      hint: `"rivulet move" (npm run move) takes them along. To begin with nothing, name another folder in RIVULET_DATA, or move ${database} away.`,
    },
  );
}
