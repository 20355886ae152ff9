// What the background work needs of the documents, over all tenants.
import type { Collection } from '../ports/db.ts';
import type { Backlog } from './indexing.ts';
import type { Findable } from './kinds.ts';

export function createBacklog<Doc extends Findable>(collection: Collection<Doc>): Backlog<Doc> {
  // Every kind has these fields, whatever else is in its documents.
  const all = collection as unknown as Collection<Findable>;
  const as = (docs: Promise<Findable[]>) => docs as Promise<Doc[]>;
  return {
    pending: (limit) => as(all.find({ pending: true }, { sort: { _id: 1 }, limit }).toArray()),
    scan: (after, limit) => as(all.find({ _id: { $gt: after } }, { sort: { _id: 1 }, limit }).toArray()),
    find: (tenantId, ids) => as(all.find({ _id: { $in: [...ids] }, tenantId }).toArray()),
    hasModel: async (embeddingModel) => (await all.findOne({ embeddingModel }, { projection: { _id: 1 } })) !== null,
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
