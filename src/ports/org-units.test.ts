// Units only tighten, whatever they say; and what two lists of models have in common is what both allow.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { namedBy } from '../kernel/patterns.ts';
import {
  commonModels,
  covers,
  plainUnitPolicy,
  type Tightened,
  tighten,
  tightenedBy,
  type UnitPolicy,
} from './org-units.ts';

const names = ['a', 'ab', 'abc', 'b', 'a:x', 'a:y', 'b:x'];
const pattern = fc.constantFrom('a', 'ab', 'a*', 'ab*', 'b*', '*', 'a:*', 'a:x', 'c');
const list = fc.array(pattern, { maxLength: 4 });
const allows = (patterns: readonly string[], name: string) =>
  patterns.length === 0 || patterns.some((one) => namedBy(one, name));
const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: null });
const unit: fc.Arbitrary<UnitPolicy> = fc.record({
  allowedModelIds: maybe(list),
  blockedTools: maybe(list),
  humanApprovalTools: maybe(list),
  maxConcurrentRuns: maybe(fc.nat(9)),
  maxSpawnDepth: maybe(fc.nat(9)),
  swarmChildCeiling: maybe(fc.nat(9)),
  maxRunCostUsd: maybe(fc.nat(9)),
  allowExternalChannels: maybe(fc.boolean()),
});
const tenant: Tightened = {
  ...{ allowedModelIds: [], blockedTools: [], humanApprovalTools: [], maxConcurrentRuns: 8, maxSpawnDepth: 5 },
  ...{ swarmChildCeiling: 7, maxRunCostUsd: null, allowExternalChannels: true },
};

it('two lists of models allow together what both allow alone', () => {
  fc.assert(
    fc.property(list, list, fc.constantFrom(...names), (one, other, name) => {
      expect(allows(commonModels(one, other), name)).toBe(allows(one, name) && allows(other, name));
    }),
  );
});

it('a pattern covers another one when it names all that the other one does', () => {
  fc.assert(
    fc.property(pattern, pattern, (one, other) => {
      if (covers(one, other)) for (const name of names) if (namedBy(other, name)) expect(namedBy(one, name)).toBe(true);
    }),
  );
  expect([covers('a*', 'ab*'), covers('ab*', 'a*'), covers('a', 'a*'), covers('a*', 'ab')]).toEqual([
    ...[true, false, false, true],
  ]);
});

it('a unit never allows more than what is above it', () => {
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 4 }), unit, (above, own) => {
      const path = above.map((policy, id) => ({ id, name: '', isActive: true, policy }));
      const holds = tightenedBy(tenant, path);
      const next = tighten(holds, own);
      for (const name of names)
        if (allows(next.allowedModelIds, name)) expect(allows(holds.allowedModelIds, name)).toBe(true);
      expect(next.blockedTools).toEqual(expect.arrayContaining(holds.blockedTools));
      expect(next.humanApprovalTools).toEqual(expect.arrayContaining(holds.humanApprovalTools));
      for (const field of ['maxConcurrentRuns', 'maxSpawnDepth', 'swarmChildCeiling'] as const)
        expect(next[field]).toBeLessThanOrEqual(holds[field]);
      if (holds.maxRunCostUsd !== null) expect(next.maxRunCostUsd).toBeLessThanOrEqual(holds.maxRunCostUsd);
      if (next.allowExternalChannels) expect(holds.allowExternalChannels).toBe(true);
      expect(tighten(holds, plainUnitPolicy)).toEqual(holds);
    }),
  );
});
