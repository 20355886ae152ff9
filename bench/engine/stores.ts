// The run stores that the engine is measured on.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunStore } from '../../runtime/ports.ts';
import { createMemoryStore } from '../../runtime/testing/memory-store.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLogger } from '../../src/kernel/logger.ts';
import type { Db } from '../../src/ports/db.ts';
import { openEmbeddedDb } from '../../src/stores/embedded/db.ts';
import { createIds } from '../../src/stores/ids.ts';
import { openMongoDb } from '../../src/stores/mongo/db.ts';
import { runCollections } from '../../src/stores/runs/collections.ts';
import { createRunStore } from '../../src/stores/runs/run-store.ts';

export interface OpenedStore {
  store: RunStore;
  close(): Promise<void>;
}

async function onDb(db: Db, alone: boolean, end: () => Promise<void>): Promise<OpenedStore> {
  await db.ensureIndexes(runCollections);
  const store = createRunStore({ db, ids: createIds({ db }), logger: silentLogger, alone });
  return {
    store,
    async close() {
      await store.drain();
      await db.close();
      await end();
    },
  };
}

const nothing = async () => {};

/** Opens a store by its name, or the MongoDB at `uri`, which is empty. */
export async function openStore(name: string, uri?: string): Promise<OpenedStore> {
  if (uri) return onDb(await openMongoDb({ uri }), false, nothing);
  if (name === 'in memory') return { store: createMemoryStore(), close: nothing };
  const folder = await mkdtemp(join(tmpdir(), 'rivulet-bench-'));
  const db = openEmbeddedDb({ folder, clock: systemClock, logger: silentLogger });
  return onDb(db, true, () => rm(folder, { recursive: true }));
}
