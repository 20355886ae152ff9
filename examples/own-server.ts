// A server for an example: in this process, on a folder of its own, with scripted answers instead of a language model.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '../src/client/index.ts';
import { loadConfig } from '../src/config.ts';
import { silentLogger } from '../src/kernel/logger.ts';
import { startServer } from '../src/server.ts';

/** Starts a server that finds its scenarios in `scenarios`, does the work with a client of it, and removes both. */
export async function withServer(
  scenarios: string,
  work: (client: Client, access: { url: string; key: string }) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'rivulet-example-'));
  const key = `rvt_${randomBytes(24).toString('base64url')}`;
  const config = loadConfig({
    RIVULET_DATA: folder,
    RIVULET_PORT: '0',
    RIVULET_ADMIN_KEY: key,
    RIVULET_SANDBOX: 'off',
    RIVULET_SCENARIOS: scenarios,
  });
  const server = await startServer({ config, log: silentLogger });
  try {
    await work(createClient({ baseUrl: server.url, token: key }), { url: server.url, key });
  } finally {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}
