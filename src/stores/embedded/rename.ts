// Renames a collection in the file: its tables, indexes and triggers, and the catalog.
import type { Sqlite } from './sqlite.ts';
import { markTriggers } from './text-merge.ts';

/** Prefixes of tables that are named after a collection: documents, elements, roll-ups. */
const tables = ['d', 'e', 'r'];
/** Prefixes of indexes, of the index of documents not rolled up yet, and of triggers. */
const others = ['i', 'n', 't'];
const catalogs = ['rivulet_slots', 'rivulet_indexes', 'rivulet_rollups'];

/**
 * Renames a collection without a look at its documents. True when none has the old name any more; false, with nothing
 * changed, when the new name holds documents. Indexes of text are dropped: `ensureIndexes` makes them again. Inside a
 * write, as a whole.
 */
export function renameTables(sqlite: Sqlite, from: string, to: string): boolean {
  const exists = (name: string) => Boolean(sqlite.get('SELECT 1 FROM sqlite_master WHERE name = ?', [`d_${name}`]));
  if (!exists(from)) return true;
  if (exists(to)) {
    if (sqlite.get(`SELECT 1 FROM "d_${to}" LIMIT 1`)) return false;
    dropTables(sqlite, to);
  }
  dropTexts(sqlite, from);
  for (const name of tablesOf(sqlite, tables, from))
    sqlite.run(`ALTER TABLE "${name}" RENAME TO "${renamed(name, from, to)}"`);
  for (const catalog of catalogs) sqlite.run(`UPDATE ${catalog} SET collection = ? WHERE collection = ?`, [to, from]);
  renameOthers(sqlite, from, to);
  return true;
}

/**
 * SQLite renames no indexes and triggers, and making an index anew reads every row. Their names stand in the schema's
 * table alone, where SQLite's documentation allows such a change: https://www.sqlite.org/lang_altertable.html#otheralter
 */
function renameOthers(sqlite: Sqlite, from: string, to: string): void {
  const old = sqlite
    .all('SELECT name, sql FROM sqlite_master WHERE tbl_name = ? AND type IN (?, ?)', [`d_${to}`, 'index', 'trigger'])
    .filter(([name]) => others.some((prefix) => isOf(String(name), prefix, from))) as [string, string][];
  if (old.length === 0) return;
  sqlite.exec('PRAGMA writable_schema = ON');
  try {
    for (const [name, sql] of old) {
      const next = renamed(name, from, to);
      const text = sql.replace(`"${name}"`, () => `"${next}"`);
      sqlite.run('UPDATE sqlite_master SET name = ?, sql = ? WHERE name = ?', [next, text, name]);
    }
  } finally {
    sqlite.exec('PRAGMA writable_schema = OFF');
  }
  const version = sqlite.get('PRAGMA schema_version')![0] as number;
  sqlite.exec(`PRAGMA schema_version = ${version + 1}`);
}

const isOf = (name: string, prefix: string, collection: string) =>
  name === `${prefix}_${collection}` || name.startsWith(`${prefix}_${collection}.`);

const renamed = (name: string, from: string, to: string) => `${name.slice(0, 2)}${to}${name.slice(2 + from.length)}`;

const tablesOf = (sqlite: Sqlite, prefixes: readonly string[], collection: string): string[] =>
  sqlite
    .all('SELECT name FROM sqlite_master WHERE type = ?', ['table'])
    .map(([name]) => String(name))
    .filter((name) => prefixes.some((prefix) => isOf(name, prefix, collection)));

function dropTexts(sqlite: Sqlite, collection: string): void {
  const texts = tablesOf(sqlite, ['f'], collection).filter((name) =>
    sqlite.get('SELECT 1 FROM sqlite_master WHERE name = ? AND sql LIKE ?', [name, 'CREATE VIRTUAL TABLE%']),
  );
  for (const name of texts) {
    for (const kind of ['added', 'gone', 'changed', ...markTriggers])
      sqlite.run(`DROP TRIGGER IF EXISTS "t_${name.slice(2)}.${kind}"`);
    sqlite.run(`DROP TABLE "${name}"`);
    sqlite.run('DELETE FROM rivulet_unmerged WHERE texts = ?', [name.slice(2)]);
  }
}

function dropTables(sqlite: Sqlite, collection: string): void {
  dropTexts(sqlite, collection);
  for (const name of tablesOf(sqlite, tables, collection)) sqlite.run(`DROP TABLE "${name}"`);
  for (const catalog of catalogs) sqlite.run(`DELETE FROM ${catalog} WHERE collection = ?`, [collection]);
}
