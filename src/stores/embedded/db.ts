// The embedded store: the Db port over one SQLite file.
import { mkdirSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../kernel/clock.ts';
import type { Logger } from '../../kernel/logger.ts';
import type {
  AnyCollectionSpec,
  Collection,
  CollectionSpec,
  Db,
  Entity,
  Filter,
  StoreFigures,
  Writer,
} from '../../ports/db.ts';
import { type CatalogEntry, wholeCatalog } from './catalog.ts';
import { type Changes, createChanges } from './changes.ts';
import { createCollection, type DirectWrites } from './collection.ts';
import { createGathered } from './gathered.ts';
import { requireDatabase, requireSameStore } from './identity.ts';
import { dropFormer, keptCatalog, openKeptTexts } from './kept-texts.ts';
import { lockFolder } from './lock.ts';
import { renameTables } from './rename.ts';
import { Schema } from './schema.ts';
import { diskFull, Sqlite, type SyncLog } from './sqlite.ts';
import { layoutVersion, requireKnownLayout } from './startable.ts';
import { mergeTexts, unmergedCatalog } from './text-merge.ts';

const sweepMs = 60_000;
/** How long a check of the disk stays valid (ms), and the free bytes below which the disk counts as full. */
const probeMs = 1000;
const leastFreeBytes = 4 << 20;
/** Documents that one write of a sweep removes: other writes run between. */
const sweepChunk = 200;

const catalog = `
  CREATE TABLE IF NOT EXISTS rivulet_slots (
    collection TEXT NOT NULL, slot INTEGER NOT NULL, kind TEXT NOT NULL, source TEXT NOT NULL,
    PRIMARY KEY (collection, slot)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS rivulet_indexes (
    collection TEXT NOT NULL, name TEXT NOT NULL, spec TEXT NOT NULL,
    PRIMARY KEY (collection, name)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS rivulet_rollups (collection TEXT NOT NULL PRIMARY KEY, spec TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS rivulet_probe (id INTEGER PRIMARY KEY, at INTEGER NOT NULL);
  ${keptCatalog}
  ${unmergedCatalog}`;

export interface EmbeddedDb extends Db {
  collection<T extends Entity>(source: string | CollectionSpec<T>): Collection<T>;
  /** Removes expired documents now; it also runs once a minute. */
  sweep(): Promise<number>;
  /** The file, for tables beside the documents. */
  readonly file: Sqlite;
}

interface Deps {
  folder: string;
  clock: Clock;
  logger: Logger;
  /** Syncs a commit to the disk, by fdatasync unless given; null for tests that need no durability. */
  sync?: SyncLog | null;
}

/**
 * Opens `rivulet.db` in a folder, which is made if need be. Fault STORE_UNAVAILABLE when another process uses it or the
 * file can't be opened.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small functions that share statements, which are prepared once.
export function openEmbeddedDb(deps: Deps): EmbeddedDb {
  const { folder, clock, logger } = deps;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const unlock = lockFolder(folder, logger);
  let sqlite: Sqlite;
  try {
    const file = join(folder, 'rivulet.db');
    requireDatabase(folder, file);
    sqlite = openFile(file, folder, deps.sync);
    shrinkable(sqlite, logger);
  } catch (error) {
    unlock();
    throw error;
  }
  const schemas = new Map<string, Schema>();
  const collections = new Map<string, { collection: Collection<Entity>; direct: DirectWrites }>();
  const changes = new Map<string, Changes>();
  const gathered = createGathered(sqlite);

  function schemaOf(name: string, entry?: (name: string) => CatalogEntry): Schema {
    let schema = schemas.get(name);
    if (!schema) {
      schema = new Schema(sqlite, name, entry?.(name));
      schemas.set(name, schema);
    }
    return schema;
  }

  function changesOf(name: string): Changes {
    const some = changes.get(name) ?? createChanges();
    changes.set(name, some);
    return some;
  }

  function known(name: string) {
    let one = collections.get(name);
    if (!one) {
      one = createCollection<Entity>(sqlite, schemaOf(name), changesOf(name), gathered);
      collections.set(name, one);
    }
    return one;
  }

  function collection<T extends Entity>(source: string | CollectionSpec<T>): Collection<T> {
    return known(typeof source === 'string' ? source : source.name).collection as unknown as Collection<T>;
  }

  const writer: Writer = {
    insert: ({ name }, document) => known(name).direct.insert(document),
    update: ({ name }, filter, update, options) => {
      const { matchedCount, upsertedCount } = known(name).direct.update(filter, update, options);
      return matchedCount + upsertedCount > 0;
    },
    remove: ({ name }, filter) => known(name).direct.remove(filter).deletedCount,
  };

  async function sweep(): Promise<number> {
    let removed = 0;
    for (const [name, schema] of schemas) {
      for (const { path, afterSeconds } of schema.expiring) {
        const expired = { [path]: { $lte: new Date(clock.now() - afterSeconds * 1000) } } as Filter<Entity>;
        removed += await removeInChunks(collection<Entity>(name), expired);
      }
    }
    return removed;
  }

  /** Latest check of the disk, shared by concurrent pings. */
  let probe: { at: number; answer: Promise<void> } | null = null;

  /** Checks the disk by a write and by its free space: a small write may succeed where the next large one fails. */
  async function lookAtDisk(): Promise<void> {
    const { bavail, bsize } = statfsSync(folder);
    if (bavail * bsize < leastFreeBytes) throw diskFull();
    const sql = 'INSERT OR REPLACE INTO rivulet_probe (id, at) VALUES (1, ?)';
    await sqlite.write(() => sqlite.run(sql, [clock.now()]));
  }

  const stopSweeping = clock.every(sweepMs, () => {
    const swept = sweep()
      .then(async (removed) => removed + (await dropFormer(sqlite)))
      .then((removed) => (removed > 0 ? sqlite.reclaim() : undefined))
      // Deleted and overwritten data is out of every file a minute later, and out of indexes of text at the next `reclaim`.
      .then(() => (sqlite.hasLog() ? sqlite.scrub() : undefined));
    swept.catch((err) => logger.error({ err }, 'expired documents could not be removed'));
  });

  return {
    file: sqlite,
    collection,
    sweep,
    gather: gathered.gather,
    changes: ({ name }, field) => changesOf(name).of(field),
    keptTexts: (spec) => openKeptTexts({ sqlite, schemaOf, changesOf }, spec),
    together: (work, { patient = false } = {}) => sqlite.write(() => sqlite.atomic(() => work(writer)), { patient }),
    async ensureIndexes(specs: readonly AnyCollectionSpec[]) {
      const make = () => {
        const entry = wholeCatalog(sqlite);
        for (const spec of specs) {
          const schema = schemaOf(spec.name, entry);
          schema.addColumns(spec);
          for (const { keys, ...options } of spec.indexes) schema.createIndex(keys, options);
          schema.createRollups(spec.rollups ?? []);
          schema.createTexts(spec.texts ?? []);
        }
      };
      await sqlite.write(make, { repeatable: false });
    },
    async renameCollection(from, to) {
      const rename = () => sqlite.atomic(() => renameTables(sqlite, from, to));
      const done = await sqlite.write(rename, { repeatable: false });
      for (const name of [from, to]) {
        schemas.delete(name);
        collections.delete(name);
      }
      return done;
    },
    async reclaim(signal) {
      await mergeTexts(sqlite, signal);
      await sqlite.reclaim(signal);
    },
    scrub: () => sqlite.scrub(),
    figures: async () => figuresOf(sqlite),
    async ping() {
      if (!probe || clock.steady() - probe.at > probeMs) probe = { at: clock.steady(), answer: lookAtDisk() };
      return probe.answer;
    },
    async close() {
      stopSweeping();
      await sqlite.close();
      unlock();
    },
  };
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

function figuresOf(sqlite: Sqlite): StoreFigures {
  const { bytes, freeBytes } = sqlite.space();
  const indexes = new Map(
    sqlite.all('SELECT collection, count(*) FROM rivulet_indexes GROUP BY 1') as [string, number][],
  );
  const tables = sqlite.all("SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'd_*' ORDER BY 1");
  const collections = tables.map(([table]) => {
    const name = String(table).slice(2);
    // Counting would read all rows; row numbers grow, and retention removes the oldest.
    const end = (which: string) => Number(sqlite.get(`SELECT ${which}(rowid) FROM ${quoted(String(table))}`)?.[0] ?? 0);
    const last = end('max');
    const items = last === 0 ? 0 : last - end('min') + 1;
    return { name, items, sizeBytes: null, indexes: indexes.get(name) ?? 0 };
  });
  const [version] = sqlite.get('SELECT sqlite_version()') ?? [];
  return { version: `SQLite ${version}`, sizeBytes: bytes, freeBytes, connections: null, collections };
}

async function removeInChunks(collection: Collection<Entity>, filter: Filter<Entity>): Promise<number> {
  for (let removed = 0; ; ) {
    const some = await collection.find(filter, { limit: sweepChunk, projection: { _id: 1 } }).toArray();
    if (some.length === 0) return removed;
    const { deletedCount } = await collection.deleteMany({ ...filter, _id: { $in: some.map((one) => one._id) } });
    removed += deletedCount;
  }
}

/** Converts a file of an earlier version, which could not shrink; one without room for a second copy is left as it is. */
function shrinkable(sqlite: Sqlite, logger: Logger): void {
  try {
    if (sqlite.makeShrinkable()) logger.info('the database was made anew, so that it can give space back');
  } catch (error) {
    logger.warn({ err: error }, 'the database gives no space back, since there was no room to make it anew');
  }
}

function openFile(path: string, folder: string, sync?: SyncLog | null): Sqlite {
  const sqlite = new Sqlite(path, sync);
  try {
    prepare(path, folder, sqlite);
    return sqlite;
  } catch (error) {
    sqlite.abandon();
    throw error;
  }
}

function prepare(path: string, folder: string, sqlite: Sqlite): void {
  requireKnownLayout(path, sqlite.get('PRAGMA user_version')![0] as number);
  sqlite.exec(`${catalog}; PRAGMA user_version = ${layoutVersion}`);
  requireSameStore(folder, sqlite);
}
