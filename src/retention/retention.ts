// Deletes what is older than the operator wants to keep: one node at a time, in bounded steps, then gives the space back.
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Db } from '../ports/db.ts';
import type { RetentionRule } from '../ports/retention.ts';
import type { BelievedTime } from './believed-time.ts';
import { asOnlyNode } from './duty.ts';

interface Deps {
  db: Db;
  clock: Clock;
  /** The time by which ages are counted. */
  believedTime: BelievedTime;
  log: Logger;
  nodeId: string;
  /** Asked for at each round, since operators change what is kept. */
  rules: () => readonly RetentionRule[];
}

export interface Retention {
  /** One round now; how many things of each kind went, or null while another node is at it. */
  run(): Promise<Record<string, number> | null>;
  close(): Promise<void>;
}

const everyMs = 3_600_000;
/** Milliseconds between two steps, in which others have the store to themselves. */
const restMs = 20;

/** Prunes now and then every hour. */
export function createRetention({ db, clock, believedTime, log, nodeId, rules }: Deps): Retention {
  const stopping = new AbortController();
  let rounds: Promise<unknown> = Promise.resolve();

  async function prune(
    { name, keptMs, prune }: RetentionRule,
    now: number,
    holds: () => Promise<boolean>,
  ): Promise<number> {
    let removed = 0;
    if (keptMs === null) return removed;
    for await (const count of prune(now - keptMs)) {
      removed += count;
      if (stopping.signal.aborted || !(await holds())) break;
      if (count > 0) await clock.sleep(restMs, stopping.signal).catch(() => undefined);
    }
    if (removed > 0) log.info({ kind: name, removed }, 'what is older than its retention was deleted');
    return removed;
  }

  async function round(): Promise<Record<string, number> | null> {
    const removed: Record<string, number> = {};
    const done = await asOnlyNode({ db, clock, owner: nodeId }, 'retention', async (holds) => {
      const now = await believedTime();
      for (const rule of rules()) {
        if (stopping.signal.aborted) return;
        try {
          removed[rule.name] = await prune(rule, now, holds);
        } catch (error) {
          // One kind that fails is no reason to keep the others.
          log.error({ err: error, kind: rule.name }, 'old things could not be deleted; it is tried again in an hour');
        }
      }
    });
    if (!done) return null;
    await db.reclaim?.(stopping.signal);
    await db.scrub?.();
    return removed;
  }

  const run = () => {
    const next = rounds.then(round);
    rounds = next.catch((error: unknown) => log.error({ err: error }, 'a round of retention failed'));
    return next;
  };
  const scheduled = () => void run().catch(() => undefined);
  const stop = clock.every(everyMs, scheduled);
  scheduled();
  return {
    run,
    async close() {
      stop();
      stopping.abort();
      await rounds;
    },
  };
}
