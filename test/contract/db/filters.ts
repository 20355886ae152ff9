// Filters: which documents each operator matches, with MongoDB's rules for types, null, missing fields and arrays.
import { describe, expect } from 'vitest';
import { contains, type Filter, startsWith } from '../../../src/ports/db.ts';
import { type Doc, type Setting, sortedIds } from './setting.ts';

const day = (n: number) => new Date(Date.UTC(2026, 0, n));

const documents: Doc[] = [
  { _id: 1, v: 5, s: 'apple', b: true, d: day(1), nest: { x: 1, y: 'a' } },
  { _id: 2, v: 10, s: 'Apricot', b: false, d: day(2), nest: { x: 2 } },
  { _id: 3, v: '5', s: 'banana', d: day(3), nest: { x: null } },
  { _id: 4, v: null, s: null, tags: ['red', 'blue'], nums: [1, 5, 9] },
  { _id: 5, tags: [], nums: [], items: [] },
  {
    _id: 6,
    v: [5, 20],
    tags: ['red'],
    items: [
      { k: 'a', n: 1 },
      { k: 'b', n: 5 },
    ],
  },
  { _id: 7, v: 2.5, tags: ['red', null], items: [{ k: 'a', n: 5 }, { k: 'c' }] },
  { _id: 8, v: true, nest: 'scalar', items: { k: 'a', n: 1 }, s: 'a.b*c' },
  { _id: 9, v: day(2), nest: { x: [1, 2] }, s: 'Ärger', d: new Date(-1000) },
  { _id: 10, v: -3, nest: { y: 'b', x: 1 }, s: '' },
];

