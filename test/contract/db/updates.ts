// Writes: insertion, every update operator, upserts, replacement, deletion, uniqueness.
import { describe, expect } from 'vitest';
import type { Doc, Setting } from './setting.ts';

const day = (n: number) => new Date(Date.UTC(2026, 0, n));

const changes: [title: string, before: object, update: object, after: object][] = [
  ['$set', { a: 1 }, { $set: { a: 2, b: 'x' } }, { a: 2, b: 'x' }],
  ['$set of a date', { a: 1 }, { $set: { a: day(1) } }, { a: day(1) }],
  ['$set of null', { a: 1 }, { $set: { a: null } }, { a: null }],
  ['$set leaves out undefined', { a: 1 }, { $set: { a: undefined, b: 1 } }, { a: 1, b: 1 }],
  ['$set of an object replaces it', { a: { x: 1, y: 2 } }, { $set: { a: { z: 3 } } }, { a: { z: 3 } }],
  ['$set of a nested field', { a: { x: 1, y: 2 } }, { $set: { 'a.x': 9 } }, { a: { x: 9, y: 2 } }],
  ['$set makes the objects on the way', {}, { $set: { 'a.b.c': 1 } }, { a: { b: { c: 1 } } }],
  ['$set of an array position', { a: [1, 2, 3] }, { $set: { 'a.1': 9 } }, { a: [1, 9, 3] }],
  ['$set beyond the end of an array', { a: [1] }, { $set: { 'a.3': 9 } }, { a: [1, null, null, 9] }],
  ['$set in an element', { a: [{ x: 1 }, { x: 2 }] }, { $set: { 'a.1.x': 9 } }, { a: [{ x: 1 }, { x: 9 }] }],
  ['$unset', { a: 1, b: 2 }, { $unset: { a: true } }, { b: 2 }],
  ['$unset of a nested field', { a: { x: 1, y: 2 } }, { $unset: { 'a.x': '' } }, { a: { y: 2 } }],
  ['$unset of a missing path', { a: 1 }, { $unset: { 'b.c': true } }, { a: 1 }],
  ['$unset of an element', { a: [1, 2] }, { $unset: { 'a.0': true } }, { a: [null, 2] }],
  ['$inc', { a: 1 }, { $inc: { a: 2 } }, { a: 3 }],
  ['$inc of a missing field', {}, { $inc: { 'a.b': -2 } }, { a: { b: -2 } }],
  ['$inc with a fraction', { a: 1 }, { $inc: { a: 0.5 } }, { a: 1.5 }],
  ['$inc beyond 32 bits', { a: 2147483647 }, { $inc: { a: 1 } }, { a: 2147483648 }],
  ['$min', { a: 5, b: 5 }, { $min: { a: 3, b: 7, c: 1 } }, { a: 3, b: 5, c: 1 }],
  ['$max', { a: 5, b: 5 }, { $max: { a: 3, b: 7, c: 1 } }, { a: 5, b: 7, c: 1 }],
  ['$max of dates', { a: day(2) }, { $max: { a: day(3) } }, { a: day(3) }],
  ['$min orders types', { a: 'x' }, { $min: { a: 5 } }, { a: 5 }],
  ['$push', { a: [1] }, { $push: { a: 2 } }, { a: [1, 2] }],
  ['$push to a missing field', {}, { $push: { a: { x: 1 } } }, { a: [{ x: 1 }] }],
  ['$push of an array is one element', { a: [] }, { $push: { a: [1, 2] } }, { a: [[1, 2]] }],
  ['$push $each', { a: [1] }, { $push: { a: { $each: [2, 3] } } }, { a: [1, 2, 3] }],
  ['$addToSet', { a: [1, 2] }, { $addToSet: { a: 2 } }, { a: [1, 2] }],
  ['$addToSet of a new value', { a: [1] }, { $addToSet: { a: 2 } }, { a: [1, 2] }],
  ['$addToSet $each', { a: [1] }, { $addToSet: { a: { $each: [1, 3, 3] } } }, { a: [1, 3] }],
  [
    '$addToSet compares objects',
    { a: [{ x: 1, y: 2 }] },
    { $addToSet: { a: { x: 1, y: 2 } } },
    { a: [{ x: 1, y: 2 }] },
  ],
  ['$pull of a value', { a: [1, 2, 1, 3] }, { $pull: { a: 1 } }, { a: [2, 3] }],
  ['$pull by operators', { a: [1, 5, 9] }, { $pull: { a: { $gte: 5 } } }, { a: [1] }],
  ['$pull by $in', { a: [1, 5, 9] }, { $pull: { a: { $in: [1, 9] } } }, { a: [5] }],
  [
    '$pull by fields',
    {
      a: [
        { k: 1, n: 1 },
        { k: 2, n: 1 },
      ],
    },
    { $pull: { a: { k: 1 } } },
    { a: [{ k: 2, n: 1 }] },
  ],
  ['$pull from a missing field', { b: 1 }, { $pull: { a: 1 } }, { b: 1 }],
  ['$setOnInsert does nothing to what is there', { a: 1 }, { $set: { a: 2 }, $setOnInsert: { b: 1 } }, { a: 2 }],
  [
    'several operators',
    { a: 1, b: [1], c: 1 },
    { $inc: { a: 1 }, $push: { b: 2 }, $unset: { c: 1 } },
    { a: 2, b: [1, 2] },
  ],
];

