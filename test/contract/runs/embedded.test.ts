// The contract on the embedded store, as it is and where it writes one document at a time, as MongoDB does.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../src/kernel/clock.ts';
import { silentLogger } from '../../../src/kernel/logger.ts';
import type { Db } from '../../../src/ports/db.ts';
import { openEmbeddedDb } from '../../../src/stores/embedded/db.ts';
import { createIds } from '../../../src/stores/ids.ts';
import { runCollections } from '../../../src/stores/runs/collections.ts';
import { createRunStore } from '../../../src/stores/runs/run-store.ts';
import { runStoreContract } from './suite.ts';

const open = (restrict: (db: Db) => Db) =>
  async function opened() {
    const folder = await mkdtemp(join(tmpdir(), 'rivulet-runs-'));
    const db = openEmbeddedDb({ folder, clock: systemClock, logger: silentLogger });
    await db.ensureIndexes(runCollections);
    const connect = () => createRunStore({ db: restrict(db), ids: createIds({ db }), logger: silentLogger });
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
  };

runStoreContract({ name: 'embedded', open: open((db) => db) });
runStoreContract({ name: 'embedded, a document a write', open: open(({ together: _, ...db }) => db) });
