import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Members, type TreeMember } from './members.ts';

const member = fc.record({
  parent: fc.constantFrom(null, 1, 1, 1, 2, 3),
  depth: fc.constant(1),
  identityId: fc.constant(1),
  key: fc.constantFrom(null, 'a', 'b', 'c'),
  stop: fc.constantFrom(null, null, 'pause', 'cancel'),
  ended: fc.boolean(),
  active: fc.boolean(),
  tokens: fc.nat(9),
  costUsd: fc.constant(0),
}) as fc.Arbitrary<TreeMember>;
/** A change of some members of one of the copies so far, or an addition to them. */
const step = fc.record({
  from: fc.nat(),
  some: fc.array(fc.tuple(fc.integer({ min: 1, max: 60 }), member), { maxLength: 25, size: 'max' }),
});
const parents = [1, 2, 3];
const places = parents.flatMap((parent) => ['a', 'b', 'c'].map((key) => [parent, key] as const));
const byId = (one: readonly [number, TreeMember], other: readonly [number, TreeMember]) => one[0] - other[0];

test('a copy holds what a map would, whichever copy it is made of', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 10, size: 'max' }), (steps) => {
      const copies = [{ members: Members.of({}), map: new Map<number, TreeMember>() }];
      for (const { from, some } of steps) {
        const before = copies[from % copies.length]!;
        const map = new Map(before.map);
        // No member changes its place.
        for (const [id, one] of some) {
          const { parent, key } = map.get(id) ?? one;
          map.set(id, { ...one, parent, key });
        }
        const changed = new Map(some.map(([id]) => [id, map.get(id)!]));
        const members = before.members.with(changed);
        copies.push({ members, map });
        expect(members.changedSince(before.members)).toEqual(Object.fromEntries(changed));
        for (const copy of [before, { members, map }]) {
          const all = [...copy.map].sort(byId);
          expect([...copy.members]).toEqual(all);
          const { live, busy } = copy.members;
          expect({ live, busy }).toEqual({
            live: all.filter(([, { ended }]) => !ended).length,
            busy: all.filter(([, { active, ended, stop }]) => active || (!ended && stop === null)).length,
          });
          const childrenOf = (parent: number) => all.filter(([, one]) => one.parent === parent);
          const ids = parents.map((parent) => copy.members.childrenOf(parent));
          expect(ids).toEqual(parents.map((parent) => childrenOf(parent).map(([id]) => id)));
          const astray = places.filter(([parent, key]) => {
            const found = copy.members.childByKey(parent, key);
            const own = childrenOf(parent).filter(([, one]) => one.key === key);
            return found === undefined ? own.length > 0 : !own.some(([id]) => id === found);
          });
          expect(astray).toEqual([]);
        }
      }
    }),
    { numRuns: 20 },
  );
});

test('what changed since an older copy is told by what it held', () => {
  const one: TreeMember = {
    ...{ parent: 1, depth: 1, identityId: 1, key: null, stop: null, ended: false, active: false },
    ...{ tokens: 0, costUsd: 0 },
  };
  const first = Members.of(Object.fromEntries(Array.from({ length: 31 }, (_, at) => [at + 1, one])));
  const changed = { ...one, tokens: 1 };
  let last = first;
  for (let id = 20; id <= 40; id++) last = last.with(new Map([[id, changed]]));
  last = last.with(new Map([[5, changed]]));
  const ids = [5, ...Array.from({ length: 21 }, (_, at) => at + 20)];
  expect(last.changedSince(first)).toEqual(Object.fromEntries(ids.map((id) => [id, changed])));
  expect(first.changedSince(first)).toEqual({});
  expect(first.with(new Map())).toBe(first);
});
