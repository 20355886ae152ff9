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

/**
 * Ids that take one write for every `blockSize` numbers. A block is owned from the moment its write is durable, so a
 * crash leaves a gap and never a repeat.
 */
export function createIds({ db, blockSize = 64 }: { db: Db; blockSize?: number }): Ids {
  const counters = db.collection(countersCollection);
  const blocks = new Map<string, { next: number; end: number }>();
  const loading = new Map<string, Promise<void>>();

  async function takeBlock(series: string): Promise<void> {
    const end = await advance(series);
    blocks.set(series, { next: end - blockSize, end });
  }

  async function advance(series: string): Promise<number> {
    const bump = () =>
      counters.findOneAndUpdate({ _id: series }, { $inc: { next: blockSize } }, { returnDocument: 'after' });
    const known = await bump();
    if (known) return known.next;
    try {
      await counters.insertOne({ _id: series, next: 1 + blockSize });
      return 1 + blockSize;
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      return (await bump())?.next ?? (await advance(series));
    }
  }

  return {
    async next(series) {
      for (;;) {
        const block = blocks.get(series);
        if (block && block.next < block.end) return block.next++;
        let load = loading.get(series);
        if (!load) {
          load = takeBlock(series).finally(() => loading.delete(series));
          loading.set(series, load);
        }
        await load;
      }
    },
  };
}
