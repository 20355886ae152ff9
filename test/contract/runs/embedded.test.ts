// The contract on the embedded store.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../src/kernel/clock.ts';
import { silentLogger } from '../../../src/kernel/logger.ts';
import { openEmbeddedDb } from '../../../src/stores/embedded/db.ts';
import { createIds } from '../../../src/stores/ids.ts';
import { runCollections } from '../../../src/stores/runs/collections.ts';
import { createRunStore } from '../../../src/stores/runs/run-store.ts';
import { runStoreContract } from './suite.ts';

runStoreContract({
  name: 'embedded',
  async open() {
    const folder = await mkdtemp(join(tmpdir(), 'rivulet-runs-'));
    const db = openEmbeddedDb({ folder, clock: systemClock, logger: silentLogger });
    await db.ensureIndexes(runCollections);
    const connect = () => createRunStore({ db, ids: createIds({ db }), logger: silentLogger });
    const [store, other] = [connect(), connect()];
    return {
      store,
      other,
      async close() {
        await Promise.all([store.drain(), other.drain()]);
        await db.close();
        await rm(folder, { recursive: true });
      },
    };
  },
});
