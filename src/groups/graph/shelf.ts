// The graph as other parts write it: memories and facts are read for entities as they are settled.
import { createKeeper } from '../../ports/keeper.ts';
import type { PartBase } from '../part.ts';
import { createGraphBook } from './book.ts';
import { edgeRecord, mentionRecord, nameRecord, nodeRecord } from './record.ts';

export function graphOf(base: Pick<PartBase, 'db' | 'ids' | 'clock' | 'indexes'>) {
  const { db, ids, clock, indexes } = base;
  const nodes = createKeeper(nodeRecord, { db, ids, clock });
  const edges = createKeeper(edgeRecord, { db, ids, clock });
  const mentions = createKeeper(mentionRecord, { db, ids, clock });
  const own = { nodes, edges, mentions, names: createKeeper(nameRecord, { db, ids, clock }) };
  return { ...own, book: createGraphBook({ ...own, indexes, clock }) };
}
