// The background work of entities: their indexes, and the end of those that nothing names any more.
import { openIndexing } from '../../memory/open-indexing.ts';
import type { PartBase } from '../part.ts';
import type { GraphBook } from './book.ts';
import { nodeKind, nodeRecord, unnamed } from './record.ts';

/** Milliseconds in which a text that an entity was found in is written beside it. */
const namedWithinMs = 10 * 60_000;
const some = 500;

export function createNodeIndexing(base: Pick<PartBase, 'db' | 'indexes' | 'clock'>, book: Pick<GraphBook, 'settle'>) {
  const { indexing, settling } = openIndexing(base, nodeKind, nodeRecord.spec, 'entities', {
    also: async (node) => {
      // A new one is named in a moment.
      if (node.revision > 1) await book.settle(node);
    },
  });

  /** Ends what a process has found and died before it was named anywhere. */
  async function sweep(): Promise<void> {
    const createdAt = { $lt: new Date(base.clock.now() - namedWithinMs) };
    const all = base.db.collection(nodeRecord.spec);
    const found = await all.find({ ...unnamed, createdAt }, { sort: { createdAt: 1 }, limit: some }).toArray();
    for (const node of found) await book.settle(node);
    if (found.length === some) await sweep();
  }

  return {
    settling,
    indexing,
    repair: async () => {
      await sweep();
      await indexing.repair();
    },
  };
}
