// Buckets of time in UTC.
import { setImmediate } from 'node:timers/promises';
import type { TimeBucket } from '../contract/enums.ts';

const lengths = { Minute: 60_000, Hour: 3_600_000, Day: 86_400_000, Week: 7 * 86_400_000 } as const;
/** 1970-01-01 was a Thursday; weeks begin on Monday (ISO 8601). */
const firstMonday = 4 * lengths.Day;

/** Start of the bucket that holds a time; both in ms since 1970 UTC. */
export function bucketStart(bucket: TimeBucket, at: number): number {
  if (bucket === 'Month') {
    const date = new Date(at);
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
  }
  const offset = bucket === 'Week' ? firstMonday : 0;
  return Math.floor((at - offset) / lengths[bucket]) * lengths[bucket] + offset;
}

/** Start of the bucket `count` later, or earlier when negative. */
export function laterBucket(bucket: TimeBucket, start: number, count = 1): number {
  if (bucket !== 'Month') return start + count * lengths[bucket];
  const date = new Date(start);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count);
}

/** Starts of all buckets that touch `from` (inclusive) to `to` (exclusive), at most `limit`. */
export function bucketsBetween(bucket: TimeBucket, from: number, to: number, limit: number): number[] {
  const starts: number[] = [];
  for (let start = bucketStart(bucket, from); start < to && starts.length < limit; start = laterBucket(bucket, start))
    starts.push(start);
  return starts;
}

/** A range of time, ms since 1970 UTC: from (inclusive) to (exclusive). */
interface Range {
  from: number;
  to: number;
}

/** Buckets that are asked for at once. */
const inParallel = 8;

/** What is found in each bucket, in their order; a bucket at an end of the range is asked for its part of it. */
export async function* findInBuckets<Found>(
  bucket: TimeBucket,
  starts: readonly number[],
  { from, to }: Range,
  find: (start: number, part: Range) => Promise<readonly Found[]>,
): AsyncIterable<Found> {
  const ask = (start: number) =>
    find(start, { from: Math.max(start, from), to: Math.min(laterBucket(bucket, start), to) });
  for (let at = 0; at < starts.length; at += inParallel) {
    for (const found of await Promise.all(starts.slice(at, at + inParallel).map(ask))) yield* found;
    // Others have the event loop meanwhile.
    await setImmediate();
  }
}
