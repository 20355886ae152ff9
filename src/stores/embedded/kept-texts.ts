// Texts made of several documents, stored compressed until one of these documents is written: triggers then drop them.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { KeptSpec, KeptText, KeptTexts } from '../../ports/db.ts';
import type { Changes } from './changes.ts';
import type { Schema } from './schema.ts';
import type { Sqlite } from './sqlite.ts';

interface Deps {
  sqlite: Sqlite;
  schemaOf(collection: string): Schema;
  changesOf(collection: string): Changes;
}

export const keptCatalog = `
  CREATE TABLE IF NOT EXISTS rivulet_kept (name TEXT NOT NULL PRIMARY KEY, layout TEXT NOT NULL) WITHOUT ROWID;`;

/** Size of the cache in memory, in characters. */
const cachedCharacters = 4_000_000;
/** Texts that one write removes of a former format. */
const dropChunk = 200;
/** One step unpacks what is shorter; zlib's own 16 KiB would take two for the detail of a run. */
const chunkSize = 32_768;

interface Cached<Facts> {
  value: KeptText<Facts> | null;
  counts: readonly number[];
}

/** Stands for a text that was read once: those are not worth caching, and would only be moved about in memory. */
const once: Cached<never> = { value: null, counts: [] };
const sizeOf = ({ value }: Cached<unknown>) => 200 + (value?.text.length ?? 0);

/** Opens the texts of a kind; lays out their table and triggers where they are missing or another program's. */
export function openKeptTexts<Facts>({ sqlite, schemaOf, changesOf }: Deps, spec: KeptSpec): KeptTexts<Facts> {
  layOut(sqlite, schemaOf, spec);
  const table = tableOf(spec.name);
  const find = `SELECT facts, body, group_id FROM ${table} WHERE id = ?`;
  const put = `INSERT OR REPLACE INTO ${table} (id, group_id, facts, body) VALUES (?, ?, ?, ?)`;
  const counts = spec.madeOf.map(({ collection, field, is }) => ({ is, count: changesOf(collection.name).of(field) }));
  const countsOf = (id: number, group: number) => counts.map(({ is, count }) => count(is === 'id' ? id : group));
  const cache = new LRUCache<number, Cached<Facts> & { group: number }>({
    maxSize: cachedCharacters,
    sizeCalculation: sizeOf,
  });

  const cached = (id: number): KeptText<Facts> | null => {
    const known = cache.get(id);
    return known?.value && isSame(known.counts, countsOf(id, known.group)) ? known.value : null;
  };

  return {
    find(id) {
      const known = cached(id);
      if (known) return known;
      const row = sqlite.get(find, [id]) as [facts: string, body: Uint8Array, group: number] | undefined;
      if (!row) return null;
      const [facts, body, group] = row;
      const value = { facts: JSON.parse(facts) as Facts, text: inflateRawSync(body, { chunkSize }).toString() };
      cache.set(id, cache.has(id) ? { value, group, counts: countsOf(id, group) } : { ...once, group });
      return value;
    },
    async keep(id, group, make) {
      const before = countsOf(id, group);
      const made = await make();
      if (!made) return false;
      const body = deflateRawSync(made.text);
      const write = () => {
        // A write that was made before this one, and after what was read, dropped nothing.
        if (!isSame(before, countsOf(id, group))) return false;
        sqlite.run(put, [id, group, JSON.stringify(made.facts), body]);
        return true;
      };
      return sqlite.write(write, { patient: true });
    },
  };
}

const isSame = (a: readonly number[], b: readonly number[]) => a.every((count, at) => count === b[at]);

const tableOf = (name: string) => `"c_${name}"`;
const formerTables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'c_*.former*'";

function layOut(sqlite: Sqlite, schemaOf: Deps['schemaOf'], spec: KeptSpec): void {
  const triggers = triggersOf(schemaOf, spec);
  const layout = JSON.stringify([spec.format, ...triggers]);
  const known = sqlite.get('SELECT layout FROM rivulet_kept WHERE name = ?', [spec.name])?.[0];
  const names = `SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name GLOB ?`;
  const there = sqlite.all(names, [`t_*.kept ${spec.name}.*`]).map(([name]) => name as string);
  if (known === layout && there.length === triggers.length) return;
  const table = tableOf(spec.name);
  const formers = new Set(sqlite.all(formerTables).map(([name]) => name));
  let number = 0;
  while (formers.has(`c_${spec.name}.former${number}`)) number++;
  const former = `"c_${spec.name}.former${number}"`;
  const steps = [
    ...there.map((name) => `DROP TRIGGER "${name}"`),
    // What was kept may be out of date: it is removed some at a time.
    ...(known === undefined ? [] : [`DROP INDEX "g_${spec.name}"`, `ALTER TABLE ${table} RENAME TO ${former}`]),
    `CREATE TABLE ${table} (id INTEGER PRIMARY KEY, group_id INTEGER NOT NULL, facts TEXT NOT NULL, body BLOB NOT NULL)`,
    `CREATE INDEX "g_${spec.name}" ON ${table} (group_id)`,
    ...triggers,
  ];
  sqlite.exec('BEGIN IMMEDIATE');
  try {
    for (const step of steps) sqlite.exec(step);
    sqlite.run('INSERT OR REPLACE INTO rivulet_kept (name, layout) VALUES (?, ?)', [spec.name, layout]);
    sqlite.exec('COMMIT');
  } catch (error) {
    sqlite.exec('ROLLBACK');
    throw error;
  }
}

function triggersOf(schemaOf: Deps['schemaOf'], { name, madeOf }: KeptSpec): string[] {
  return madeOf.flatMap(({ collection, field, is }, at) => {
    const { documents } = schemaOf(collection.name);
    const column = columnOf(schemaOf, collection.name, field);
    const drop = (of: 'OLD' | 'NEW') =>
      `DELETE FROM ${tableOf(name)} WHERE ${is === 'id' ? 'id' : 'group_id'} = ${of}.${column};`;
    const trigger = (kind: string, on: string, when: string, body: string) =>
      `CREATE TRIGGER "t_${collection.name}.kept ${name}.${at}.${kind}" AFTER ${on} ON ${documents} ${when} BEGIN ${body} END`;
    const gone = trigger('gone', 'DELETE', '', drop('OLD'));
    // Roll-ups mark rows without a change of the document.
    const changed = 'UPDATE OF doc';
    // A new document is not part of a text by its own id.
    if (field === '_id') return [trigger('changed', changed, '', drop('NEW')), gone];
    return [
      trigger('added', 'INSERT', `WHEN NEW.${column} > 0`, drop('NEW')),
      trigger('changed', changed, `WHEN OLD.${column} > 0 OR NEW.${column} > 0`, drop('OLD') + drop('NEW')),
      gone,
    ];
  });
}

function columnOf(schemaOf: Deps['schemaOf'], collection: string, field: string): string {
  const column = schemaOf(collection).column(field);
  if (!column || column.elements) throw new Error(`${collection} has no index of ${field}, by which texts are kept`);
  return column.name;
}

/** Removes the texts of former formats, some at a time. Returns how many. */
export async function dropFormer(sqlite: Sqlite): Promise<number> {
  let dropped = 0;
  for (const [name] of sqlite.all(formerTables)) {
    const table = `"${name}"`;
    const some = `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} ORDER BY id LIMIT ${dropChunk})`;
    for (let gone = dropChunk; gone === dropChunk; dropped += gone) gone = await sqlite.write(() => sqlite.run(some));
    await sqlite.write(() => sqlite.exec(`DROP TABLE IF EXISTS ${table}`), { repeatable: false });
  }
  return dropped;
}
