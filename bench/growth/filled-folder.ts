// A data folder as a server leaves it that has run for a while; kept for the next time, since filling takes minutes.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../src/config.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLogger } from '../../src/kernel/logger.ts';
import { startServer } from '../../src/server.ts';
import { openEmbeddedDb } from '../../src/stores/embedded/db.ts';
import { fillStore } from './fill.ts';

export const growthKey = 'rvt_key-of-the-growth-benchmark-012345678';

export const environmentOf = (folder: string) => ({
  RIVULET_DATA: folder,
  RIVULET_PORT: '0',
  RIVULET_ADMIN_KEY: growthKey,
  RIVULET_SANDBOX: 'off',
  RIVULET_LOG: 'silent',
  // One client asks for more than a key may.
  RIVULET_KEY_REQUESTS: '1000000',
});

/** Makes the folder unless it is there. Nothing waits for the disk: what breaks off is made anew. */
export async function makeFilledFolder(folder: string, runs: number, tell?: (line: string) => void): Promise<void> {
  const mark = join(folder, 'filled');
  if (existsSync(mark)) return;
  mkdirSync(folder, { recursive: true });
  const config = loadConfig(environmentOf(folder));
  await (await startServer({ config, log: silentLogger })).close();
  const db = openEmbeddedDb({ folder, clock: systemClock, logger: silentLogger, sync: null });
  const started = performance.now();
  let told = 0;
  await fillStore({
    db,
    runs,
    until: Date.now(),
    tell(written) {
      if (written - told < 10_000) return;
      told = written;
      tell?.(`${written} of ${runs} runs written in ${Math.round((performance.now() - started) / 1000)} s`);
    },
  });
  await db.close();
  writeFileSync(mark, String(runs));
}
