// Reading: types that round-trip, order, limits, projections, cursors, pages, aggregation.
import { describe, expect } from 'vitest';
import type { Sort } from '../../../src/ports/db.ts';
import { pageOf } from '../../../src/ports/page-of.ts';
import { type Doc, ids, type Setting } from './setting.ts';

const day = (n: number) => new Date(Date.UTC(2026, 0, n));

export function readContract(setting: Setting): void {
  describe('reads', () => {
    typeContract(setting);
    orderContract(setting);
    cursorContract(setting);
    projectionContract(setting);
    pageContract(setting);
  });
}

function typeContract({ test, fresh }: Setting): void {
  const values: [string, unknown][] = [
    ['strings', ['', 'a', 'ä', '😀', '\u0000', '\u0001d5', '$5', 'a.b', '"\\', 'x'.repeat(10_000)]],
    ['numbers', [0, 1, -1, 1.5, 1e300, -1e-300, 2 ** 53 - 1, -(2 ** 53) + 1, 2 ** 31, 2 ** 40]],
    ['booleans and null', [true, false, null]],
    ['dates', [new Date(0), new Date(-1), day(1), new Date(8.64e15), new Date(-8.64e15)]],
    ['nesting', { a: { b: [{ c: [[], {}] }, []] }, d: {} }],
    ['names of methods', { constructor: 1, toString: 2, hasOwnProperty: { valueOf: null } }],
  ];
  for (const [title, value] of values) {
    test(`types: ${title} come back as they were`, async () => {
      const collection = await fresh([{ _id: 1, value }]);
      expect(await collection.findOne({ _id: 1 })).toEqual({ _id: 1, value });
      const array = JSON.parse(JSON.stringify([{ _id: 1, value }]));
      for (const cursor of [collection.find({ _id: 1 }), collection.find({}, { sort: { _id: 1 }, limit: 2 })])
        expect(JSON.parse(await cursor.json())).toEqual(array);
      await collection.updateOne({ _id: 1 }, { $set: { again: value } });
      expect(await collection.findOne({ _id: 1 })).toEqual({ _id: 1, value, again: value });
    });
  }

  test('types: undefined fields are left out, undefined elements are null', async () => {
    const collection = await fresh([{ _id: 1, a: undefined, b: { c: undefined }, d: [undefined, 1] }]);
    const found = await collection.findOne({ _id: 1 });
    expect(found).toStrictEqual({ _id: 1, b: {}, d: [null, 1] });
  });

  const bad: [string, unknown][] = [
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['a bigint', 1n],
    ['a symbol', Symbol('x')],
    ['a function', () => 1],
    ['an invalid date', new Date(Number.NaN)],
    ['bytes', new Uint8Array(1)],
    ['a Map', new Map()],
    ['a field with $', { $set: 1 }],
    ['a field with a dot', { 'a.b': 1 }],
    ['an empty field name', { '': 1 }],
    ['__proto__', JSON.parse('{"__proto__": 1}')],
  ];
  for (const [title, value] of bad) {
    test(`types: refuses ${title}`, async () => {
      const collection = await fresh();
      await expect(collection.insertOne({ _id: 1, value })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
      await expect(collection.insertOne({ _id: 1, deep: [{ value }] })).rejects.toMatchObject({ name: 'Fault' });
      expect(await collection.countDocuments()).toBe(0);
    });
  }

  test('types: what was given and what was returned can be changed freely', async () => {
    const given = { _id: 1, list: [{ a: 1 }] };
    const collection = await fresh([given]);
    given.list[0]!.a = 2;
    const returned = await collection.findOne({ _id: 1 });
    returned!.list.push('x');
    expect(await collection.findOne({ _id: 1 })).toEqual({ _id: 1, list: [{ a: 1 }] });
  });
}

function orderContract({ test, fresh }: Setting): void {
  const rows: Doc[] = [
    { _id: 1, n: 5, s: 'b', d: day(3), t: { x: 2 } },
    { _id: 2, n: -1, s: 'B', d: day(1), t: { x: 1 } },
    { _id: 3, s: 'é', d: day(2) },
    { _id: 4, n: 5, s: 'a' },
    { _id: 5, n: null, s: '\u{1F600}' },
    { _id: 6, n: 2.5, s: '\uFF5E' },
  ];
  const orders: [title: string, sort: Sort<Doc>, expected: number[]][] = [
    ['numbers, null and missing first', { n: 1, _id: 1 }, [3, 5, 2, 6, 1, 4]],
    ['numbers downwards', { n: -1, _id: 1 }, [1, 4, 6, 2, 3, 5]],
    ['strings by code point', { s: 1 }, [2, 4, 1, 3, 6, 5]],
    ['dates', { d: 'asc', _id: 'asc' }, [4, 5, 6, 2, 3, 1]],
    ['dates downwards', { d: 'desc', _id: 'desc' }, [1, 3, 2, 6, 5, 4]],
    ['a nested field', { 't.x': -1, _id: 1 }, [1, 2, 3, 4, 5, 6]],
    ['two keys', { n: -1, s: 1 }, [4, 1, 6, 2, 3, 5]],
    ['_id downwards', { _id: -1 }, [6, 5, 4, 3, 2, 1]],
  ];
  for (const [title, sort, expected] of orders) {
    test(`sort: ${title}`, async () => {
      const collection = await fresh(rows);
      const read = async () => ids(await collection.find({}, { sort }).toArray());
      expect(ids(JSON.parse(await collection.find({}, { sort }).json()))).toEqual(await read());
      expect(await read()).toEqual(expected);
      await collection.createIndex(sort);
      for (const key of Object.keys(sort)) await collection.createIndex({ [key]: 1 });
      expect(await read()).toEqual(expected);
      expect(ids(await collection.find().sort(sort).skip(1).limit(3).toArray())).toEqual(expected.slice(1, 4));
      expect(
        ids(
          await collection
            .find({ _id: { $gt: 0 }, z: null })
            .sort(sort)
            .skip(2)
            .toArray(),
        ),
      ).toEqual(expected.slice(2));
    });
  }

  test('sort: of an array the least or greatest element counts', async () => {
    const collection = await fresh([
      { _id: 1, a: [5, 9] },
      { _id: 2, a: [1, 20] },
      { _id: 3, a: 7 },
      { _id: 4, a: [] },
    ]);
    await collection.createIndex({ a: 1 });
    expect(ids(await collection.find().sort({ a: 1 }).toArray())).toEqual([4, 2, 1, 3]);
    expect(ids(await collection.find().sort({ a: -1 }).toArray())).toEqual([2, 1, 3, 4]);
  });
}

function cursorContract({ test, fresh, db }: Setting): void {
  const many = (count: number): Doc[] =>
    Array.from({ length: count }, (_, at) => ({ _id: at + 1, even: at % 2 === 1 }));

  test('cursor: async iteration, twice', async () => {
    const collection = await fresh(many(1500));
    for (const filter of [{}, { even: true }]) {
      const seen: unknown[] = [];
      for await (const document of collection.find(filter).sort({ _id: 1 })) seen.push(document._id);
      expect(seen).toEqual(
        many(1500)
          .filter((one) => !('even' in filter) || one.even)
          .map((one) => one._id),
      );
    }
  });

  test('cursor: iteration may stop early', async () => {
    const collection = await fresh(many(500));
    for await (const document of collection.find().sort({ _id: 1 })) if (document._id === 3) break;
    await collection.insertOne({ _id: 1000 });
    expect(await collection.countDocuments()).toBe(501);
  });

  test('cursor: skip and limit past the end', async () => {
    const collection = await fresh(many(5));
    expect(await collection.find().skip(5).toArray()).toEqual([]);
    expect(ids(await collection.find({ even: false }).sort({ _id: 1 }).skip(1).limit(9).toArray())).toEqual([3, 5]);
    expect(await collection.find().limit(0).toArray()).toHaveLength(5);
    expect(await collection.findOne({ even: true }, { sort: { _id: -1 } })).toMatchObject({ _id: 4 });
  });

  test('cursor: a collection that does not exist is empty', async () => {
    const nowhere = db().collection<Doc>(`never_${Date.now()}`);
    expect(await nowhere.find().toArray()).toEqual([]);
    expect(await nowhere.countDocuments({ a: 1 })).toBe(0);
    expect(await nowhere.findOne({ _id: 1 })).toBeNull();
  });

  test('cursor: refuses wrong options', async () => {
    const collection = await fresh(many(3));
    await expect(collection.find().limit(-1).toArray()).rejects.toMatchObject({ name: 'Fault' });
    await expect(collection.find().skip(1.5).toArray()).rejects.toMatchObject({ name: 'Fault' });
    await expect(
      collection
        .find()
        .sort({ a: 2 } as never)
        .toArray(),
    ).rejects.toMatchObject({ name: 'Fault' });
    await expect(collection.findOne({}, { projection: { a: 1, b: 0 } })).rejects.toMatchObject({ name: 'Fault' });
  });
}

function projectionContract({ test, fresh }: Setting): void {
  const row: Doc = { _id: 1, a: 1, b: { x: 1, y: 2 }, c: [{ x: 1, y: 2 }, { y: 3 }] };
  const cases: [string, Record<string, 0 | 1>, object][] = [
    ['keeps', { a: 1 }, { _id: 1, a: 1 }],
    ['keeps without _id', { a: 1, _id: 0 }, { a: 1 }],
    ['keeps _id alone', { _id: 1 }, { _id: 1 }],
    ['keeps nested fields', { 'b.x': 1 }, { _id: 1, b: { x: 1 } }],
    ['keeps fields of elements', { 'c.x': 1 }, { _id: 1, c: [{ x: 1 }, {}] }],
    ['leaves out', { a: 0, c: 0 }, { _id: 1, b: { x: 1, y: 2 } }],
    ['leaves out nested fields', { 'b.x': 0, 'c.y': 0 }, { _id: 1, a: 1, b: { y: 2 }, c: [{ x: 1 }, {}] }],
    ['leaves out _id', { _id: 0, b: 0, c: 0 }, { a: 1 }],
    ['of a missing field', { z: 1 }, { _id: 1 }],
  ];
  for (const [title, projection, expected] of cases) {
    test(`projection: ${title}`, async () => {
      const collection = await fresh([row]);
      expect(await collection.findOne({}, { projection })).toEqual(expected);
      expect(await collection.find().project(projection).toArray()).toEqual([expected]);
    });
  }
}

function pageContract({ test, fresh }: Setting): void {
  test('pages hold every document once, in order, with the total', async () => {
    const rows = Array.from({ length: 23 }, (_, at) => ({ _id: at + 1, group: at % 3, live: at % 4 !== 0 }));
    const collection = await fresh(rows);
    for (const index of [null, { live: 1, group: 1 }] as const) {
      if (index) await collection.createIndex(index);
      const seen: unknown[] = [];
      for (const page of [1, 2, 3, 4, 5]) {
        const options = { filter: { live: true }, sort: { group: -1 as const }, page, pageSize: 5 };
        const { items, totalCount } = await pageOf(collection, options);
        expect(totalCount).toBe(17);
        seen.push(...ids(items));
      }
      const expected = rows.filter((row) => row.live).sort((a, b) => b.group - a.group || b._id - a._id);
      expect(seen).toEqual(ids(expected));
    }
  });

  test('pages without a sort start with the newest id', async () => {
    const collection = await fresh([{ _id: 2 }, { _id: 10 }, { _id: 3 }]);
    const { items } = await pageOf(collection, { page: 1, pageSize: 2 });
    expect(ids(items)).toEqual([10, 3]);
  });
}
