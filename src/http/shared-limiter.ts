// Rate limits over several nodes: each node publishes what it has let through, and the others subtract it from their
// buckets.

import type { Clock } from '../kernel/clock.ts';
import type { RateLimiter } from './rate-limit.ts';

/** Requests that a node's limiter let through since its last message, by name. */
export interface LetThrough {
  limiter: string;
  counts: Record<string, number>;
}

interface Deps {
  name: string;
  limiter: RateLimiter;
  /** Null where there are no other nodes. */
  signals: { send(message: LetThrough): void; listen(handler: (message: LetThrough) => void): () => void } | null;
  clock: Clock;
  /** Counts below this between two messages are not published, so that a message names few. */
  floor: (name: string) => number;
}

const tellEveryMs = 200;

/** The limiter with what other nodes let through counted in, some tenths of a second later. */
export function shareLimiter({ name, limiter, signals, clock, floor }: Deps): { limiter: RateLimiter; stop(): void } {
  if (!signals) return { limiter, stop: () => {} };
  let taken = new Map<string, number>();
  const stopTelling = clock.every(tellEveryMs, () => {
    const counts = Object.fromEntries([...taken].filter(([key, count]) => count >= floor(key)));
    if (taken.size > 0) taken = new Map();
    if (Object.keys(counts).length > 0) signals.send({ limiter: name, counts });
  });
  const stopListening = signals.listen((told) => {
    if (told.limiter !== name) return;
    for (const [key, count] of Object.entries(told.counts)) limiter.owe(key, count);
  });
  return {
    limiter: {
      ...limiter,
      take: (key) => {
        limiter.take(key);
        taken.set(key, (taken.get(key) ?? 0) + 1);
      },
    },
    stop: () => {
      stopTelling();
      stopListening();
    },
  };
}
