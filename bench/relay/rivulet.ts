// The whole server over the provider, as it is started for users: store, ledger, limits, log.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/config.ts';
import { createLogger } from '../../src/kernel/logger.ts';
import { startServer } from '../../src/server.ts';

const [provider, transport] = process.argv.slice(2);
const key = 'rvt_key-of-the-benchmark-0123456789012';
const folder = mkdtempSync(join(tmpdir(), 'rivulet-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const config = loadConfig({
  RIVULET_DATA: folder,
  RIVULET_PORT: '0',
  RIVULET_ADMIN_KEY: key,
  RIVULET_SANDBOX: 'off',
  RIVULET_TRANSPORT: transport,
  OPENAI_BASE_URL: `http://127.0.0.1:${provider}/v1`,
});
const { port } = await startServer({ config, log: createLogger({ level: 'warn', pretty: false }) });
process.on('disconnect', () => process.exit());
process.send?.({ port, key });
