// Renames collections, also where the server has no rename, or where a crash left documents under both names.
import type { Db } from '../ports/db.ts';

/** Documents that one step moves. */
const chunk = 500;

/** Renames a collection. Safe to run again after a crash: moved documents are left as they are. */
export async function renameCollection(db: Db, from: string, to: string): Promise<void> {
  if (await db.renameCollection(from, to)) return;
  const [old, renamed] = [db.collection(from), db.collection(to)];
  for (;;) {
    const some = await old.find({}, { sort: { _id: 1 }, limit: chunk }).toArray();
    await Promise.all(
      some.map(({ _id, ...fields }) => renamed.updateOne({ _id }, { $setOnInsert: fields }, { upsert: true })),
    );
    await old.deleteMany({ _id: { $in: some.map(({ _id }) => _id) } });
    if (some.length < chunk) return;
  }
}