const cases: [title: string, filter: Filter<Doc>, expected: number[]][] = [
  ['everything', {}, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
  ['a number', { v: 5 }, [1, 6]],
  ['a string is not a number', { v: '5' }, [3]],
  ['a boolean', { v: true }, [8]],
  ['a date', { v: day(2) }, [9]],
  ['$eq', { v: { $eq: 10 } }, [2]],
  ['null matches missing', { v: null }, [4, 5]],
  ['null matches missing and elements', { tags: null }, [1, 2, 3, 7, 8, 9, 10]],
  ['$eq null', { v: { $eq: null } }, [4, 5]],
  ['$ne', { v: { $ne: 5 } }, [2, 3, 4, 5, 7, 8, 9, 10]],
  ['$ne null', { v: { $ne: null } }, [1, 2, 3, 6, 7, 8, 9, 10]],
  ['$ne of an element', { tags: { $ne: 'red' } }, [1, 2, 3, 5, 8, 9, 10]],
  ['$gt stays in its type', { v: { $gt: 4 } }, [1, 2, 6]],
  ['$gte', { v: { $gte: 5 } }, [1, 2, 6]],
  ['$lt', { v: { $lt: 5 } }, [7, 10]],
  ['$lte', { v: { $lte: 5 } }, [1, 6, 7, 10]],
  ['a range', { v: { $gt: 2, $lt: 10 } }, [1, 6, 7]],
  ['a range over elements may be met by two', { nums: { $gt: 5, $lt: 2 } }, [4]],
  ['$gt of strings', { s: { $gt: 'apple' } }, [3, 9]],
  ['$lt of strings', { s: { $lt: 'a' } }, [2, 10]],
  ['$gte of dates', { d: { $gte: day(2) } }, [2, 3]],
  ['$lt of dates, before 1970', { d: { $lt: day(2) } }, [1, 9]],
  ['$gte null is null', { v: { $gte: null } }, [4, 5]],
  ['$gt null is nothing', { v: { $gt: null } }, []],
  ['$gt of booleans', { b: { $gt: false } }, [1]],
  ['$in', { v: { $in: [10, '5', true] } }, [2, 3, 8]],
  ['$in with null', { v: { $in: [null, 10] } }, [2, 4, 5]],
  ['$in of nothing', { v: { $in: [] } }, []],
  ['$in with an object', { nest: { $in: [{ x: 2 }, 'scalar'] } }, [2, 8]],
  ['$nin', { v: { $nin: [5, 10] } }, [3, 4, 5, 7, 8, 9, 10]],
  ['$nin with null', { v: { $nin: [null, 5] } }, [2, 3, 7, 8, 9, 10]],
  ['$exists true', { v: { $exists: true } }, [1, 2, 3, 4, 6, 7, 8, 9, 10]],
  ['$exists false', { v: { $exists: false } }, [5]],
  ['$exists of a nested field', { 'nest.x': { $exists: true } }, [1, 2, 3, 9, 10]],
  ['a dotted path', { 'nest.x': 1 }, [1, 9, 10]],
  ['a dotted path, null', { 'nest.x': null }, [3, 4, 5, 6, 7, 8]],
  ['a dotted path through an array', { 'items.k': 'a' }, [6, 7, 8]],
  ['a dotted path through an array, range', { 'items.n': { $gt: 1 } }, [6, 7]],
  ['a dotted path through an array, null', { 'items.n': null }, [1, 2, 3, 4, 7, 9, 10]],
  ['a dotted path through an array, $ne', { 'items.n': { $ne: 1 } }, [1, 2, 3, 4, 5, 7, 9, 10]],
  ['an array position', { 'tags.0': 'red' }, [4, 6, 7]],
  ['an array position, then a field', { 'items.1.n': 5 }, [6]],
  ['an object, exactly', { nest: { x: 1, y: 'a' } }, [1]],
  ['an object, its fields in order', { nest: { y: 'b', x: 1 } }, [10]],
  ['an array, exactly', { tags: ['red', 'blue'] }, [4]],
  ['an empty array', { tags: [] }, [5]],
  ['$and', { $and: [{ v: { $gt: 0 } }, { b: true }] }, [1]],
  ['$or', { $or: [{ v: 10 }, { s: 'banana' }] }, [2, 3]],
  ['$or beside a field', { v: { $gte: 5 }, $or: [{ b: true }, { b: false }] }, [1, 2]],
  ['$and in $or', { $or: [{ $and: [{ v: 5 }, { b: true }] }, { $and: [{ v: 10 }, { b: true }] }] }, [1]],
  ['$elemMatch on fields', { items: { $elemMatch: { k: 'a', n: 5 } } }, [7]],
  ['$elemMatch on values', { nums: { $elemMatch: { $gt: 1, $lt: 9 } } }, [4]],
  ['$elemMatch on values that no one element meets', { nums: { $elemMatch: { $gt: 5, $lt: 2 } } }, []],
  ['$elemMatch needs an array', { items: { $elemMatch: { n: 1 } } }, [6]],
  ['$elemMatch with a missing field', { items: { $elemMatch: { k: 'c', n: null } } }, [7]],
  ['$regex prefix', { s: { $regex: startsWith('ap') } }, [1]],
  ['$regex prefix, either case', { s: { $regex: startsWith('ap'), $options: 'i' } }, [1, 2]],
  ['$regex of special characters', { s: { $regex: startsWith('a.b*') } }, [8]],
  ['$regex anywhere', { s: { $regex: contains('an') } }, [3]],
  ['$regex of every special character', { s: { $regex: contains('-\\^$.*+?()[]{}|/') } }, []],
  ['$regex anywhere, either case', { s: { $regex: contains('AN'), $options: 'i' } }, [3]],
  ['$regex whole', { s: { $regex: '^banana$' } }, [3]],
  ['$regex on elements', { tags: { $regex: '^bl' } }, [4]],
  ['_id', { _id: 3 }, [3]],
  ['_id that is not there', { _id: 99 }, []],
  ['_id of another type', { _id: '3' }, []],
  ['_id $in', { _id: { $in: [1, 3, 99] } }, [1, 3]],
  ['_id range', { _id: { $gt: 3, $lte: 5 } }, [4, 5]],
  ['_id $ne', { _id: { $ne: 1 }, b: true }, []],
  ['_id and a field', { _id: 1, v: 10 }, []],
];

/** Paths that the same cases run with an index on, so that each answer comes from the index too. */
const indexed = ['v', 's', 'd', 'b', 'tags', 'nums', 'nest', 'nest.x', 'items.k', 'items.n'];

export function filterContract(setting: Setting): void {
  describe('filters', () => {
    for (const [title, filter, expected] of cases) {
      setting.test(`filter: ${title}`, async () => {
        const collection = await setting.fresh(documents);
        expect(sortedNumbers(await collection.find(filter).toArray())).toEqual(expected);
        expect(await collection.countDocuments(filter)).toBe(expected.length);
        for (const path of indexed) await collection.createIndex({ [path]: 1 });
        expect(sortedNumbers(await collection.find(filter).toArray())).toEqual(expected);
        expect(await collection.countDocuments(filter)).toBe(expected.length);
        const first = await collection.findOne(filter);
        expect(first === null ? [] : [first._id]).toEqual(expected.length === 0 ? [] : [expect.toBeOneOf(expected)]);
      });
    }

    setting.test('filter: string ids', async () => {
      const collection = await setting.fresh([{ _id: 'a' }, { _id: 'B' }, { _id: 7 }]);
      expect(await collection.findOne({ _id: 'a' })).toEqual({ _id: 'a' });
      expect(sortedIds(await collection.find({ _id: { $gte: 'A' } }).toArray())).toEqual(['B', 'a']);
    });

    const refused: [string, Record<string, unknown>][] = [
      ['an unknown operator', { a: { $where: 'true' } }],
      ['an unknown top-level operator', { $nor: [{ a: 1 }] }],
      ['a RegExp', { a: /x/ }],
      ['a pattern with wildcards', { a: { $regex: '.*x' } }],
      ['undefined', { a: undefined }],
      ['a path into an operator', { 'a.$': 1 }],
      ['$gt of an array', { a: { $gt: [1] } }],
      ['$in without an array', { a: { $in: 1 } }],
      ['operators and fields mixed', { a: { $gt: 1, b: 2 } }],
      ['an empty $or', { $or: [] }],
    ];
    for (const [title, filter] of refused) {
      setting.test(`filter: refuses ${title}`, async () => {
        const collection = await setting.fresh();
        await expect(collection.findOne(filter as Filter<Doc>)).rejects.toMatchObject({ name: 'Fault' });
        await expect(collection.deleteMany(filter as Filter<Doc>)).rejects.toMatchObject({ name: 'Fault' });
      });
    }
  });
}

const sortedNumbers = (found: readonly Doc[]) => found.map((one) => Number(one._id)).sort((a, b) => a - b);
