// Sums of recorded calls, added up in the store: by what they have in common, by buckets of time, and by how long they took.
import type { TimeBucket } from '../../../contract/enums.ts';
import { type CallDoc, latencyStep } from '../../../ports/ai-router.ts';
import type { Collection, Filter } from '../../../ports/db.ts';
import { bucketStart, bucketsBetween, findInBuckets } from '../../buckets.ts';
import type { CallClass, CallSums } from './tally.ts';

type Calls = Collection<CallDoc>;

/** Calls of one class; only the fields that were asked for are there. */
export interface ClassSums extends CallSums {
  _id: CallClass;
  /** Start of the bucket of time, ms since 1970 UTC. */
  at: number;
}

export interface Window {
  from: Date;
  to: Date;
}

/** More buckets than this are not asked for one by one: calls are read in their order, some at a time. */
const mostAsked = 1000;
/** In an order that is there, calls are read a few at a time, and others have the event loop meanwhile. */
const inTime = { sort: { createdAt: 1, _id: 1 } } as const;

const inWindow = (filter: Filter<CallDoc>, { from, to }: Window): Filter<CallDoc> => ({
  ...filter,
  createdAt: { $gte: from, $lt: to },
});

/** Sums of the calls of a window for each combination of some fields, and of their status. */
export async function sumCalls(
  calls: Calls,
  filter: Filter<CallDoc>,
  window: Window,
  fields: readonly (keyof CallClass)[],
): Promise<ClassSums[]> {
  const by = [...new Set<keyof CallClass>(['status', ...fields])];
  const found = await calls
    .aggregate<Omit<ClassSums, 'at'>>([
      { $match: { ...inWindow(filter, window) } },
      {
        $group: {
          _id: Object.fromEntries(by.map((name) => [name, `$${name}`])),
          calls: { $count: {} },
          promptTokens: { $sum: '$promptTokens' },
          completionTokens: { $sum: '$completionTokens' },
          cacheReadTokens: { $sum: '$cacheReadTokens' },
          costUsd: { $sum: '$costUsd' },
          latencyMs: { $sum: '$latencyMs' },
          timeToFirstTokenMs: { $sum: '$timeToFirstTokenMs' },
          fallbacks: { $sum: '$fallbacks' },
          firstTokens: { $sum: '$firstTokens' },
        },
      },
    ])
    .toArray();
  return found.map((one) => ({ ...one, at: window.from.getTime() }));
}

/** The same for each bucket of a window. */
export async function* sumBuckets(
  calls: Calls,
  filter: Filter<CallDoc>,
  window: Window,
  { bucket, fields }: { bucket: TimeBucket; fields: readonly (keyof CallClass)[] },
): AsyncIterable<ClassSums> {
  const range = { from: window.from.getTime(), to: window.to.getTime() };
  const starts = bucketsBetween(bucket, range.from, range.to, mostAsked + 1);
  if (starts.length > mostAsked) {
    for await (const call of calls.find(inWindow(filter, window), inTime))
      yield { ...call, _id: call, calls: 1, at: bucketStart(bucket, call.createdAt.getTime()) };
    return;
  }
  const sum = async (start: number, part: { from: number; to: number }) => {
    const within = { from: new Date(part.from), to: new Date(part.to) };
    return (await sumCalls(calls, filter, within, fields)).map((one) => ({ ...one, at: start }));
  };
  yield* findInBuckets(bucket, starts, range, sum);
}

/** What the store counts latencies by. */
const counted: readonly string[] = ['modelId', 'providerId', 'purpose'];

/** The latency that a share of the calls of a window does not exceed, in ms; 0 without calls. */
export async function latencyOf(calls: Calls, filter: Filter<CallDoc>, window: Window, share: number): Promise<number> {
  const within = inWindow(filter, window);
  if (!Object.keys(filter).every((path) => counted.includes(path))) {
    const latencies: number[] = [];
    for await (const { latencyMs } of calls.find(within, inTime)) latencies.push(latencyMs);
    latencies.sort((a, b) => a - b);
    return latencies[placeOf(latencies.length, share)] ?? 0;
  }
  const classes = await calls
    .aggregate<{ _id: { floor: number }; calls: number }>([
      { $match: { ...within } },
      { $group: { _id: { floor: '$latencyFloor' }, calls: { $count: {} } } },
    ])
    .toArray();
  classes.sort((a, b) => a._id.floor - b._id.floor);
  const all = classes.reduce((sum, one) => sum + one.calls, 0);
  let place = placeOf(all, share);
  for (const { _id, calls: some } of classes) {
    if (place >= some) {
      place -= some;
      continue;
    }
    const latencyMs = { $gte: _id.floor, $lt: _id.floor + latencyStep(_id.floor) };
    // From the end that is nearer: what is skipped is walked.
    const [direction, skip] = place * 2 < some ? ([1, place] as const) : ([-1, some - 1 - place] as const);
    const [found] = await calls
      .find({ ...within, latencyMs }, { sort: { latencyMs: direction, createdAt: direction }, skip, limit: 1 })
      .toArray();
    return found?.latencyMs ?? _id.floor;
  }
  return 0;
}

const placeOf = (count: number, share: number) => Math.max(0, Math.ceil(count * share) - 1);
