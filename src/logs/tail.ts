// Follows the log: what was kept before, from a number or some lines back, then each line as it is kept, on every node.
import type { Clock } from '../kernel/clock.ts';
import type { LogEntry, LogFilter } from './entry.ts';
import type { LogFinder } from './finder.ts';
import { idAt } from './ids.ts';
import type { LogKeeper } from './keeper.ts';

interface Deps {
  finder: LogFinder;
  keeper: Pick<LogKeeper, 'settledId' | 'onKept' | 'hurry'>;
  clock: Clock;
  /** No other node writes to this log. */
  alone: boolean;
}

/** Milliseconds after which lines of all nodes are stored, whichever is slow, and the interval of looking for them. */
const othersMs = 3000;
const lookMs = 1000;

export interface LogTail {
  /** The highest number below which no further line comes. */
  settledId(): number;
  /** Lines after a number, until `signal` aborts: those that are kept, then those to come. */
  follow(tenants: readonly number[], filter: LogFilter, after: number, signal: AbortSignal): AsyncGenerator<LogEntry>;
}

export function createLogTail({ finder, keeper, clock, alone }: Deps): LogTail {
  const settledId = () => (alone ? keeper.settledId() : Math.min(keeper.settledId(), idAt(clock.now() - othersMs)));

  /** Resolves when there may be more. */
  const more = (signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const stops = [clock.after(alone ? 60_000 : lookMs, () => done())];
      if (alone) stops.push(keeper.onKept(() => done()));
      const done = () => {
        for (const stop of stops) stop();
        signal.removeEventListener('abort', done);
        resolve();
      };
      signal.addEventListener('abort', done, { once: true });
    });

  return {
    settledId,
    async *follow(tenants, filter, after, signal) {
      const calm = keeper.hurry();
      try {
        let cursor = after;
        while (!signal.aborted) {
          const settled = settledId();
          if (settled > cursor) {
            const range = { order: 'oldest', after: cursor, before: settled + 1 } as const;
            for await (const entry of finder.lines(tenants, filter, range)) {
              if (signal.aborted) return;
              yield entry;
            }
            cursor = settled;
          } else await more(signal);
        }
      } finally {
        calm();
      }
    },
  };
}
