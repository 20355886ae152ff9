// A data folder as a server leaves it that has run for a while; kept for the next time, since filling takes minutes.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { loadConfig } from '../../src/config.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLogger } from '../../src/kernel/logger.ts';
import { type RivuletServer, startServer } from '../../src/server.ts';
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
  await putAllAway(folder, tell);
  writeFileSync(mark, String(runs));
}

/** Asks once for each run that has ended, since a server puts those away that it had no time for at their end. */
async function putAllAway(folder: string, tell?: (line: string) => void): Promise<void> {
  const file = new Database(join(folder, 'rivulet.db'), { readonly: true });
  const server = await startServer({ config: loadConfig(environmentOf(folder)), log: silentLogger });
  try {
    for (let left = notPutAway(file); left.length > 0; left = notPutAway(file)) {
      tell?.(`${left.length} runs are to be put away`);
      for (let at = 0; at < left.length; at += 16)
        await Promise.all(left.slice(at, at + 16).map((id) => askFor(server, id)));
    }
  } finally {
    file.close();
    await server.close();
  }
}

/** The newest runs are as if they had just ended. */
const settledMs = 10_000;

const notPutAway = (file: Database.Database): number[] =>
  file
    .prepare(
      `SELECT id FROM d_agent_runs WHERE json_extract(doc, '$.status') <> 'Pending'
        AND json_extract(doc, '$.updatedAt') < ? AND id NOT IN (SELECT id FROM c_run_details)`,
    )
    .all(Date.now() - settledMs)
    .map((row) => (row as { id: number }).id);

async function askFor({ url }: RivuletServer, id: number): Promise<void> {
  const answer = await fetch(`${url}/api/agent/runs/${id}`, { headers: { authorization: `Bearer ${growthKey}` } });
  if (!answer.ok) throw new Error(`run ${id}: ${answer.status}`);
  await answer.arrayBuffer();
}
