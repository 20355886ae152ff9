// One process a data folder: an OS lock that dies with its process, held through a SQLite file of its own.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { Fault } from '../../kernel/fault.ts';
import type { Logger } from '../../kernel/logger.ts';

/**
 * Locks the folder; returns a function that unlocks it. The log is told of a process that had it and did not give it back.
 *
 * @throws Fault STORE_UNAVAILABLE when it is locked, or cannot be written
 */
export function lockFolder(folder: string, log?: Pick<Logger, 'warn'>): () => void {
  const holder = join(folder, holderFile);
  let lock: Database.Database | undefined;
  try {
    lock = new Database(join(folder, 'rivulet.lock'));
    lock.exec('BEGIN EXCLUSIVE');
    if (existsSync(holder)) log?.warn({ folder }, `the process before${pidIn(holder)} ${notGivenBack}`);
    writeFileSync(holder, `${process.pid}\n`);
  } catch (cause) {
    lock?.close();
    throw lockFault(folder, cause);
  }
  const held = lock;
  return () => {
    if (!held.open) return;
    rmSync(holder, { force: true });
    held.exec('ROLLBACK');
    held.close();
  };
}

const holderFile = 'rivulet.pid';
const notGivenBack =
  'did not stop in order: it was killed, by the kernel where memory was short, or its machine failed; what it had acknowledged is here';

/** Why the folder could not be locked: another process has it, its disk is full, or it cannot be written. */
export function lockFault(folder: string, cause: unknown): Fault {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (/^SQLITE_(BUSY|LOCKED)/.test(code))
    return new Fault(
      'STORE_UNAVAILABLE',
      `Another process${pidIn(join(folder, holderFile))} uses the data folder ${folder}.`,
      {
        hint: 'Stop it, or give this one its own folder with RIVULET_DATA. Several processes share a MongoDB: set MONGODB_URI.',
        cause,
      },
    );
  if (/^(SQLITE_FULL|ENOSPC|EDQUOT)/.test(code))
    return new Fault('STORE_UNAVAILABLE', `The disk of ${folder} is full.`, {
      hint: 'Make room on it: what was acknowledged is safe.',
      cause,
    });
  const why = cause instanceof Error ? cause.message : String(cause);
  return new Fault('STORE_UNAVAILABLE', `The data folder ${folder} cannot be used: ${why}.`, {
    hint: 'See that the user of the server may write there, and that the file system is not mounted read-only.',
    cause,
  });
}

function pidIn(file: string): string {
  try {
    return ` (pid ${readFileSync(file, 'utf8').trim()})`;
  } catch {
    return '';
  }
}
