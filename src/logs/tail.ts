// Follows the log: what was kept before, from a number or some lines back, then each line as it is kept, on every node.
import type { Clock } from '../kernel/clock.ts';
import type { LogEntry, LogFilter } from './entry.ts';
import type { LogFinder } from './finder.ts';
import { idAt } from './ids.ts';
import type { LogKeeper } from './keeper.ts';
import type { LogMarks } from './marks.ts';

interface Deps {
  finder: LogFinder;
  keeper: Pick<LogKeeper, 'settledId' | 'onKept' | 'hurry'>;
  clock: Clock;
  /** What other nodes are storing; null where no other node writes to this log. */
  marks: Pick<LogMarks, 'lowest'> | null;
}

/** Milliseconds by which clocks of nodes may differ, and the interval of looking for lines of others. */
const othersMs = 3000;
const lookMs = 1000;

export interface LogTail {
  /** The highest number below which no further line comes. */
  settledId(): Promise<number>;
  /** Lines after a number, until `signal` aborts: those that are kept, then those to come. */
  follow(tenants: readonly number[], filter: LogFilter, after: number, signal: AbortSignal): AsyncGenerator<LogEntry>;
}

export function createLogTail({ finder, keeper, clock, marks }: Deps): LogTail {
  const alone = marks === null;
  const settledId = async () => {
    if (!marks) return keeper.settledId();
    // Before the marks are read: what gets a lower number later was marked by then, on this node as on the others.
    const passed = idAt(clock.now() - othersMs);
    return Math.min(passed, await marks.lowest());
  };

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
          const settled = await settledId();
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
