// Deleting many documents a few at a time, so that nobody else waits for them.
import type { Collection, Entity, Filter } from '../ports/db.ts';

/** Documents of one write. */
const chunk = 100;

/** Deletes what matches, in bounded writes one after the other; returns how many went. */
export async function deleteInBatches<T extends Entity>(collection: Collection<T>, filter: Filter<T>): Promise<number> {
  for (let removed = 0; ; ) {
    const some = await collection
      .find(filter, { limit: chunk, projection: { _id: 1 } as never })
      .project<{ _id: T['_id'] }>({ _id: 1 } as never)
      .toArray();
    if (some.length === 0) return removed;
    const { deletedCount } = await collection.deleteMany({ _id: { $in: some.map(({ _id }) => _id) } } as Filter<T>);
    removed += deletedCount;
    if (some.length < chunk) return removed;
  }
}
