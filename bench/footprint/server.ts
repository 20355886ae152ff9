// The whole server in a process of its own, which says what its heap holds after a collection.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../src/config.ts';
import { silentLogger } from '../../src/kernel/logger.ts';
import { startServer } from '../../src/server.ts';

export interface Footprint {
  heapBytes: number;
  rssBytes: number;
  diskBytes: number;
}

const config = loadConfig();
const server = await startServer({ config, log: silentLogger });
const size = (name: string) => statSync(join(config.dataDir, name), { throwIfNoEntry: false })?.size ?? 0;
process.on('message', () => {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  const found: Footprint = {
    heapBytes: heapUsed,
    rssBytes: rss,
    diskBytes: size('rivulet.db') + size('rivulet.db-wal'),
  };
  process.send?.(found);
});
process.on('disconnect', () => {
  setTimeout(() => process.exit(1), 5000).unref();
  void server.close().finally(() => process.exit(0));
});
process.send?.({ url: server.url });
