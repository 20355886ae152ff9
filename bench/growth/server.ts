// The whole server in a process of its own, which says what it costs: CPU time, memory, and how long its loop stood still.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { loadConfig } from '../../src/config.ts';
import { createLogger } from '../../src/kernel/logger.ts';
import { startServer } from '../../src/server.ts';

/** Ms between two looks at the loop: each costs some CPU, so nobody looks while an idle server's CPU is measured. */
const resolution = 5;
const delay = monitorEventLoopDelay({ resolution });
const config = loadConfig();
const log = createLogger({ level: config.logLevel, pretty: false });
const server = await startServer({ config, log });
process.on('disconnect', () => process.exit());
process.on('message', (message) => {
  if (message === 'watch') {
    delay.enable();
    delay.reset();
  }
  if (message === 'rest') delay.disable();
  const { user, system } = process.cpuUsage();
  const stallMs = Math.max(0, delay.max / 1e6 - resolution);
  process.send?.({ cpuMicros: user + system, stallMs, rss: process.memoryUsage.rss() });
});
process.send?.({ url: server.url });
