// Token buckets by name: so many requests at once, refilled steadily.
import { addressBlock } from '../kernel/addresses.ts';
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import { createLru } from '../kernel/lru.ts';

export interface RateLimit {
  /** Requests a second in the long run. */
  perSecond: number;
  /** Requests at once. */
  burst: number;
}

export interface RateLimiter {
  /** @throws Fault RATE_LIMITED with the seconds to wait */
  take(name: string): void;
  /** Like `take`, without counting. */
  check(name: string): void;
  /** Counts what was let through elsewhere, down to a debt of one burst. */
  owe(name: string, count: number): void;
}

interface Options {
  /** The same for all names, or of each, asked for anew at each request. */
  limit: RateLimit | ((name: string) => RateLimit);
  clock: Clock;
  names?: number;
  /** What is said to who asks too often; only `retryAfterSeconds` is added to it. */
  refusal?: (name: string, retryAfterSeconds: number) => { message: string; hint: string };
}

const tooMany: NonNullable<Options['refusal']> = (_, seconds) => ({
  message: 'Too many requests.',
  hint: `Try again in ${seconds} s.`,
});

/** The same for addresses: those that are all one client's count as one. */
export const byAddress = ({ take, check, owe }: RateLimiter): RateLimiter => ({
  take: (address) => take(addressBlock(address)),
  check: (address) => check(addressBlock(address)),
  owe: (address, count) => owe(addressBlock(address), count),
});

/** Keeps the buckets of the most recent `names`; forgotten ones start full. */
export function createRateLimiter({ limit, clock, names = 10_000, refusal = tooMany }: Options): RateLimiter {
  const limitOf = typeof limit === 'function' ? limit : () => limit;
  // A bucket holds what was taken and not earned back, so that a raised limit acts at once.
  const buckets = createLru<string, { taken: number; at: number }>(names);
  const bucketOf = (name: string, { perSecond, burst }: RateLimit) => {
    const now = clock.steady();
    let bucket = buckets.get(name);
    if (!bucket) {
      bucket = { taken: 0, at: now };
      buckets.set(name, bucket);
    }
    const earned = ((now - bucket.at) / 1000) * perSecond;
    bucket.taken = Math.max(0, Math.min(2 * burst, bucket.taken) - earned);
    bucket.at = now;
    return bucket;
  };
  const filled = (name: string) => {
    const limits = limitOf(name);
    const bucket = bucketOf(name, limits);
    const lacking = bucket.taken + 1 - limits.burst;
    if (lacking <= 0) return bucket;
    const retryAfterSeconds = Math.ceil(lacking / limits.perSecond);
    const { message, hint } = refusal(name, retryAfterSeconds);
    throw new Fault('RATE_LIMITED', message, { hint, retryAfterSeconds });
  };
  return {
    take: (name) => {
      filled(name).taken += 1;
    },
    check: (name) => {
      if (buckets.has(name)) filled(name);
    },
    owe: (name, count) => {
      const limits = limitOf(name);
      const bucket = bucketOf(name, limits);
      bucket.taken = Math.min(2 * limits.burst, bucket.taken + count);
    },
  };
}
