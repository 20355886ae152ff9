// The background work of entities: their indexes, and the end of those that nothing names any more.
import { openIndexing } from '../../memory/open-indexing.ts';
import type { PartBase } from '../part.ts';
import type { GraphBook } from './book.ts';
import { nodeKind, nodeRecord, unnamed } from './record.ts';

/** Milliseconds in which a text that an entity was found in is written beside it. */
const namedWithinMs = 10 * 60_000;
const some = 500;

export function createNodeIndexing(base: Pick<PartBase, 'db' | 'indexes' | 'clock'>, book: Pick<GraphBook, 'settle'>) {
  const { indexing, settling, repairing } = openIndexing(base, nodeKind, nodeRecord.spec, 'entities', {
    also: async (node) => {
      // A new one is named in a moment.
      if (node.revision > 1) await book.settle(node);
    },
  });

  /** Ends what a process has found and died before it was named anywhere. */
  async function sweep(after = 0): Promise<void> {
    const all = base.db.collection(nodeRecord.spec);
    const found = await all.find({ ...unnamed, _id: { $gt: after } }, { sort: { _id: 1 }, limit: some }).toArray();
    const before = base.clock.now() - namedWithinMs;
    for (const node of found) if (node.createdAt.getTime() < before) await book.settle(node);
    const last = found.at(-1);
    if (last && found.length === some) await sweep(last._id);
  }

  const work = async () => {
    await sweep();
    await indexing.repair();
  };
  return { indexing, settling, repairing: { ...repairing, work } };
}
