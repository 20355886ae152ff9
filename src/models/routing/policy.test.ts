import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AIRoutePolicy, BudgetPeriod } from '../../contract/enums.ts';
import { periodEnd, periodStart } from './periods.ts';
import { type Rated, rank } from './policy.ts';

const rated = (aiModelId: number, more: Partial<Rated> = {}): Rated => ({
  aiModelId,
  modelId: `m${aiModelId}`,
  providerId: 1,
  providerName: 'p',
  routeId: 1,
  eligible: true,
  rejectedReason: null,
  estimatedCostUsd: 0,
  latencyP50Ms: null,
  errorRate: 0,
  healthState: 'Healthy',
  inFlight: 0,
  priority: 0,
  weight: 1,
  maxConcurrency: null,
  ...more,
});
const order = (policy: AIRoutePolicy, candidates: Rated[], turn = 0, random = () => 0.5) =>
  rank(policy, candidates, { turn, random }).map(({ aiModelId }) => aiModelId);

describe('each policy comes first to', () => {
  it.each([
    ['Priority', { priority: 1 }, { priority: 2 }],
    ['LowestCost', { estimatedCostUsd: 1 }, { estimatedCostUsd: 2 }],
    ['LowestLatency', { latencyP50Ms: 100 }, { latencyP50Ms: 900 }],
    ['LowestLatency', { latencyP50Ms: null }, { latencyP50Ms: 100 }],
    ['LeastBusy', { inFlight: 3, maxConcurrency: 10 }, { inFlight: 2, maxConcurrency: 4 }],
    ['Healthiest', { errorRate: 0.1, latencyP50Ms: 900 }, { errorRate: 0.2, latencyP50Ms: 1 }],
  ] as const)('%s: %j before %j', (policy, better, worse) => {
    expect(order(policy, [rated(1, worse), rated(2, better)])).toEqual([2, 1]);
    expect(order(policy, [rated(2, better), rated(1, worse)])).toEqual([2, 1]);
  });

  it('each in turn for RoundRobin', () => {
    const three = [rated(1), rated(2), rated(3)];
    expect([0, 1, 2, 3].map((turn) => order('RoundRobin', three, turn))).toEqual([
      [1, 2, 3],
      [2, 3, 1],
      [3, 1, 2],
      [1, 2, 3],
    ]);
  });

  it('candidates by their share for Weighted', () => {
    let seed = 1;
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    const firsts = Array.from(
      { length: 4_000 },
      () => order('Weighted', [rated(1, { weight: 1 }), rated(2, { weight: 3 })], 0, random)[0],
    );
    const share = firsts.filter((id) => id === 2).length / firsts.length;
    expect(share).toBeGreaterThan(0.72);
    expect(share).toBeLessThan(0.78);
  });
});

it('ranks everyone once, those that are out at the end, whatever the policy', () => {
  const candidate = fc.record({
    eligible: fc.boolean(),
    priority: fc.nat(5),
    weight: fc.nat(5),
    inFlight: fc.nat(5),
    errorRate: fc.double({ min: 0, max: 1, noNaN: true }),
    latencyP50Ms: fc.option(fc.nat(1000)),
  });
  fc.assert(
    fc.property(
      fc.constantFrom(...AIRoutePolicy.options),
      fc.array(candidate, { maxLength: 8 }),
      fc.nat(20),
      (policy, all, turn) => {
        const ranked = rank(
          policy,
          all.map((one, at) => rated(at, one)),
          { turn, random: Math.random },
        );
        expect(ranked.map(({ aiModelId }) => aiModelId).sort()).toEqual(all.map((_, at) => at).sort());
        expect(ranked.map(({ rank }) => rank)).toEqual(all.map((_, at) => at + 1));
        const firstOut = ranked.findIndex(({ eligible }) => !eligible);
        if (firstOut >= 0) expect(ranked.slice(firstOut).every(({ eligible }) => !eligible)).toBe(true);
      },
    ),
  );
});

it('every moment lies in exactly one period', () => {
  const moment = fc.integer({ min: 0, max: Date.UTC(2100, 0) });
  fc.assert(
    fc.property(fc.constantFrom(...BudgetPeriod.options), moment, (period, at) => {
      const start = periodStart(period, at);
      const end = periodEnd(period, start);
      expect(start).toBeLessThanOrEqual(at);
      expect(periodStart(period, start)).toBe(start);
      if (end === null) return;
      expect(end).toBeGreaterThan(at);
      expect(periodStart(period, end)).toBe(end);
      expect(periodStart(period, end - 1)).toBe(start);
    }),
  );
  expect(new Date(periodStart('Week', Date.UTC(2026, 10, 22))).toISOString()).toBe('2026-11-16T00:00:00.000Z');
});
