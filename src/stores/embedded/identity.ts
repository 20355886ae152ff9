// Detects at the start that the database is missing or another one: the folder and the file hold the same mark.
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../kernel/fault.ts';
import { makeLastingFile } from '../../kernel/lasting-file.ts';
import type { Sqlite } from './sqlite.ts';

/** Ending of the name of a database that was moved (stores/move.ts). */
export const movedEnding = '.moved';

const markFile = (folder: string) => join(folder, 'rivulet.store');

const cure = (folder: string) =>
  `Restore a backup into an empty folder (see docs/operations.md), or put the file back. To begin with nothing on purpose, name another folder in RIVULET_DATA, or delete ${markFile(folder)}.`;

/** The mark of an open database. */
export const storeIdOf = (sqlite: Sqlite) => String(sqlite.get('SELECT id FROM rivulet_store')?.[0]);

/** Checks that the database exists, before opening would create it. @throws Fault STORE_UNAVAILABLE */
export function requireDatabase(folder: string, database: string): void {
  if (!existsSync(markFile(folder))) return;
  const bytes = existsSync(database) ? statSync(database).size : null;
  if (bytes !== null && bytes > 0) return;
  const aside = database + movedEnding;
  if (existsSync(aside))
    throw new Fault('STORE_UNAVAILABLE', `The documents of ${folder} were moved to MongoDB.`, {
      hint: `Set MONGODB_URI, as it was then. To go back to what they were then, rename ${aside} to ${database}.`,
    });
  throw new Fault(
    'STORE_UNAVAILABLE',
    `The database ${database} is ${bytes === null ? 'not there' : 'empty'}, although this folder had one.`,
    { hint: cure(folder) },
  );
}

/** Answers whether the folder has a mark. @throws Fault STORE_UNAVAILABLE where that is not the one of its database */
export function requireMarkOf(folder: string, known: string | undefined): boolean {
  const file = markFile(folder);
  if (!existsSync(file)) return false;
  if (readFileSync(file, 'utf8').trim() === known) return true;
  throw new Fault('STORE_UNAVAILABLE', `The database of ${folder} is not the one that this folder had.`, {
    hint: cure(folder),
  });
}

/** Compares the marks of folder and file, and writes them where both are missing. @throws Fault STORE_UNAVAILABLE */
export function requireSameStore(folder: string, sqlite: Sqlite): void {
  sqlite.exec('CREATE TABLE IF NOT EXISTS rivulet_store (id TEXT NOT NULL)');
  const known = sqlite.get('SELECT id FROM rivulet_store')?.[0] as string | undefined;
  if (requireMarkOf(folder, known)) return;
  const id = known ?? randomUUID();
  if (!known) sqlite.run('INSERT INTO rivulet_store (id) VALUES (?)', [id]);
  // The mark is written into the file itself, so that it survives the loss of the log.
  sqlite.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  makeLastingFile(markFile(folder), `${id}\n`);
}
