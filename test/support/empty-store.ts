// A store with tables and indexes and nothing in them, which servers of tests begin with.
import { copyFile, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLogger } from '../../src/kernel/logger.ts';
import { openEmbeddedDb } from '../../src/stores/embedded/db.ts';
import { collections } from '../../src/wiring/storage.ts';

const database = 'rivulet.db';
let made: Promise<string> | undefined;

/** Puts the store into an empty folder. It is made once a process: that takes most of a server's first start. */
export async function putEmptyStore(folder: string): Promise<void> {
  made ??= make();
  await copyFile(await made, join(folder, database));
}

async function make(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rivulet-empty-'));
  const db = openEmbeddedDb({ folder, clock: systemClock, logger: silentLogger, sync: null });
  await db.ensureIndexes(collections);
  // Each store has an id of its own.
  db.file.run('DELETE FROM rivulet_store');
  await db.close();
  return join(folder, database);
}
