// The whole server in a process of its own, which says what it holds after a collection.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { writeHeapSnapshot } from 'node:v8';
import { loadConfig } from '../../src/config.ts';
import { silentLogger } from '../../src/kernel/logger.ts';
import { startServer } from '../../src/server.ts';

/** Bytes, but for the counts. */
export interface Footprint {
  heap: number;
  /** What V8 holds for the heap, used or not. */
  committed: number;
  external: number;
  rss: number;
  disk: number;
  descriptors: number;
  /** CPU time of the process since its start, in milliseconds. */
  cpuMs: number;
}

/** What this process is asked: to measure, or to write a heap snapshot to a file. */
export type Question = { measure: true } | { snapshot: string };

const config = loadConfig();
const server = await startServer({ config, log: silentLogger });
const size = (name: string) => statSync(join(config.dataDir, name), { throwIfNoEntry: false })?.size ?? 0;

function measure(): Footprint {
  // Before the collection, whose cost is the measurement's own.
  const { user, system } = process.cpuUsage();
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, heapTotal, external, rss } = process.memoryUsage();
  return {
    heap: heapUsed,
    committed: heapTotal,
    external,
    rss,
    disk: size('rivulet.db') + size('rivulet.db-wal'),
    descriptors: readdirSync('/proc/self/fd').length,
    cpuMs: (user + system) / 1000,
  };
}

process.on('message', (question: Question) => {
  if ('snapshot' in question) process.send?.(writeHeapSnapshot(question.snapshot));
  else process.send?.(measure());
});
process.on('disconnect', () => {
  setTimeout(() => process.exit(1), 5000).unref();
  void server.close().finally(() => process.exit(0));
});
process.send?.({ url: server.url });
