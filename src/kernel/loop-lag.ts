// How late the event loop comes to its timers.
import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * Milliseconds between two looks. Each look wakes the process: at 10 ms they were most of what an idle server did. A stall
 * that is shorter is seen in proportion to its length.
 */
export const loopLookMs = 100;

/** Looks from now on. */
export function createLoopLag() {
  const loop = monitorEventLoopDelay({ resolution: loopLookMs });
  loop.enable();
  return {
    /** What 99 of 100 looks were late at most, since the last `reset`. */
    p99Ms: () => Math.max(0, loop.percentile(99) / 1e6 - loopLookMs),
    reset: () => loop.reset(),
    close: () => void loop.disable(),
  };
}