const misfits: [title: string, before: object, update: object][] = [
  ['$inc of a string', { a: 'x' }, { $inc: { a: 1 } }],
  ['$inc of null', { a: null }, { $inc: { a: 1 } }],
  ['$push to a number', { a: 1 }, { $push: { a: 1 } }],
  ['$addToSet to a string', { a: 'x' }, { $addToSet: { a: 1 } }],
  ['$pull from a string', { a: 'x' }, { $pull: { a: 1 } }],
  ['$set through a number', { a: 1 }, { $set: { 'a.b': 1 } }],
  ['$set through null', { a: null }, { $set: { 'a.b': 1 } }],
  ['$set of a field of an array', { a: [1] }, { $set: { 'a.b': 1 } }],
  ['a change of _id', { a: 1 }, { $set: { _id: 2 } }],
];

const refused: [title: string, update: object][] = [
  ['a replacement', { a: 1 }],
  ['nothing', {}],
  ['an unknown operator', { $rename: { a: 'b' } }],
  ['a pipeline', [{ $set: { a: 1 } }]],
  ['a path twice', { $set: { a: 1 }, $inc: { a: 1 } }],
  ['a path and its parent', { $set: { a: {} }, $unset: { 'a.b': 1 } }],
  ['$push with $sort', { $push: { a: { $each: [1], $sort: 1 } } }],
  ['a positional path', { $set: { 'a.$.b': 1 } }],
  ['a bigint', { $set: { a: 1n } }],
  ['a function', { $set: { a: () => 1 } }],
  ['NaN', { $set: { a: Number.NaN } }],
];

