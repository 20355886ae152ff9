// The contract of collections that get another name.
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { type CollectionName, defineCollection } from '../../../src/ports/db.ts';
import { renameCollection } from '../../../src/stores/rename.ts';
import { type Doc, ids, type Setting } from './setting.ts';

const nameOf = () => `c_${randomUUID().replaceAll('-', '')}` as CollectionName;
const specOf = (name: CollectionName) =>
  defineCollection<Doc>({ name, indexes: [{ keys: { a: 1 }, unique: true }, { keys: { b: -1 } }] });
const documents: Doc[] = Array.from({ length: 40 }, (_, at) => ({
  _id: at + 1,
  a: `a${at}`,
  b: at % 4,
  at: new Date(at),
}));

export function renameContract({ test, db }: Setting): void {
  test('rename: documents and indexes have the new name', async () => {
    const [from, to] = [nameOf(), nameOf()];
    await db().ensureIndexes([specOf(from)]);
    await db().collection<Doc>(from).insertMany(documents);
    await renameCollection(db(), from, to);
    await db().ensureIndexes([specOf(to)]);
    const renamed = db().collection<Doc>(to);
    expect(await renamed.find({}, { sort: { _id: 1 } }).toArray()).toEqual(documents);
    expect(ids(await renamed.find({ b: 3 }, { sort: { _id: 1 }, limit: 2 }).toArray())).toEqual([4, 8]);
    await expect(renamed.insertOne({ _id: 99, a: 'a7' })).rejects.toMatchObject({ code: 'DUPLICATE' });
    expect(await db().collection(from).countDocuments()).toBe(0);
  });

  test('rename: again, and of what was never there', async () => {
    const [from, to] = [nameOf(), nameOf()];
    await renameCollection(db(), from, to);
    await db().collection<Doc>(from).insertMany(documents);
    await renameCollection(db(), from, to);
    await renameCollection(db(), from, to);
    expect(await db().collection(to).countDocuments()).toBe(40);
  });

  test('rename: documents under both names come together, and those that have moved stay as they are', async () => {
    const [from, to] = [nameOf(), nameOf()];
    await db().collection<Doc>(from).insertMany(documents);
    await db()
      .collection<Doc>(to)
      .insertMany([{ _id: 1, a: 'moved' }]);
    expect(await db().renameCollection(from, to)).toBe(false);
    await renameCollection(db(), from, to);
    expect(await db().collection<Doc>(to).findOne({ _id: 1 })).toEqual({ _id: 1, a: 'moved' });
    expect(await db().collection(to).countDocuments()).toBe(40);
    expect(await db().collection(from).countDocuments()).toBe(0);
  });
}
