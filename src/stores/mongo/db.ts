// MongoDB behind the Db port.
import { type Db as DriverDb, type IndexSpecification, MongoClient, MongoServerError } from 'mongodb';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { type Logger, silentLogger } from '../../kernel/logger.ts';
import type {
  AnyCollectionSpec,
  Collection,
  CollectionSpec,
  Db,
  Entity,
  IndexOptions,
  StoreFigures,
} from '../../ports/db.ts';
import { sortKeys } from '../subset/read.ts';
import { createCollection } from './collection.ts';
import { guarded } from './errors.ts';
import { createExpiry } from './expiry.ts';

const defaultName = 'rivulet';
const selectionTimeoutMs = 5_000;

interface Options {
  uri: string;
  clock?: Clock;
  logger?: Logger;
}

/**
 * Connects to the server of `uri` (`mongodb://…/name`; the name is `rivulet` where the URI has none). Writes are
 * acknowledged by a majority and journaled, unless the URI says otherwise. Fault STORE_UNAVAILABLE when the server does
 * not answer within 5 s, NOT_CONFIGURED when the URI is none.
 */
export async function openMongoDb({ uri, clock = systemClock, logger = silentLogger }: Options): Promise<Db> {
  return guarded('the database', async () => {
    const client = createClient(uri);
    try {
      const db = client.db(/^[^/]+\/\/[^/]*\/[^?]/.test(uri) ? undefined : defaultName);
      await client.connect();
      await db.command({ ping: 1 });
      return createDb(client, db, clock, logger);
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

function createDb(client: MongoClient, db: DriverDb, clock: Clock, logger: Logger): Db {
  const expiry = createExpiry({ db, clock, logger });
  return {
    collection<T extends Entity>(source: string | CollectionSpec<T>): Collection<T> {
      return createCollection<T>(db.collection(typeof source === 'string' ? source : source.name));
    },
    async ensureIndexes(specs: readonly AnyCollectionSpec[]) {
      for (const { name, indexes } of specs) {
        for (const { keys, ...options } of indexes) {
          const lacks = await guarded(name, () => ensureIndex(db, name, sortKeys(keys), options));
          if (lacks === 'expireAfterSeconds') expiry.watch(name, Object.keys(keys)[0]!, options.expireAfterSeconds!);
          if (lacks === 'partialFilterExpression' && options.unique)
            logger.warn(
              { collection: name, keys },
              'the database has no partial indexes, so that two nodes may store what should be there once; MongoDB has them',
            );
        }
      }
    },
    async renameCollection(from, to) {
      return guarded(from, async () => {
        try {
          await db.renameCollection(from, to);
          return true;
        } catch (error) {
          if (!(error instanceof MongoServerError) || error.hasErrorLabel('RetryableWriteError')) throw error;
          logger.debug({ err: error, from, to }, 'the database does not rename this collection');
          return error.code === namespaceNotFound;
        }
      });
    },
    figures: () => guarded('the database', () => figuresOf(db)),
    async ping() {
      await guarded('the database', () => db.command({ ping: 1 }));
    },
    async close() {
      expiry.close();
      await client.close();
    },
  };
}

/** Figures of the store; servers that only speak MongoDB's protocol lack some of them. */
async function figuresOf(db: DriverDb): Promise<StoreFigures> {
  const asked = (command: object) => db.command(command).catch(() => null);
  const [stats, build, server, found] = await Promise.all([
    asked({ dbStats: 1 }),
    asked({ buildInfo: 1 }),
    asked({ serverStatus: 1 }),
    db.listCollections({}, { nameOnly: true }).toArray(),
  ]);
  const collections = await Promise.all(
    found.map(async ({ name }) => {
      const of = await asked({ collStats: name });
      return {
        name,
        items: Number(of?.count ?? (await db.collection(name).estimatedDocumentCount())),
        sizeBytes: of ? Number(of.storageSize ?? 0) + Number(of.totalIndexSize ?? 0) : null,
        indexes: Number(of?.nindexes ?? 0),
      };
    }),
  );
  return {
    version: build ? String(build.version) : null,
    sizeBytes: stats ? Number(stats.storageSize ?? 0) + Number(stats.indexSize ?? 0) : null,
    freeBytes: null,
    connections: server?.connections ? Number(server.connections.current) : null,
    collections: collections.sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

/** IndexOptionsConflict and IndexKeySpecsConflict: an index of that name has another form. */
const conflicts = new Set<unknown>([85, 86]);

const namespaceNotFound = 26;

/** NotImplemented: servers that only speak MongoDB's protocol lack some kinds of indexes. */
const notImplemented = 238;
type Lacking = 'expireAfterSeconds' | 'partialFilterExpression';

/** Creates an index; where the server lacks an option, without it, with a line in the log. */
async function ensureIndex(
  db: DriverDb,
  collection: string,
  keys: [string, 1 | -1][],
  options: IndexOptions,
): Promise<Lacking | null> {
  if (keys.length === 1 && keys[0]![0] === '_id') return null;
  const name = options.name ?? keys.map((key) => key.join('_')).join('_');
  const driver = db.collection(collection);
  const create = (form: IndexOptions) =>
    driver.createIndex(withTieBreak(keys, form) as IndexSpecification, { ...form, name });
  try {
    await create(options);
    return null;
  } catch (error) {
    if (!(error instanceof MongoServerError)) throw error;
    if (conflicts.has(error.code)) {
      await driver.dropIndex(name);
      await create(options);
      return null;
    }
    const { expireAfterSeconds, partialFilterExpression, ...plain } = options;
    if (error.code !== notImplemented || (expireAfterSeconds === undefined && !partialFilterExpression)) throw error;
    // Without its condition, a unique index would refuse documents that it does not apply to.
    await create(partialFilterExpression ? { ...plain, unique: false } : plain);
    return expireAfterSeconds === undefined ? 'partialFilterExpression' : 'expireAfterSeconds';
  }
}

/** Pages are sorted with `_id` last, so that the index must end with it. */
export function withTieBreak(
  keys: [string, 1 | -1][],
  { unique, expireAfterSeconds }: IndexOptions,
): [string, 1 | -1][] {
  if (unique || expireAfterSeconds !== undefined || keys.some(([path]) => path === '_id')) return keys;
  return [...keys, ['_id', keys.at(-1)![1]]];
}
