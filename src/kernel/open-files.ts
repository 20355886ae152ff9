// File descriptors of this process: connections leave some for the store, for calls and for commands.
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { Clock } from './clock.ts';
import type { Logger } from './logger.ts';
import { tellRepeated } from './repeated.ts';

/** Descriptors that connections leave, and the share of all that they leave where those are few. */
const reserve = { most: 256, share: 0.25 };
/** From this share of what connections may take, descriptors are counted anew, so often. */
const counting = { from: 0.75, everyMs: 250 };

export interface OpenFiles {
  /** How many the system lets this process have; null where nobody knows. */
  readonly limit: number | null;
  /** How many there are. Rejects with EMFILE where none is left to look. */
  count(): Promise<number>;
}

/** File descriptors by the system: Linux tells both, others let the process run into the limit. */
export function systemOpenFiles(): OpenFiles {
  return { limit: limitOf(), count: async () => (await readdir('/proc/self/fd')).length - 1 };
}

function limitOf(): number | null {
  try {
    // The first number is the soft limit, which Node has raised to the hard one.
    const said = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return said === undefined ? null : Number(said);
  } catch {
    return null;
  }
}

export interface Admission {
  /** Takes note of a connection that was opened, and tells whether it may stay; its end is told in any case. */
  opened(): boolean;
  closed(): void;
}

/**
 * Tells of each new connection whether it may stay. The number of descriptors is that of the last count, with what was
 * opened and closed since. Of WebSocket connections uWebSockets.js does not tell the end: too high a number is put right
 * by the next count.
 */
export function admitConnections(
  { limit, count }: OpenFiles,
  { clock, log }: { clock: Pick<Clock, 'after'>; log: Pick<Logger, 'warn' | 'info'> },
): Admission {
  if (limit === null) return { opened: () => true, closed: () => undefined };
  const most = limit - Math.ceil(Math.min(reserve.most, limit * reserve.share));
  const tell = tellRepeated(clock);
  let known = 0;
  let since = 0;
  let isCounting = false;

  const look = async (): Promise<void> => {
    isCounting = true;
    const before = since;
    known = await count().catch(() => limit);
    since -= before;
    clock.after(counting.everyMs, () => {
      isCounting = known + since >= most * counting.from;
      if (isCounting) void look();
    });
  };
  void look();

  return {
    opened: () => {
      since++;
      if (!isCounting && known + since >= most * counting.from) void look();
      if (known + since <= most) return true;
      const said =
        'connections are refused: the file descriptors of this process are used up; raise its limit (ulimit -n)';
      tell({
        key: 'connections',
        tell: () => log.warn({ limit }, said),
        tellAgain: (leftOut) => log.warn({ limit, leftOut }, said),
        tellOver: (leftOut) => log.info({ leftOut }, 'over: connections are refused'),
      });
      return false;
    },
    closed: () => void since--,
  };
}
