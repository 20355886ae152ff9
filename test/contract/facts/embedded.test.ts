// The contract of facts on the embedded store.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../src/kernel/clock.ts';
import { silentLogger } from '../../../src/kernel/logger.ts';
import { openEmbeddedDb } from '../../../src/stores/embedded/db.ts';
import { factsContract } from './suite.ts';

factsContract({
  name: 'the embedded store',
  async open() {
    const folder = await mkdtemp(join(tmpdir(), 'rivulet-facts-'));
    const db = openEmbeddedDb({ folder, clock: systemClock, logger: silentLogger, sync: null });
    return {
      db,
      async close() {
        await db.close();
        await rm(folder, { recursive: true });
      },
    };
  },
});
