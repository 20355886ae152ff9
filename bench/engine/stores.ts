// The run stores that the engine is measured on; not FerretDB 1.24, which knows no index by which documents expire.
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
import { mongoJavaServer, type ServerKind } from '../../test/support/servers/mongo.ts';

export interface OpenedStore {
  store: RunStore;
  close(): Promise<void>;
}

export interface StoreKind {
  name: string;
  /** Servers in other processes are slower to fill: they get fewer runs. */
  small: boolean;
  open(): Promise<OpenedStore>;
}

async function onDb(db: Db, end: () => Promise<void>): Promise<OpenedStore> {
  await db.ensureIndexes(runCollections);
  const store = createRunStore({ db, ids: createIds({ db }), logger: silentLogger });
  return {
    store,
    async close() {
      await store.drain();
      await db.close();
      await end();
    },
  };
}

const onServer = (kind: ServerKind): StoreKind => ({
  name: kind.name,
  small: true,
  async open() {
    const missing = await kind.missing();
    if (missing) throw new Error(missing);
    const server = await kind.start();
    return onDb(await openMongoDb({ uri: server.uri }), server.stop);
  },
});

export const storeKinds: readonly StoreKind[] = [
  { name: 'in memory', small: false, open: async () => ({ store: createMemoryStore(), close: async () => {} }) },
  {
    name: 'embedded',
    small: false,
    async open() {
      const folder = await mkdtemp(join(tmpdir(), 'rivulet-bench-'));
      const db = openEmbeddedDb({ folder, clock: systemClock, logger: silentLogger });
      return onDb(db, () => rm(folder, { recursive: true }));
    },
  },
  onServer(mongoJavaServer),
];
