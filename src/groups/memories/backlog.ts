// What the background work needs of the documents, over all tenants.
import type { Backlog } from '../../memory/indexing.ts';
import type { Db } from '../../ports/db.ts';
import { type MemoryDoc, memoryRecord } from './record.ts';

export function createBacklog(db: Db): Backlog<MemoryDoc> {
  const all = db.collection(memoryRecord.spec);
  return {
    pending: (limit) => all.find({ pending: true }, { sort: { _id: 1 }, limit }).toArray(),
    scan: (after, limit) => all.find({ _id: { $gt: after } }, { sort: { _id: 1 }, limit }).toArray(),
    find: (tenantId, ids) => all.find({ _id: { $in: [...ids] }, tenantId }).toArray(),
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
