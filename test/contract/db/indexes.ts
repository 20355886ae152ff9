// Indexes: uniqueness in all its forms, indexes made late, declared indexes, races on one document.
import { describe, expect } from 'vitest';
import { type CollectionName, defineCollection } from '../../../src/ports/db.ts';
import { createIds } from '../../../src/stores/ids.ts';
import { type Doc, ids, type Setting } from './setting.ts';

const settled = async (promises: Promise<unknown>[]) => {
  const results = await Promise.allSettled(promises);
  return {
    fulfilled: results.filter((one) => one.status === 'fulfilled').length,
    codes: results.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : [])),
  };
};

export function indexContract(setting: Setting): void {
  describe('indexes', () => {
    uniqueContract(setting);
    declaredContract(setting);
    raceContract(setting);
  });
}

function uniqueContract({ test, fresh }: Setting): void {
  test('unique: one _id, once', async () => {
    const collection = await fresh([{ _id: 1 }]);
    await expect(collection.insertOne({ _id: 1 })).rejects.toMatchObject({ code: 'DUPLICATE' });
    await expect(collection.insertMany([{ _id: 2 }, { _id: 1 }])).rejects.toMatchObject({ code: 'DUPLICATE' });
    expect(await collection.countDocuments({ _id: 1 })).toBe(1);
  });

  test('unique: insertion and change', async () => {
    const collection = await fresh([
      { _id: 1, email: 'a' },
      { _id: 2, email: 'b' },
    ]);
    await collection.createIndex({ email: 1 }, { unique: true });
    await expect(collection.insertOne({ _id: 3, email: 'a' })).rejects.toMatchObject({ code: 'DUPLICATE' });
    const change = { $set: { email: 'a' } };
    await expect(collection.updateOne({ _id: 2 }, change)).rejects.toMatchObject({ code: 'DUPLICATE' });
    await expect(collection.findOneAndUpdate({ _id: 2 }, change)).rejects.toMatchObject({ code: 'DUPLICATE' });
    await expect(collection.updateOne({ _id: 9 }, change, { upsert: true })).rejects.toMatchObject({
      code: 'DUPLICATE',
    });
    await collection.updateOne({ _id: 1 }, { $set: { email: 'c' } });
    await collection.updateOne({ _id: 2 }, change);
    expect(await collection.find().sort({ _id: 1 }).toArray()).toEqual([
      { _id: 1, email: 'c' },
      { _id: 2, email: 'a' },
    ]);
  });

  test('unique: missing and null are one value', async () => {
    const collection = await fresh([{ _id: 1 }]);
    await collection.createIndex({ email: 1 }, { unique: true });
    await expect(collection.insertOne({ _id: 2, email: null })).rejects.toMatchObject({ code: 'DUPLICATE' });
  });

  test('unique: sparse leaves missing ones alone', async () => {
    const collection = await fresh([{ _id: 1 }, { _id: 2 }]);
    await collection.createIndex({ email: 1 }, { unique: true, sparse: true });
    await collection.insertMany([{ _id: 3 }, { _id: 4, email: 'a' }]);
    await expect(collection.insertOne({ _id: 5, email: 'a' })).rejects.toMatchObject({ code: 'DUPLICATE' });
    await collection.updateOne({ _id: 4 }, { $unset: { email: true } });
    await collection.insertOne({ _id: 5, email: 'a' });
    expect(ids(await collection.find({ email: null }).sort({ _id: 1 }).toArray())).toEqual([1, 2, 3, 4]);
  });

  test('unique: partial counts only what matches', async () => {
    const collection = await fresh();
    const options = { unique: true, partialFilterExpression: { live: true } };
    await collection.createIndex({ name: 1 }, options);
    await collection.insertMany([
      { _id: 1, name: 'a', live: false },
      { _id: 2, name: 'a', live: false },
      { _id: 3, name: 'a', live: true },
    ]);
    await expect(collection.insertOne({ _id: 4, name: 'a', live: true })).rejects.toMatchObject({ code: 'DUPLICATE' });
    await expect(collection.updateOne({ _id: 1 }, { $set: { live: true } })).rejects.toMatchObject({
      code: 'DUPLICATE',
    });
    await collection.updateOne({ _id: 3 }, { $set: { live: false } });
    await collection.updateOne({ _id: 1 }, { $set: { live: true } });
  });

  test('unique: several keys', async () => {
    const collection = await fresh([{ _id: 1, a: 1, b: 1 }]);
    await collection.createIndex({ a: 1, b: -1 }, { unique: true });
    await collection.insertOne({ _id: 2, a: 1, b: 2 });
    await expect(collection.insertOne({ _id: 3, a: 1, b: 2 })).rejects.toMatchObject({ code: 'DUPLICATE' });
  });

  test('unique: can not be made over duplicates', async () => {
    const collection = await fresh([
      { _id: 1, a: 1 },
      { _id: 2, a: 1 },
    ]);
    await expect(collection.createIndex({ a: 1 }, { unique: true })).rejects.toMatchObject({ code: 'DUPLICATE' });
    await collection.insertOne({ _id: 3, a: 1 });
  });

  test('unique: a failure among others fails alone', async () => {
    const collection = await fresh([{ _id: 7 }]);
    const writes = Array.from({ length: 16 }, (_, at) => collection.insertOne({ _id: at }));
    expect(await settled(writes)).toEqual({ fulfilled: 15, codes: ['DUPLICATE'] });
    expect(await collection.countDocuments()).toBe(16);
  });
}

