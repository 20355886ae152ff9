// A plan that was made for other values finds the same documents as one of its own.
import { expect, it, vi } from 'vitest';
import { openTestDb } from '../../../test/support/embedded-db.ts';
import { defineCollection, type Filter } from '../../ports/db.ts';
import { compileFilter } from './matcher.ts';
import { createShapes } from './shapes.ts';

interface Thing {
  _id: number;
  kind: string | null;
  owner?: string | null;
  due: number;
  open: boolean;
}

const spec = defineCollection<Thing>({
  name: 'things',
  indexes: [
    { keys: { kind: 1, due: 1 } },
    { keys: { due: 1 }, name: 'owned', partialFilterExpression: { owner: { $gt: 'b' } } },
    { keys: { due: 1 }, name: 'timed', partialFilterExpression: { due: { $gt: 5 } } },
    { keys: { kind: 1 }, name: 'open', partialFilterExpression: { open: true } },
    { keys: { owner: 1 }, name: 'known', sparse: true },
  ],
});

const filters: Filter<Thing>[] = [
  { owner: { $gt: 'c' } },
  { owner: { $gt: 'a' } },
  { owner: 'c' },
  { owner: 'a' },
  { owner: null },
  { owner: { $exists: true } },
  { owner: { $exists: false } },
  { due: { $gt: 6, $lte: 8 } },
  { due: { $gt: 2, $lte: 8 } },
  { due: 9 },
  { due: 1 },
  { open: true, kind: 'x' },
  { open: false, kind: 'x' },
  { open: true, kind: null },
  { kind: { $in: ['x', 'y'] } },
  { kind: { $in: ['x'] } },
  { kind: { $in: [] } },
  { kind: { $in: Array.from({ length: 30 }, (_, at) => `k${at}`) } },
  { kind: 'x', due: { $lt: 4 } },
];

it.each([
  ['in one order', filters],
  ['in the other', [...filters].reverse()],
])('finds what matches, asked %s', async (_, asked) => {
  const db = openTestDb();
  await db.ensureIndexes([spec]);
  const things = db.collection(spec);
  const made: Thing[] = Array.from({ length: 60 }, (_, at) => ({
    _id: at,
    kind: [null, 'x', 'y', 'k3'][at % 4]!,
    ...(at % 3 === 0 ? {} : { owner: [null, 'a', 'b', 'c', 'd'][at % 5]! }),
    due: at % 11,
    open: at % 2 === 0,
  }));
  await things.insertMany(made);
  for (let round = 0; round < 2; round++) {
    for (const filter of asked) {
      const wanted = made.filter((one) => compileFilter({ ...filter })({ ...one }));
      for (const limit of [0, 5]) {
        const found = await things.find(filter, { sort: { due: 1, _id: 1 }, limit }).toArray();
        const sorted = wanted.toSorted((a, b) => a.due - b.due || a._id - b._id);
        expect(found, JSON.stringify(filter)).toEqual(limit ? sorted.slice(0, limit) : sorted);
      }
      expect(await things.countDocuments(filter)).toBe(wanted.length);
    }
  }
});

it('many ids at the path of a partial index share one plan', () => {
  const owned = { column: 'm0', filter: { ownerId: { $gt: 0 } } };
  const indexes = [{ sqlName: 'owned', keys: [], unique: false, partial: owned }];
  const planOf = createShapes(() => indexes);
  const make = vi.fn(() => ({}));
  for (const ownerId of [1, 2, 3, 0, null, -1]) planOf({ filter: { ownerId }, sort: undefined, limited: true }, make);
  // In the index, beside it, and without an owner.
  expect(make).toHaveBeenCalledTimes(3);
});

it('filters of one shape share their SQL, until a path holds an array', async () => {
  const db = openTestDb();
  const shared = defineCollection<{ _id: number; kind: string | string[]; owner: string | null; due: number }>({
    name: 'shared',
    indexes: [{ keys: { owner: 1, kind: 1, due: 1 } }],
  });
  await db.ensureIndexes([shared]);
  const things = db.collection(shared);
  const one = (kind: string, owner: string | null) =>
    things.find({ kind, $and: [{ owner }] }, { sort: { due: 1 }, limit: 2 }).toArray();
  const idsOf = async (kind: string, owner: string | null) => (await one(kind, owner)).map(({ _id }) => _id);
  await things.insertMany([
    { _id: 1, kind: 'x', owner: 'a', due: 3 },
    { _id: 2, kind: 'x', owner: 'a', due: 2 },
    { _id: 3, kind: 'x', owner: 'a', due: 1 },
    { _id: 4, kind: 'a', owner: 'x', due: 1 },
    { _id: 5, kind: 'x', owner: null, due: 1 },
  ]);
  const read = vi.spyOn(db.file, 'get');
  const found = [await idsOf('x', 'a'), await idsOf('a', 'x'), await idsOf('x', null), await idsOf('x', 'b')];
  expect(found).toEqual([[3, 2], [4], [5], []]);
  expect(new Set(read.mock.calls.map(([sql]) => sql)).size).toBe(1);
  await things.insertOne({ _id: 6, kind: ['x', 'z'], owner: 'a', due: 0 });
  expect(await idsOf('x', 'a')).toEqual([6, 3]);
});

it('an index that is chosen by how many match is chosen for each filter', async () => {
  const db = openTestDb();
  const uneven = defineCollection<{ _id: number; kind: string; due: number }>({
    name: 'uneven',
    indexes: [{ keys: { kind: 1 } }, { keys: { due: 1 } }],
  });
  await db.ensureIndexes([uneven]);
  const things = db.collection(uneven);
  const made = Array.from({ length: 1200 }, (_, at) => ({ _id: at, kind: at < 3 ? 'rare' : 'common', due: 1200 - at }));
  await things.insertMany(made);
  const read = vi.spyOn(db.file, 'get');
  for (const [kind, first] of [
    ['common', 1199],
    ['rare', 2],
    ['common', 1199],
  ] as const) {
    read.mockClear();
    const found = await things.find({ kind }, { sort: { due: 1 }, limit: 1 }).toArray();
    expect(found).toMatchObject([{ _id: first }]);
    expect(read.mock.calls.at(-1)![0]).toContain(kind === 'rare' ? '/* few */' : '/* many */');
  }
});
