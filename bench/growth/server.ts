// The whole server in a process of its own, which says what it costs: CPU time, memory, and how long its loop stood still.
import { loadConfig } from '../../src/config.ts';
import { createLogger } from '../../src/kernel/logger.ts';
import { startServer } from '../../src/server.ts';
import { threadCpuMs } from '../../test/support/thread-cpu.ts';

/** Ms between two looks at the loop: each costs some CPU, so nobody looks while an idle server's CPU is measured. */
const resolution = 5;

/** The longest time between two looks, beyond the resolution: by the clock, and by the CPU time of the loop's own work. */
const longest = { stallMs: 0, workMs: 0 };
let looking: NodeJS.Timeout | undefined;
function look(): void {
  rest();
  Object.assign(longest, { stallMs: 0, workMs: 0 });
  let at = performance.now();
  let cpu = threadCpuMs();
  looking = setInterval(() => {
    const now = performance.now();
    const used = threadCpuMs();
    longest.stallMs = Math.max(longest.stallMs, now - at - resolution);
    longest.workMs = Math.max(longest.workMs, used - cpu);
    at = now;
    cpu = used;
  }, resolution);
}
function rest(): void {
  clearInterval(looking);
}

const config = loadConfig();
const log = createLogger({ level: config.logLevel, pretty: false });
const server = await startServer({ config, log });
process.on('disconnect', () => process.exit());
process.on('message', (message) => {
  if (message === 'watch') look();
  if (message === 'rest') rest();
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMicros: user + system, ...longest, rss: process.memoryUsage.rss() });
});
process.send?.({ url: server.url });
