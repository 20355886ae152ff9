// An embedded store in a folder of its own, which goes when the test ends.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../src/kernel/clock.ts';
import { silentLogger } from '../../src/kernel/logger.ts';
import { type EmbeddedDb, openEmbeddedDb } from '../../src/stores/embedded/db.ts';

/** An empty folder that is removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rivulet-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Opens a store in `folder`, or in one of its own; it is closed after the test. Commits don't wait for the disk. */
export function openTestDb(folder: string = temporaryFolder(), clock: Clock = systemClock): EmbeddedDb {
  const db = openEmbeddedDb({ folder, clock, logger: silentLogger, sync: null });
  onTestFinished(() => db.close());
  return db;
}
