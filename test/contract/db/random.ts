// Random documents, filters and changes, against a model that knows nothing of indexes.
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { matchesNaively, updateNaively } from './naive.ts';
import { type Doc, ids, type Setting } from './setting.ts';

const scalar = fc.oneof(
  fc.integer({ min: -3, max: 5 }),
  fc.constantFrom(0.5, 2 ** 40, 'a', 'b', 'ab', '', 'Ä', true, false, null, new Date(0), new Date(1000), new Date(-5)),
);
const value = fc.oneof(
  { weight: 5, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.record({ x: scalar, y: fc.integer({ min: 0, max: 2 }) }, { requiredKeys: [] }) },
);
const element = fc.oneof(scalar, fc.record({ x: scalar, y: scalar }, { requiredKeys: [] }));
const fields = {
  a: value,
  b: scalar,
  n: fc.integer({ min: 0, max: 9 }),
  t: fc.array(scalar, { maxLength: 3 }),
  m: fc.oneof(fc.array(element, { maxLength: 3 }), fc.record({ x: scalar })),
};
const body = fc.record(fields, { requiredKeys: [] });

const path = fc.constantFrom('a', 'b', 'n', 't', 'm', 'a.x', 'm.x', 'm.y');
const operators = fc.oneof(
  fc.record({ $eq: scalar }),
  fc.record({ $ne: scalar }),
  fc.record({ $gt: scalar }),
  fc.record({ $gte: scalar }),
  fc.record({ $lt: scalar, $gte: scalar }),
  fc.record({ $lte: scalar }),
  fc.record({ $in: fc.array(scalar, { maxLength: 3 }) }),
  fc.record({ $nin: fc.array(scalar, { maxLength: 3 }) }),
  fc.record({ $exists: fc.boolean() }),
  fc.record({ $regex: fc.constantFrom('^a', 'b', '^Ä') }),
  fc.record({ $elemMatch: fc.record({ x: scalar }) }),
  fc.record({ $elemMatch: fc.record({ $gte: scalar }) }),
);
const condition = fc.tuple(path, fc.oneof(scalar, operators)).map(([key, test]) => ({ [key]: test }));
const filter = fc.oneof(
  condition,
  fc.array(condition, { minLength: 1, maxLength: 3 }).map(($and) => ({ $and })),
  fc.array(condition, { minLength: 1, maxLength: 3 }).map(($or) => ({ $or })),
  fc.tuple(condition, condition).map(([one, two]) => ({ ...one, $or: [two, { n: 3 }] })),
);
const update = fc.oneof(
  fc.record({ $set: fc.record({ a: value, b: scalar }, { requiredKeys: ['a'] }) }),
  fc.record({ $set: fc.record({ n: fc.integer({ min: 0, max: 9 }), t: fields.t }) }),
  fc.constant({ $unset: { a: true } }),
  fc.constant({ $inc: { n: 1 } }),
  fc.record({ $push: fc.record({ t: scalar }) }),
  fc.record({ $pull: fc.record({ t: scalar }) }),
  fc.record({ $addToSet: fc.record({ t: scalar }) }),
  fc.record({ $max: fc.record({ n: fc.integer({ min: 0, max: 9 }) }) }),
);

const step = fc.oneof(
  fc.record({ kind: fc.constant('insert' as const), body }),
  fc.record({ kind: fc.constant('update' as const), filter, update }),
  fc.record({ kind: fc.constant('delete' as const), filter: condition }),
  fc.record({ kind: fc.constant('find' as const), filter, skip: fc.nat(3), limit: fc.nat(4) }),
);

const start = fc.array(body, { minLength: 4, maxLength: 12, size: 'max' });
const steps = fc.array(step, { minLength: 5, maxLength: 25, size: 'max' });
const indexes = fc.subarray(['a', 'b', 'n', 't', 'm', 'a.x', 'm.x', 'm.y'] as const);

export function randomContract({ test, fresh }: Setting): void {
  describe('random', () => {
    test('random: steps answer as the naive model does', async (mustFail) => {
      // Where it must fail, no least example is looked for: that took half of the time of a whole server.
      await fc.assert(fc.asyncProperty(start, indexes, steps, play), { numRuns: 120, endOnFailure: mustFail });
    }, 60_000);
  });

  async function play(bodies: object[], paths: readonly string[], todo: Step[]): Promise<void> {
    let model: Doc[] = bodies.map((one, at) => ({ _id: at + 1, ...one }));
    let next = model.length + 1;
    const collection = await fresh(model);
    for (const one of paths) await collection.createIndex({ [one]: 1 });
    for (const one of todo) {
      if (one.kind === 'insert') {
        const document = { _id: next++, ...one.body };
        model.push(structuredClone(document));
        await collection.insertOne(document);
      } else if (one.kind === 'update') {
        const hits = model.filter((document) => matchesNaively(document, one.filter));
        const { matchedCount } = await collection.updateMany(one.filter, one.update);
        expect(matchedCount).toBe(hits.length);
        for (const document of hits) updateNaively(document, one.update);
      } else if (one.kind === 'delete') {
        const { deletedCount } = await collection.deleteMany(one.filter);
        const kept = model.filter((document) => !matchesNaively(document, one.filter));
        expect(deletedCount).toBe(model.length - kept.length);
        model = kept;
      } else {
        const expected = model
          .filter((document) => matchesNaively(document, one.filter))
          .sort((a, b) => (a.n ?? -1) - (b.n ?? -1) || Number(a._id) - Number(b._id));
        const end = one.limit === 0 ? undefined : one.skip + one.limit;
        const options = { sort: { n: 1, _id: 1 }, skip: one.skip, limit: one.limit } as const;
        expect(ids(await collection.find(one.filter, options).toArray())).toEqual(ids(expected).slice(one.skip, end));
        expect(await collection.countDocuments(one.filter)).toBe(expected.length);
      }
    }
    expect(await collection.find().sort({ _id: 1 }).toArray()).toEqual(model);
  }
}

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
