import { expect, it } from 'vitest';
import { openTestDb } from '../../test/support/embedded-db.ts';
import type { Collection, Db, Entity } from '../ports/db.ts';
import { renameCollection } from './rename.ts';

interface Numbered extends Entity {
  _id: number;
  text: string;
}

/** A store that renames nothing, and whose process dies after some writes. */
function lacking(db: Db, writes: number): Db {
  const dies = <A extends unknown[], R>(write: (...given: A) => Promise<R>) => {
    return async (...given: A) => {
      if (writes-- <= 0) throw new Error('killed');
      return write(...given);
    };
  };
  return {
    ...db,
    renameCollection: async () => false,
    collection: <T extends Entity>(source: Parameters<Db['collection']>[0]) => {
      const inner = db.collection<T>(source as string);
      return { ...inner, updateOne: dies(inner.updateOne), deleteMany: dies(inner.deleteMany) } as Collection<T>;
    },
  };
}

it('moves every document once where the server can not rename, whenever it is killed', async () => {
  const db = openTestDb();
  const documents = Array.from({ length: 1200 }, (_, at) => ({ _id: at + 1, text: `document ${at}` }));
  await db.collection<Numbered>('oldName').insertMany(documents);
  for (const writes of [3, 400, 500, 900, 1])
    await expect(renameCollection(lacking(db, writes), 'oldName', 'new_name')).rejects.toThrow('killed');
  await renameCollection(lacking(db, Number.POSITIVE_INFINITY), 'oldName', 'new_name');
  expect(
    await db
      .collection<Numbered>('new_name')
      .find({}, { sort: { _id: 1 } })
      .toArray(),
  ).toEqual(documents);
  expect(await db.collection('oldName').countDocuments()).toBe(0);
});
