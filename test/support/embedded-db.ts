// An embedded store in a folder of its own, which goes when the test ends.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../src/kernel/clock.ts';
import { silentLogger } from '../../src/kernel/logger.ts';
import type { AnyCollectionSpec } from '../../src/ports/db.ts';
import { type EmbeddedDb, openEmbeddedDb } from '../../src/stores/embedded/db.ts';

/** An empty folder that is removed after the test. */
export function temporaryFolder(place = tmpdir()): string {
  const folder = mkdtempSync(join(place, 'rivulet-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Where stores are that don't wait for the disk: in memory if there is room. */
const storesFolder = () => process.env.RIVULET_TEST_STORES ?? tmpdir();

/** Opens a store in `folder`, or in one of its own; it is closed after the test. Commits don't wait for the disk. */
export function openTestDb(folder: string = temporaryFolder(storesFolder()), clock: Clock = systemClock): EmbeddedDb {
  const db = openEmbeddedDb({ folder, clock, logger: silentLogger, sync: null });
  onTestFinished(() => db.close());
  return db;
}

export interface WorldDb {
  db: EmbeddedDb;
  /** Closes the store and removes its folder. */
  close(): Promise<void>;
}

const file = 'rivulet.db';
/** Empty stores by their collections: making tables and indexes takes several times as long as copying them. */
const made = new Map<string, Buffer>();

/** Opens a store of its own with these collections and their indexes, for a world that closes it. */
export async function openWorldDb(clock: Clock, specs: readonly AnyCollectionSpec[]): Promise<WorldDb> {
  const folder = mkdtempSync(join(storesFolder(), 'rivulet-world-'));
  const open = async () => {
    // Worlds let weeks pass in a moment: a look for what has expired in each of their minutes would take longest of all.
    const ownClock: Clock = {
      now: () => clock.now(),
      steady: () => clock.steady(),
      sleep: (ms, signal) => clock.sleep(ms, signal),
      after: (ms, run) => clock.after(ms, run),
      every: systemClock.every,
    };
    const db = openEmbeddedDb({ folder, clock: ownClock, logger: silentLogger, sync: null });
    await db.ensureIndexes(specs);
    return db;
  };
  const kind = JSON.stringify(specs.map(({ name, indexes }) => [name, indexes]));
  const known = made.get(kind);
  if (known) writeFileSync(join(folder, file), known);
  else {
    await (await open()).close();
    made.set(kind, readFileSync(join(folder, file)));
  }
  const db = await open();
  return {
    db,
    async close() {
      await db.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
