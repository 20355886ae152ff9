// How late the event loop comes to its timers.
import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * Sampling interval in ms. Each sample wakes the process: at 10 ms sampling was most of what an idle server did. A
 * stall shorter than the interval is counted in proportion to its length.
 */
export const loopLookMs = 100;

/** Starts sampling. */
export function createLoopLag() {
  const loop = monitorEventLoopDelay({ resolution: loopLookMs });
  loop.enable();
  return {
    /** 99th percentile of the delay, since the last `reset`. */
    p99Ms: () => Math.max(0, loop.percentile(99) / 1e6 - loopLookMs),
    reset: () => loop.reset(),
    close: () => void loop.disable(),
  };
}