export function updateContract(setting: Setting): void {
  describe('updates', () => {
    for (const [title, before, update, after] of changes) {
      setting.test(`update: ${title}`, async () => {
        const collection = await setting.fresh([{ _id: 1, ...before }]);
        const same = JSON.stringify(before) === JSON.stringify(after);
        const result = await collection.updateOne({ _id: 1 }, update);
        expect(result).toMatchObject({ matchedCount: 1, modifiedCount: same ? 0 : 1, upsertedCount: 0 });
        expect(await collection.findOne({ _id: 1 })).toEqual({ _id: 1, ...after });
      });
    }

    for (const [title, before, update] of misfits) {
      setting.test(`update: does not fit: ${title}`, async () => {
        const collection = await setting.fresh([{ _id: 1, ...before }]);
        await expect(collection.updateOne({ _id: 1 }, update)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
        expect(await collection.findOne({ _id: 1 })).toEqual({ _id: 1, ...before });
      });
    }

    for (const [title, update] of refused) {
      setting.test(`update: refuses ${title}`, async () => {
        const collection = await setting.fresh([{ _id: 1 }]);
        await expect(collection.updateOne({ _id: 1 }, update)).rejects.toMatchObject({ name: 'Fault' });
        await expect(collection.findOneAndUpdate({ _id: 1 }, update)).rejects.toMatchObject({ name: 'Fault' });
        expect(await collection.findOne({ _id: 1 })).toEqual({ _id: 1 });
      });
    }
    manyContract(setting);
    upsertContract(setting);
    replaceContract(setting);
  });
}

function manyContract({ test, fresh }: Setting): void {
  const three: Doc[] = [
    { _id: 1, g: 'a', n: 1 },
    { _id: 2, g: 'a', n: 2 },
    { _id: 3, g: 'b', n: 3 },
  ];

  test('updateOne changes one of several', async () => {
    const collection = await fresh(three);
    expect(await collection.updateOne({ g: 'a' }, { $set: { hit: true } })).toMatchObject({ matchedCount: 1 });
    expect(await collection.countDocuments({ hit: true })).toBe(1);
  });

  test('updateMany changes all that match', async () => {
    const collection = await fresh(three);
    const result = await collection.updateMany({ g: 'a' }, { $set: { n: 1 } });
    expect(result).toMatchObject({ matchedCount: 2, modifiedCount: 1 });
    expect(await collection.countDocuments({ n: 1 })).toBe(2);
  });

  test('many are changed and removed as few are', async () => {
    const collection = await fresh(Array.from({ length: 450 }, (_, at) => ({ _id: at, g: at % 2 ? 'a' : 'b', n: at })));
    const first = await collection.updateMany({ g: 'a', n: { $gte: 8 } }, { $set: { g: 'c' } });
    expect(first).toMatchObject({ matchedCount: 221, modifiedCount: 221, upsertedId: null });
    const all = await collection.updateMany({ n: { $gte: 0 } }, { $set: { g: 'c' } }, { upsert: true });
    expect(all).toMatchObject({ matchedCount: 450, modifiedCount: 229, upsertedId: null });
    expect(await collection.updateMany({}, { $inc: { n: 1 } })).toMatchObject({
      matchedCount: 450,
      modifiedCount: 450,
    });
    expect(await collection.countDocuments({ g: 'c', n: { $gte: 1, $lte: 450 } })).toBe(450);
    expect(await collection.deleteMany({ n: { $gt: 100 } })).toMatchObject({ acknowledged: true, deletedCount: 350 });
    expect(await collection.countDocuments()).toBe(100);
  });

  test('an update of nothing', async () => {
    const collection = await fresh(three);
    const result = await collection.updateOne({ g: 'z' }, { $set: { n: 1 } });
    expect(result).toMatchObject({ acknowledged: true, matchedCount: 0, modifiedCount: 0, upsertedId: null });
    expect(await collection.findOneAndUpdate({ g: 'z' }, { $set: { n: 1 } })).toBeNull();
  });

  test('deleteOne and deleteMany', async () => {
    const collection = await fresh(three);
    expect(await collection.deleteOne({ g: 'a' })).toMatchObject({ acknowledged: true, deletedCount: 1 });
    expect(await collection.deleteMany({})).toMatchObject({ deletedCount: 2 });
    expect(await collection.deleteMany({})).toMatchObject({ deletedCount: 0 });
  });

  test('findOneAndUpdate takes the first by sort and returns before or after', async () => {
    const collection = await fresh(three);
    const before = await collection.findOneAndUpdate({ g: 'a' }, { $inc: { n: 10 } }, { sort: { n: -1 } });
    expect(before).toEqual({ _id: 2, g: 'a', n: 2 });
    const options = { sort: { n: 1 }, returnDocument: 'after', projection: { n: 1 } } as const;
    expect(await collection.findOneAndUpdate({}, { $inc: { n: 10 } }, options)).toEqual({ _id: 1, n: 11 });
  });

  test('findOneAndDelete returns what it removed', async () => {
    const collection = await fresh(three);
    expect(await collection.findOneAndDelete({}, { sort: { n: -1 } })).toEqual({ _id: 3, g: 'b', n: 3 });
    expect(await collection.findOneAndDelete({ _id: 3 })).toBeNull();
    expect(await collection.countDocuments()).toBe(2);
  });
}

function upsertContract({ test, fresh }: Setting): void {
  test('upsert inserts from the filter and the update', async () => {
    const collection = await fresh();
    const update = { $set: { b: 2 }, $inc: { n: 1 }, $setOnInsert: { at: day(1) } };
    const result = await collection.updateOne({ _id: 7, g: { $eq: 'a' }, n: { $gt: 5 }, 'x.y': 1 }, update, {
      upsert: true,
    });
    expect(result).toMatchObject({ matchedCount: 0, modifiedCount: 0, upsertedCount: 1, upsertedId: 7 });
    expect(await collection.findOne({ _id: 7 })).toEqual({ _id: 7, g: 'a', x: { y: 1 }, b: 2, n: 1, at: day(1) });
  });

  test('upsert updates what is there', async () => {
    const collection = await fresh([{ _id: 7, n: 1 }]);
    const update = { $inc: { n: 1 }, $setOnInsert: { at: day(1) } };
    const result = await collection.updateMany({ _id: 7 }, update, { upsert: true });
    expect(result).toMatchObject({ matchedCount: 1, upsertedCount: 0, upsertedId: null });
    expect(await collection.find().toArray()).toEqual([{ _id: 7, n: 2 }]);
  });

  test('upsert by findOneAndUpdate', async () => {
    const collection = await fresh();
    const set = { $set: { a: 1 } };
    expect(await collection.findOneAndUpdate({ _id: 1 }, set, { upsert: true })).toBeNull();
    const options = { upsert: true, returnDocument: 'after' } as const;
    expect(await collection.findOneAndUpdate({ _id: 2 }, set, options)).toEqual({ _id: 2, a: 1 });
  });

  test('upsert with $setOnInsert of _id', async () => {
    const collection = await fresh();
    await collection.updateOne({ key: 'k' }, { $setOnInsert: { _id: 5 }, $set: { a: 1 } }, { upsert: true });
    await collection.updateOne({ key: 'k' }, { $setOnInsert: { _id: 6 }, $set: { a: 2 } }, { upsert: true });
    expect(await collection.find().toArray()).toEqual([{ _id: 5, key: 'k', a: 2 }]);
  });
}

function replaceContract({ test, fresh }: Setting): void {
  test('replaceOne keeps the _id and nothing else', async () => {
    const collection = await fresh([{ _id: 1, a: 1, b: 2 }]);
    expect(await collection.replaceOne({ a: 1 }, { _id: 1, c: 3 })).toMatchObject({
      matchedCount: 1,
      modifiedCount: 1,
    });
    expect(await collection.find().toArray()).toEqual([{ _id: 1, c: 3 }]);
    expect(await collection.replaceOne({ a: 1 }, { _id: 2 })).toMatchObject({ matchedCount: 0 });
  });

  test('replaceOne with upsert', async () => {
    const collection = await fresh();
    expect(await collection.replaceOne({ _id: 4 }, { _id: 4, c: 3 }, { upsert: true })).toMatchObject({
      upsertedId: 4,
    });
    expect(await collection.find().toArray()).toEqual([{ _id: 4, c: 3 }]);
  });
}
