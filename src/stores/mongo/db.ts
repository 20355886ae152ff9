// MongoDB behind the Db port.
import { type Db as DriverDb, type IndexSpecification, MongoClient, MongoServerError } from 'mongodb';
import { Fault } from '../../kernel/fault.ts';
import type { AnyCollectionSpec, Collection, CollectionSpec, Db, Entity, IndexOptions } from '../../ports/db.ts';
import { sortKeys } from '../subset/read.ts';
import { createCollection } from './collection.ts';
import { guarded } from './errors.ts';

const defaultName = 'rivulet';
const selectionTimeoutMs = 5_000;

/**
 * Connects to the server of `uri` (`mongodb://…/name`; the name is `rivulet` where the URI has none). Writes are
 * acknowledged by a majority and journaled, unless the URI says otherwise. Fault STORE_UNAVAILABLE when the server does
 * not answer within 5 s, NOT_CONFIGURED when the URI is none.
 */
export async function openMongoDb({ uri }: { uri: string }): Promise<Db> {
  return guarded('the database', async () => {
    const client = createClient(uri);
    try {
      const db = client.db(/^[^/]+\/\/[^/]*\/[^?]/.test(uri) ? undefined : defaultName);
      await client.connect();
      await db.command({ ping: 1 });
      return createDb(client, db);
    } catch (error) {
      await client.close();
      throw error;
    }
  });
}

function createClient(uri: string): MongoClient {
  try {
    return new MongoClient(uri, {
      appName: 'rivulet',
      ignoreUndefined: true,
      ...(/[?&]serverSelectionTimeoutMS=/i.test(uri) ? {} : { serverSelectionTimeoutMS: selectionTimeoutMs }),
      ...(/[?&](w|journal)=/.test(uri) ? {} : { writeConcern: { w: 'majority', journal: true } }),
    });
  } catch (cause) {
    throw new Fault('NOT_CONFIGURED', `MONGODB_URI can't be used: ${(cause as Error).message}.`, {
      hint: 'It looks like mongodb://host:27017/rivulet.',
      cause,
    });
  }
}

function createDb(client: MongoClient, db: DriverDb): Db {
  return {
    collection<T extends Entity>(source: string | CollectionSpec<T>): Collection<T> {
      return createCollection<T>(db.collection(typeof source === 'string' ? source : source.name));
    },
    async ensureIndexes(specs: readonly AnyCollectionSpec[]) {
      for (const { name, indexes } of specs) {
        for (const { keys, ...options } of indexes) {
          await guarded(name, () => ensureIndex(db, name, sortKeys(keys), options));
        }
      }
    },
    async ping() {
      await guarded('the database', () => db.command({ ping: 1 }));
    },
    async close() {
      await client.close();
    },
  };
}

/** IndexOptionsConflict and IndexKeySpecsConflict: an index of that name has another form. */
const conflicts = new Set<unknown>([85, 86]);

async function ensureIndex(db: DriverDb, collection: string, keys: [string, 1 | -1][], options: IndexOptions) {
  if (keys.length === 1 && keys[0]![0] === '_id') return;
  const name = options.name ?? keys.map((key) => key.join('_')).join('_');
  const driver = db.collection(collection);
  const create = () => driver.createIndex(withTieBreak(keys, options) as IndexSpecification, { ...options, name });
  try {
    await create();
  } catch (error) {
    if (!(error instanceof MongoServerError) || !conflicts.has(error.code)) throw error;
    await driver.dropIndex(name);
    await create();
  }
}

/** Pages are sorted with `_id` last, so that the index must end with it. */
function withTieBreak(keys: [string, 1 | -1][], { unique, expireAfterSeconds }: IndexOptions): [string, 1 | -1][] {
  if (unique || expireAfterSeconds !== undefined || keys.some(([path]) => path === '_id')) return keys;
  return [...keys, ['_id', keys.at(-1)![1]]];
}