function declaredContract({ test, db, fresh }: Setting): void {
  test('declared: made once, changed when declared otherwise', async () => {
    const name = `c_declared_${Date.now()}` as CollectionName;
    const first = defineCollection<Doc>({ name, indexes: [{ keys: { a: 1 }, name: 'a' }, { keys: { b: -1, c: 1 } }] });
    const second = defineCollection<Doc>({ name, indexes: [{ keys: { a: 1 }, name: 'a', unique: true }] });
    await db().ensureIndexes([first]);
    await db().ensureIndexes([first]);
    const collection = db().collection(first);
    await collection.insertOne({ _id: 1, a: 1 });
    await db().ensureIndexes([second]);
    await expect(collection.insertOne({ _id: 2, a: 1 })).rejects.toMatchObject({ code: 'DUPLICATE' });
  });

  test('dropped: what was unique may be there twice; one that is not there is left out', async () => {
    const collection = await fresh([{ _id: 1, a: 1, b: 2 }]);
    const name = await collection.createIndex({ a: 1 }, { unique: true });
    await collection.createIndex({ b: 1 }, { unique: true });
    await collection.dropIndex(name);
    await collection.dropIndex(name);
    await collection.insertOne({ _id: 2, a: 1 });
    expect(ids(await collection.find({ a: 1 }).sort({ a: 1 }).toArray())).toEqual([1, 2]);
    await expect(collection.insertOne({ _id: 3, b: 2 })).rejects.toMatchObject({ code: 'DUPLICATE' });
    expect(await collection.createIndex({ a: 1 })).toBe(name);
    await db().collection<Doc>(`c_none_${Date.now()}`).dropIndex('a_1');
  });

  test('declared: the name of an index', async () => {
    const collection = db().collection<Doc>(`c_names_${Date.now()}`);
    expect(await collection.createIndex({ a: 1, b: -1 })).toBe('a_1_b_-1');
    expect(await collection.createIndex({ c: 'desc' }, { name: 'mine' })).toBe('mine');
  });
}

function raceContract({ test, fresh, db }: Setting): void {
  test('race: 64 increments at once add up and each sees its own', async () => {
    const collection = await fresh([{ _id: 1, n: 0 }]);
    const bump = () => collection.findOneAndUpdate({ _id: 1 }, { $inc: { n: 1 } }, { returnDocument: 'after' });
    const results = await Promise.all(Array.from({ length: 64 }, bump));
    const seen = results.map((one) => one!.n as number).sort((a, b) => a - b);
    expect(seen).toEqual(Array.from({ length: 64 }, (_, at) => at + 1));
  });

  test('race: 64 claims of one document, one winner', async () => {
    const collection = await fresh([{ _id: 1, lockedAt: null }]);
    const claim = (owner: number) =>
      collection.findOneAndUpdate({ _id: 1, lockedAt: null }, { $set: { lockedAt: owner } });
    const results = await Promise.all(Array.from({ length: 64 }, (_, at) => claim(at + 1)));
    expect(results.filter((one) => one !== null)).toHaveLength(1);
  });

  test('race: a guarded sum never overshoots', async () => {
    const collection = await fresh([{ _id: 1, used: 0 }]);
    const reserve = () => collection.updateOne({ _id: 1, used: { $lte: 90 } }, { $inc: { used: 10 } });
    const results = await Promise.all(Array.from({ length: 64 }, reserve));
    expect(results.filter((one) => one.modifiedCount === 1)).toHaveLength(10);
    expect(await collection.findOne({ _id: 1 })).toEqual({ _id: 1, used: 100 });
  });

  test('race: 64 upserts of one _id make one document', async () => {
    const collection = await fresh();
    const bump = () => collection.updateOne({ _id: 1 }, { $inc: { n: 1 } }, { upsert: true });
    const { fulfilled, codes } = await settled(Array.from({ length: 64 }, bump));
    expect(codes.every((code) => code === 'DUPLICATE')).toBe(true);
    expect(await collection.findOne({ _id: 1 })).toEqual({ _id: 1, n: fulfilled });
  });

  test('race: ids of two allocators never repeat', async () => {
    const series = `s_${Date.now()}`;
    const allocators = [createIds({ db: db(), blockSize: 3 }), createIds({ db: db(), blockSize: 3 })];
    const taken = await Promise.all(Array.from({ length: 100 }, (_, at) => allocators[at % 2]!.next(series)));
    expect(new Set(taken).size).toBe(100);
    expect(Math.min(...taken)).toBe(1);
  });
}
