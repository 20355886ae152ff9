// Hi-lo ids over any Db: a counter document gives blocks, memory gives the numbers of a block.
import type { Db, Entity } from '../ports/db.ts';
import { defineCollection } from '../ports/db.ts';
import type { Ids } from '../ports/ids.ts';
import { isDuplicate } from './duplicate.ts';

interface Counter extends Entity {
  _id: string;
  /** The first number not yet given to any process. */
  next: number;
}

export const countersCollection = defineCollection<Counter>({ name: 'counters' });

interface Block {
  next: number;
  end: number;
  /** The number at which the following block is asked for. */
  early: number;
}

/** A series whose blocks come too late gets larger ones, up to this. */
const largestBlock = 1024;

/**
 * Ids that take one write for every `blockSize` numbers or more, made before the last quarter of them is given, so that
 * nobody waits. A block is owned from the moment its write is durable, so a crash leaves a gap and never a repeat.
 */
export function createIds({ db, blockSize = 64 }: { db: Db; blockSize?: number }): Ids {
  const counters = db.collection(countersCollection);
  const blocks = new Map<string, Block>();
  const spare = new Map<string, Block>();
  const loading = new Map<string, Promise<void>>();
  const sizes = new Map<string, number>();
  /** Series of which somebody waits for the following block. */
  const late = new Set<string>();

  /** Puts the series' following block beside its present one. */
  function load(series: string): Promise<void> {
    let underway = loading.get(series);
    if (!underway) {
      const take = async () => {
        const size = sizes.get(series) ?? blockSize;
        spare.set(series, await takeBlock(series, size));
        if (late.delete(series)) sizes.set(series, Math.min(2 * size, largestBlock));
      };
      underway = take().finally(() => loading.delete(series));
      loading.set(series, underway);
    }
    return underway;
  }

  async function takeBlock(series: string, size: number): Promise<Block> {
    const end = await advance(series, size);
    return { next: end - size, end, early: end - Math.floor(size / 4) };
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

  return {
    async next(series) {
      for (;;) {
        const block = blocks.get(series);
        if (block && block.next < block.end) {
          // If it fails, whoever needs the block asks for it again.
          if (block.next === block.early) load(series).catch(() => {});
          return block.next++;
        }
        const following = spare.get(series);
        if (following) {
          spare.delete(series);
          blocks.set(series, following);
        } else {
          if (block) late.add(series);
          await load(series);
        }
      }
    },
  };
}
