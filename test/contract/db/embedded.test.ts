// The contract on the embedded store.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../src/kernel/clock.ts';
import { silentLogger } from '../../../src/kernel/logger.ts';
import { openEmbeddedDb } from '../../../src/stores/embedded/db.ts';
import { dbContract } from './suite.ts';

dbContract({
  name: 'embedded',
  async open() {
    const folder = await mkdtemp(join(tmpdir(), 'rivulet-db-'));
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
