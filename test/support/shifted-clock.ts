// A clock that runs as the machine's does, and that tests set forward by days: what is done every minute or more seldom is done then.
import { type Clock, systemClock } from '../../src/kernel/clock.ts';

export interface ShiftedClock extends Clock {
  /** Lets so many ms pass at once. */
  shift(ms: number): void;
}

/** Intervals in ms that tests need not wait for. */
const long = 60_000;

export function createShiftedClock(): ShiftedClock {
  let shifted = 0;
  const seldom = new Set<() => void>();
  return {
    ...systemClock,
    now: () => systemClock.now() + shifted,
    steady: () => systemClock.steady() + shifted,
    every(ms, run) {
      const stop = systemClock.every(ms, run);
      if (ms < long) return stop;
      seldom.add(run);
      return () => {
        seldom.delete(run);
        stop();
      };
    },
    shift(ms) {
      shifted += ms;
      for (const run of [...seldom]) run();
    },
  };
}
