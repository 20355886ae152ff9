// Tables and triggers of a collection's roll-ups, as SQLite has them.
import type { Rollup } from '../../ports/db.ts';
import { fraction, whole } from './rollup-sums.ts';
import type { Param, Sqlite } from './sqlite.ts';

/** Columns of the documents that a roll-up counts. */
export interface RollupColumns {
  bucket: string;
  by: string[];
  sums: string[];
}

export interface RollupLayout {
  rollup: Rollup;
  /** Quoted. */
  table: string;
  columns: RollupColumns;
}

interface Names {
  /** Of the collection. */
  name: string;
  /** Quoted: its documents. */
  documents: string;
  /** Column of the tenant, or of whatever comes first. */
  first: string;
}

export const newIndexOf = (name: string) => `"n_${name}"`;
export const rollupTableOf = (name: string, at: number) => `"r_${name}.${at}"`;

/** Creates the tables anew and rolls up all documents. Inside a write. */
export function layOut(sqlite: Sqlite, { name, documents, first }: Names, layouts: readonly RollupLayout[]): void {
  const marked = sqlite.all(`PRAGMA table_info(${documents})`).some((row) => row[1] === 'rolled');
  if (!marked) sqlite.run(`ALTER TABLE ${documents} ADD COLUMN rolled`);
  for (const kind of ['changed', 'gone']) sqlite.run(`DROP TRIGGER IF EXISTS "t_${name}.${kind}"`);
  const old = `SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB ?`;
  for (const [table] of sqlite.all(old, [`r_${name}.*`])) sqlite.run(`DROP TABLE "${table}"`);
  sqlite.run(`DROP INDEX IF EXISTS ${newIndexOf(name)}`);
  sqlite.run(`UPDATE ${documents} SET rolled = NULL WHERE rolled IS NOT NULL`);
  if (layouts.length === 0) return;
  for (const { table, columns } of layouts) {
    const groups = columns.by.map((_, at) => `g${at} NOT NULL`);
    const sums = columns.sums.flatMap((_, at) => [`s${at} INTEGER NOT NULL`, `f${at} INTEGER NOT NULL`]);
    const key = [...columns.by.map((_, at) => `g${at}`)];
    const [head = 'bucket', ...rest] = key;
    sqlite.run(
      `CREATE TABLE ${table} (${['bucket NOT NULL', ...groups, 'n INTEGER NOT NULL', ...sums].join()},
        PRIMARY KEY (${[head, 'bucket', ...rest].join()})) WITHOUT ROWID`,
    );
  }
  sqlite.run(
    `CREATE INDEX ${newIndexOf(name)} ON ${documents} (${[...new Set([first, layouts[0]!.columns.bucket])].join()}) WHERE rolled IS NULL`,
  );
  fold(sqlite, { name, documents }, layouts, Number.MAX_SAFE_INTEGER);
  const takeOut = layouts.map(({ table, columns }) => subtraction(table, columns)).join('');
  const used = [...new Set(layouts.flatMap(({ columns }) => [columns.bucket, ...columns.by, ...columns.sums]))];
  sqlite.run(
    `CREATE TRIGGER "t_${name}.changed" AFTER UPDATE OF ${used.join()} ON ${documents} WHEN OLD.rolled = 1 BEGIN
      ${takeOut} UPDATE ${documents} SET rolled = NULL WHERE rowid = NEW.rowid; END`,
  );
  sqlite.run(`CREATE TRIGGER "t_${name}.gone" AFTER DELETE ON ${documents} WHEN OLD.rolled = 1 BEGIN ${takeOut} END`);
}

/** Subtracts the former values of a document from a roll-up. */
function subtraction(table: string, { bucket, by, sums }: RollupColumns): string {
  const set = sums.flatMap((column, at) => [
    `s${at} = s${at} - ${whole(`OLD.${column}`)}`,
    `f${at} = f${at} - ${fraction(`OLD.${column}`)}`,
  ]);
  const key = [`bucket = OLD.${bucket}`, ...by.map((column, at) => `g${at} = OLD.${column}`)];
  return `UPDATE ${table} SET ${['n = n - 1', ...set].join()} WHERE ${key.join(' AND ')}; `;
}

/** Rolls up the documents up to a row. Inside a write, as a whole. */
export function fold(
  sqlite: Sqlite,
  { name, documents }: Pick<Names, 'name' | 'documents'>,
  layouts: readonly RollupLayout[],
  last: number,
): void {
  const which = `${documents} INDEXED BY ${newIndexOf(name)} WHERE rolled IS NULL AND rowid <= ?`;
  const params: Param[] = [last];
  for (const { table, columns } of layouts) {
    const groups = [columns.bucket, ...columns.by];
    const sums = columns.sums.flatMap((column) => [`sum(${whole(column)})`, `sum(${fraction(column)})`]);
    const added = ['n', ...columns.sums.flatMap((_, at) => [`s${at}`, `f${at}`])];
    const more = added.map((column) => `${column} = ${column} + excluded.${column}`);
    sqlite.run(
      `INSERT INTO ${table} (${['bucket', ...columns.by.map((_, at) => `g${at}`), ...added].join()})
        SELECT ${[...groups, 'count(*)', ...sums].join()} FROM ${which} GROUP BY ${groups.join()}
        ON CONFLICT DO UPDATE SET ${more.join()}`,
      params,
    );
  }
  sqlite.run(`UPDATE ${documents} SET rolled = 1 WHERE rowid IN (SELECT rowid FROM ${which})`, params);
}
