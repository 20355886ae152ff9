// Backlog of the background work: documents of all tenants that wait for their indexes.
import type { Collection } from '../ports/db.ts';
import { polled } from '../ports/polled.ts';
import type { Backlog } from './indexing.ts';
import type { Findable } from './kinds.ts';

/** Number of documents at each end that are checked for a model. */
const sampled = 100;

/** @param keyIds - keys that can decrypt: what waits with another one waits until its key is there again */
export function createBacklog<Doc extends Findable>(
  collection: Collection<Doc>,
  keyIds?: readonly string[],
): Backlog<Doc> {
  const readable = keyIds ? { sealedBy: { $in: [null, ...keyIds] } } : {};
  // Documents of every kind have these fields.
  const all = collection as unknown as Collection<Findable>;
  const as = (docs: Promise<Findable[]>) => docs as Promise<Doc[]>;
  return {
    pending: polled(collection, (limit) =>
      as(all.find({ pending: true, ...readable }, { sort: { _id: 1 }, limit }).toArray()),
    ),
    scan: (after, limit) => as(all.find({ _id: { $gt: after }, ...readable }, { sort: { _id: 1 }, limit }).toArray()),
    find: (tenantId, ids) => as(all.find({ _id: { $in: [...ids] }, tenantId }).toArray()),
    hasModel: async (model) => {
      const [oldest, newest] = await Promise.all(
        [1, -1].map((order) => all.find({}, { sort: { _id: order as 1 | -1 }, limit: sampled }).toArray()),
      );
      return [oldest, newest].some((docs) => docs?.some(({ embeddingModel }) => embeddingModel === model));
    },
    async settle({ _id, revision }, embeddingModel) {
      const { matchedCount } = await all.updateOne({ _id, revision }, { $set: { pending: false, embeddingModel } });
      return matchedCount > 0;
    },
    async reopen(docs) {
      const ids = docs.map(({ _id }) => _id);
      if (ids.length > 0)
        await all.updateMany(
          { _id: { $in: ids } },
          { $set: { pending: true, embeddingModel: null }, $inc: { revision: 1 } },
        );
    },
  };
}
