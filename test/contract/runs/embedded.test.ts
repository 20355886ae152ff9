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

type Restrict = (db: Db) => Db;
const whole: Restrict = (db) => db;
const single: Restrict = ({ together: _, ...db }) => db;

const open = (one: Restrict, two: Restrict) =>
  async function opened() {
    const folder = await mkdtemp(join(tmpdir(), 'rivulet-runs-'));
    const db = openEmbeddedDb({ folder, clock: systemClock, logger: silentLogger, sync: null });
    await db.ensureIndexes(runCollections);
    const connect = (restrict: Restrict) =>
      createRunStore({ db: restrict(db), ids: createIds({ db }), logger: silentLogger });
    const [store, other] = [connect(one), connect(two)];
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

runStoreContract({ name: 'embedded', open: open(whole, whole) });
runStoreContract({ name: 'embedded, a document a write', open: open(single, single) });
runStoreContract({ name: 'embedded, after one that wrote a document at a time', open: open(whole, single) });
