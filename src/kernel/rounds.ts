// Background work that is done again and again: not twice at once, logged when it fails, awaited at the end.
import type { Clock } from './clock.ts';
import type { Logger } from './logger.ts';

export interface Round {
  /** What it goes through, as a failure is logged: `a round through <name> failed`. */
  name: string;
  everyMs: number;
  /**
   * Resolves to `finished` when there will be nothing to do any more: the round ends then. Work that takes long, and loses
   * nothing when it is cut, looks at the signal, which is aborted when the rounds are closed.
   */
  work(signal: AbortSignal): Promise<unknown>;
}

export const finished = Symbol('finished');

export interface Rounds {
  start(round: Round): void;
  /** Starts no further round, and resolves when those under way have ended or their time limit has passed. */
  close(): Promise<void>;
}

/** Milliseconds that work under way gets at shutdown. */
const graceMs = 5000;

/**
 * Makes work that is never under way twice: who asks while it is gets it done once more, and waits for that.
 *
 * @example const look = inTurn(async () => {}); await look();
 */
export function inTurn(work: () => Promise<void>): () => Promise<void> {
  let working: Promise<void> | null = null;
  let again = false;
  const workNow = async (): Promise<void> => {
    do {
      again = false;
      await work();
    } while (again);
  };
  return () => {
    again = true;
    working ??= workNow().finally(() => {
      working = null;
    });
    return working;
  };
}

/** @example const rounds = createRounds({ clock, log }); rounds.start({ name: 'the chats', everyMs: 30_000, work: repair }); */
export function createRounds({ clock, log }: { clock: Clock; log: Pick<Logger, 'error'> }): Rounds {
  const stops: (() => void)[] = [];
  const running = new Map<Round, Promise<void>>();
  const closing = new AbortController();
  const run = async (round: Round, stop: () => void): Promise<void> => {
    try {
      if ((await round.work(closing.signal)) === finished) stop();
    } catch (error) {
      log.error({ err: error }, `a round through ${round.name} failed`);
    } finally {
      running.delete(round);
    }
  };
  return {
    start(round) {
      const once = () => {
        if (!running.has(round))
          running.set(
            round,
            Promise.resolve().then(() => run(round, stop)),
          );
      };
      const stop = clock.every(round.everyMs, once);
      stops.push(stop);
    },
    async close() {
      for (const stop of stops.splice(0)) stop();
      closing.abort();
      const abort = new AbortController();
      const patience = clock.sleep(graceMs, abort.signal).catch(() => {});
      await Promise.race([Promise.all(running.values()), patience]);
      abort.abort();
    },
  };
}
