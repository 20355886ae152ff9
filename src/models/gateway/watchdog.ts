// Ends a call that stays silent: one timer for the whole call, looked at only while somebody waits for the provider.
import type { Clock } from '../../kernel/clock.ts';

export interface Watchdog {
  /** The provider is being waited for, with this much patience. */
  wait(limitMs: number): void;
  /** Something arrived; the consumer's own time does not count. */
  rest(): void;
  stop(): void;
}

/** Calls `expire` once when one wait lasts longer than its limit. */
export function createWatchdog(clock: Clock, expire: (limitMs: number) => void): Watchdog {
  let limit = 0;
  let since: number | null = null;
  let cancel: (() => void) | null = null;
  const check = () => {
    cancel = null;
    if (since === null) return;
    const left = since + limit - clock.steady();
    if (left <= 0) expire(limit);
    else cancel = clock.after(left, check);
  };
  return {
    wait(limitMs) {
      // A running timer is not reset: when it fires it compares the deadline and starts again.
      const sooner = limitMs < limit;
      limit = limitMs;
      since = clock.steady();
      if (cancel && !sooner) return;
      cancel?.();
      cancel = clock.after(limitMs, check);
    },
    rest() {
      since = null;
    },
    stop() {
      since = null;
      cancel?.();
      cancel = null;
    },
  };
}
