// The whole server in a process of its own, which says what it costs: CPU time, memory, and how long its loop stood still.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { loadConfig } from '../../src/config.ts';
import { silentLogger } from '../../src/kernel/logger.ts';
import { startServer } from '../../src/server.ts';

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
const server = await startServer({ config: loadConfig(), log: silentLogger });
process.on('disconnect', () => process.exit());
process.on('message', (message) => {
  if (message === 'reset') delay.reset();
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMicros: user + system, stallMs: delay.max / 1e6, rss: process.memoryUsage.rss() });
});
process.send?.({ url: server.url, startedMs: performance.now() });
