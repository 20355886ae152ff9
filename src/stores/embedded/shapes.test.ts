// A plan that was made for other values finds the same documents as one of its own.
import { expect, it } from 'vitest';
import { openTestDb } from '../../../test/support/embedded-db.ts';
import { defineCollection, type Filter } from '../../ports/db.ts';
import { compileFilter } from './matcher.ts';

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
