// One process a data folder: an OS lock that dies with its process, held through a SQLite file of its own.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { Fault } from '../../kernel/fault.ts';

/** Locks the folder; returns a function that unlocks it. @throws Fault STORE_UNAVAILABLE when it is locked */
export function lockFolder(folder: string): () => void {
  const holder = join(folder, 'rivulet.pid');
  const lock = new Database(join(folder, 'rivulet.lock'));
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    lock.close();
    throw new Fault('STORE_UNAVAILABLE', `Another process${pidIn(holder)} uses the data folder ${folder}.`, {
      hint: 'Stop it, or give this one its own folder with RIVULET_DATA. Several processes share a MongoDB: set MONGODB_URI.',
      cause,
    });
  }
  writeFileSync(holder, `${process.pid}\n`);
  return () => {
    if (!lock.open) return;
    rmSync(holder, { force: true });
    lock.exec('ROLLBACK');
    lock.close();
  };
}

function pidIn(file: string): string {
  try {
    return ` (pid ${readFileSync(file, 'utf8').trim()})`;
  } catch {
    return '';
  }
}
