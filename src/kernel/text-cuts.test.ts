import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../../test/support/any-text.ts';
import { createTextCuts } from './text-cuts.ts';

const cuts = () =>
  createTextCuts({
    parts: [
      [
        { name: 'id', from: '_id' },
        { name: 'goal', from: 'goal' },
        { name: 'role', from: 'role' },
      ],
      [
        { name: 'startedAtUtc', from: 'startedAt', isTime: true },
        { name: 'importedAtUtc', from: 'importedAt', isTime: true, orNull: true },
      ],
    ],
    told: ['_id', 'cost'],
  });

interface Thing {
  _id: number;
  goal: unknown;
  role: unknown;
  startedAt: number | null;
  cost: number;
  importedAt?: number;
}

const iso = (at: number | null | undefined) => (at == null ? null : new Date(at).toISOString());
const inner = (object: object) => JSON.stringify(object).slice(1, -1);
const expected = ({ _id, goal, role, startedAt, importedAt, cost }: Thing) => ({
  parts: [inner({ id: _id, goal, role }), inner({ startedAtUtc: iso(startedAt), importedAtUtc: iso(importedAt) })],
  told: [`${_id}`, JSON.stringify(cost)],
});

const thing: Thing = { _id: 7, goal: 'Count', role: 'worker', startedAt: 1_790_000_000_123, cost: 0.1 };

const texts = fc.oneof(
  anyText(),
  fc.constantFrom('"', '\\', '\\"', '","goal":"no', '"goal":', '{"cost":1,', '}],[', 'line\nline', '\u2028'),
);
const scalars = fc.oneof(texts, fc.double({ noNaN: true }), fc.boolean(), fc.constant(null));
const things = fc.record({
  _id: fc.nat(),
  goal: scalars,
  role: scalars,
  startedAt: fc.option(fc.nat({ max: 4e12 })),
  cost: fc.double({ noNaN: true, noDefaultInfinity: true }),
});
const shallow = fc.oneof(scalars, fc.array(scalars), fc.record({ goal: scalars, cost: scalars }));
const others = fc.dictionary(
  fc.constantFrom('a', 'b', 'goals', 'moved', 'cost2'),
  fc.oneof(shallow, fc.array(shallow), fc.record({ role: shallow, startedAt: scalars })),
);
const imported = fc.option(fc.record({ importedAt: fc.nat({ max: 4e12 }) }), { nil: {} });

test('what is cut out of a text is what its object says, whatever stands around it and in which order', () => {
  const one = fc.tuple(things, others, imported, fc.infiniteStream(fc.nat()));
  fc.assert(
    fc.property(fc.array(one, { maxLength: 5 }), (list) => {
      const cut = cuts();
      for (const [at, [object, more, late, order]] of list.entries()) {
        const entries = Object.entries({ ...object, ...more, ...late }).map((entry) => ({
          entry,
          place: order.next().value as number,
        }));
        entries.sort((a, b) => a.place - b.place);
        const text = JSON.stringify(Object.fromEntries(entries.map(({ entry }) => entry)));
        const found = cut(text);
        // The first order is learned at once; later ones may be too many, but none is read wrong.
        if (at === 0 || found) expect(found).toEqual(expected({ ...object, ...late }));
      }
    }),
    { numRuns: 30 },
  );
});

test('texts of one order are cut, also where what stands between has another value or is new', () => {
  const cut = cuts();
  const of = (more: object) => JSON.stringify({ ...thing, waiting: [], ...more });
  for (const more of [
    {},
    { waiting: [{ goal: 'no', parts: ['a', '"cost":'] }] },
    { ratings: 1 },
    { importedAt: 5 },
    {},
  ])
    expect(cut(of(more))).toEqual(expected({ ...thing, ...more }));
});

test('nothing is cut of a text that has a part where a value should be, that lacks one, that is deep, or long', () => {
  const cut = cuts();
  const { goal: _, ...lacking } = thing;
  const { _id, ...after } = thing;
  const deep = { _id, deep: [[[[1]]]], ...after };
  const long = { ...thing, goal: 'x'.repeat(20_000) };
  for (const other of [lacking, { ...thing, role: [] }, deep, long, {}]) expect(cut(JSON.stringify(other))).toBeNull();
  expect(cut(JSON.stringify(thing))).toEqual(expected(thing));
});
