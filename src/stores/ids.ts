// Hi-lo ids over any Db: a counter document allocates blocks, memory allocates the numbers of a block.
import type { Clock } from '../kernel/clock.ts';
import type { Db, Entity } from '../ports/db.ts';
import { defineCollection } from '../ports/db.ts';
import { isDuplicate } from '../ports/duplicate.ts';
import type { Ids } from '../ports/ids.ts';
import { onceScope } from '../ports/once.ts';

interface Counter extends Entity {
  _id: string;
  /** The first number not yet given to any process. */
  next: number;
}

export const countersCollection = defineCollection<Counter>({ name: 'counters' });

interface Block {
  next: number;
  end: number;
  /** Number at which the following block is requested. */
  early: number;
  /** Time by the steady clock at which it came; 0 where no other process draws. */
  takenAt: number;
}

interface Series {
  name: string;
  block: Block | null;
  /** The following block, once it is loaded. */
  following: Block | null;
  loading: Promise<void> | null;
  /** Size of the next block. */
  size: number;
  /** True while a caller waits for the following block. */
  late: boolean;
}

/**
 * Milliseconds for which numbers of a block are given where several processes draw from the store: what was made on one
 * node later than on another by more than that has the larger number, and lists by number are in the order of time.
 */
const freshMs = 1000;

/** Largest block: a series whose blocks arrive too late gets larger ones, up to this size. */
const largestBlock = 1024;

/**
 * Ids that take one write for every `blockSize` numbers or more, made before the last quarter of them is given, so that
 * nobody waits. A block is owned from the moment its write is durable, so a crash leaves a gap and never a repeat.
 *
 * @param options.shared - clock, given where other processes draw from the same store: blocks are then as large as what
 *   the last second asked for, so that numbers of different processes are in the order of time, and few are left out
 */
export function createIds({ db, blockSize = 64, shared }: { db: Db; blockSize?: number; shared?: Clock }): Ids {
  const smallest = shared ? 1 : blockSize;
  const now = () => shared?.steady() ?? 0;
  const counters = db.collection(countersCollection);
  const known = new Map<string, Series>();

  const seriesOf = (name: string): Series => {
    let series = known.get(name);
    if (!series) {
      series = { name, block: null, following: null, loading: null, size: smallest, late: false };
      known.set(name, series);
    }
    return series;
  };

  /** Loads the following block. */
  function load(series: Series): Promise<void> {
    series.loading ??= take(series).finally(() => {
      series.loading = null;
    });
    return series.loading;
  }

  const isFresh = (block: Block) => now() - block.takenAt < freshMs;

  async function take(series: Series): Promise<void> {
    if (series.block && !isFresh(series.block)) series.size = smallest;
    series.following = await takeBlock(series.name, series.size);
    if (series.late) series.size = Math.min(2 * series.size, largestBlock);
    series.late = false;
  }

  async function takeBlock(name: string, size: number): Promise<Block> {
    const end = await advance(name, size);
    return { next: end - size, end, early: end - Math.floor(size / 4), takenAt: now() };
  }

  async function advance(series: string, size: number): Promise<number> {
    const bump = () =>
      counters.findOneAndUpdate({ _id: series }, { $inc: { next: size } }, { returnDocument: 'after' });
    const known = await bump();
    if (known) return known.next;
    try {
      await counters.insertOne({ _id: series, next: 1 + size });
      return 1 + size;
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      return advance(series, size);
    }
  }

  async function draw(name: string, above: number): Promise<number> {
    const series = seriesOf(name);
    for (;;) {
      const { block, following } = series;
      if (block && block.next < block.end && block.next > above && isFresh(block)) {
        // A failure is ignored here: the next caller that needs the block loads it again.
        if (block.next === block.early) load(series).catch(() => {});
        return block.next++;
      }
      if (following) {
        series.block = following;
        series.following = null;
      } else {
        // What is left of a block that is old, or not above that number, stays unused.
        series.late = block !== null && block.next === block.end && isFresh(block);
        await load(series);
      }
    }
  }

  return {
    next(name, above = 0) {
      const scope = onceScope();
      return scope ? scope.id(name, () => draw(name, above)) : draw(name, above);
    },
  };
}
