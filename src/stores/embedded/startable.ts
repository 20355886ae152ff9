// What a start would refuse of a folder's database, found without changing it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Database from 'libsql';
import { Fault } from '../../kernel/fault.ts';
import { appliedCollection, requireKnownMigrations } from '../migrations.ts';
import { requireDatabase, requireMarkOf } from './identity.ts';
import { lockFolder } from './lock.ts';
import { translate } from './sqlite.ts';
import { checkWal } from './wal-guard.ts';

/** Version of the file's layout; a newer file is refused. */
export const layoutVersion = 1;

/** @throws Fault STORE_UNAVAILABLE for a file of a newer layout */
export function requireKnownLayout(path: string, version: number): void {
  if (version <= layoutVersion) return;
  throw new Fault('STORE_UNAVAILABLE', `${path} was written by a newer version of Rivulet.`, {
    hint: 'Start that version again, or use another data folder.',
  });
}

/**
 * Looks at a folder as a start does that knows so many migrations; a server may be running on it.
 *
 * @throws Fault as that start would: for a database that is missing, damaged, another one's or of a newer version
 */
export function requireStartable(folder: string, migrations: number): void {
  const path = join(folder, 'rivulet.db');
  requireDatabase(folder, path);
  if (!existsSync(path)) return;
  const unlock = lockIfFree(folder);
  try {
    // The log of a running server grows beside its record.
    if (unlock) checkWal(path);
    look(path, folder, migrations);
  } catch (error) {
    throw translate(error);
  } finally {
    unlock?.();
  }
}

function look(path: string, folder: string, migrations: number): void {
  // A reader leaves the log where it is.
  const file = new Database(`${pathToFileURL(path)}?mode=ro`);
  try {
    const [version] = file.prepare('PRAGMA user_version').raw(true).get() as [number];
    requireKnownLayout(path, version);
    requireMarkOf(folder, first<string>(file, 'rivulet_store', 'id'));
    requireKnownMigrations(first<number>(file, `d_${appliedCollection.name}`, 'max(id)') ?? 0, migrations);
  } finally {
    file.close();
  }
}

/** The first value of a table; undefined where it is empty or not there. */
function first<T>(file: Database.Database, table: string, column: string): T | undefined {
  const there = file.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(table);
  if (!there) return undefined;
  const [value] = (file.prepare(`SELECT ${column} FROM "${table}"`).raw(true).get() ?? []) as (T | null)[];
  return value ?? undefined;
}

/** Locks the folder, unless a server holds it. */
function lockIfFree(folder: string): (() => void) | null {
  try {
    return lockFolder(folder);
  } catch {
    return null;
  }
}
