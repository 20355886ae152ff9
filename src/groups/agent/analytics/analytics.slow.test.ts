import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FeedbackRating } from '../../../contract/enums.ts';
import { defineCollection } from '../../../ports/db.ts';
import { perTenant } from '../../../ports/tenanted.ts';
import { bucketStart, bucketsBetween, laterBucket } from '../../buckets.ts';
import type { IdentityDto } from '../../identities/dto.ts';
import { createFeedback, feedbackSpec } from '../feedback/feedback.ts';
import { type AgentWorld, codeOf, createAgentWorld, request } from '../testing/world.ts';
import { agentAnalyticsService } from './service.ts';
import { createRunStatistics, type RunFigures } from './statistics.ts';

const runSpec = defineCollection<RunFigures>({
  name: 'runs',
  times: 'ms',
  indexes: [{ keys: { tenantId: 1, createdAt: 1 } }],
});

let world: AgentWorld;
let ada: IdentityDto;
let bob: IdentityDto;
let api: ReturnType<typeof agentAnalyticsService>['handlers'];
let add: (tenantId: number, id: number, row: Row) => Promise<void>;

/** model, role, status, created, iterations, tokens, cost, active ms, who, ratings. */
type Row = [
  string | null,
  string,
  RunFigures['status'],
  string,
  number,
  number,
  number,
  number,
  'ada' | 'bob',
  FeedbackRating[],
];
const rows: Row[] = [
  ['m:a', 'coder', 'Completed', '2026-01-01T10:00:00Z', 10, 1000, 0.25, 60_000, 'ada', ['Excellent', 'Good']],
  ['m:a', 'coder', 'Failed', '2026-01-01T23:59:59Z', 4, 400, 0.5, 20_000, 'ada', ['Poor']],
  ['m:a', 'worker', 'Completed', '2026-01-02T00:00:00Z', 6, 600, 0.125, 10_000, 'bob', []],
  ['m:b', 'coder', 'TimedOut', '2026-01-02T05:00:00Z', 20, 2000, 1, 90_000, 'bob', ['VeryPoor']],
  ['m:b', 'coder', 'Running', '2026-01-05T00:00:00Z', 5, 500, 0.25, 99_999, 'ada', []],
  [null, 'worker', 'Cancelled', '2026-01-05T12:00:00Z', 1, 100, 0, 4_000, 'bob', []],
  ['m:a', 'coder', 'Completed', '2026-02-01T00:00:00Z', 3, 300, 0.5, 30_000, 'ada', ['Fair']],
];

beforeEach(async () => {
  world = await createAgentWorld([runSpec, feedbackSpec]);
  [ada, bob] = [await world.addIdentity('Ada'), await world.addIdentity('Bob')];
  const feedback = createFeedback({ ...world, runs: runSpec });
  const runs = world.db.collection(runSpec);
  add = async (tenantId, id, row) => {
    const [modelId, role, status, created, iterationsUsed, tokensUsed, costUsd, activeMs, who, ratings] = row;
    const identityId = who === 'ada' ? ada.id : bob.id;
    const createdAt = Date.parse(created);
    const sums = { iterationsUsed, tokensUsed, costUsd, activeMs };
    await runs.insertOne({ _id: id, tenantId, modelId, role, status, identityId, projectId: null, createdAt, ...sums });
    const by = { notes: null, ratedBy: null, ratedByUserId: null };
    for (const rating of ratings) await feedback.insert({ tenantId }, feedback.draft({ runId: id, rating, ...by }));
  };
  for (const [at, row] of rows.entries()) await add(world.tenantId, at + 1, row);
  await add(999, 100, rows[0] as Row);
  const statistics = createRunStatistics({ runs: perTenant(runs) });
  api = agentAnalyticsService({ statistics, identities: world.identities, clock: world.clock }).handlers;
});
afterEach(() => world.close());

const input = { params: {}, body: undefined, request };
const totals = (query: object = {}) => api.totals({ ...input, caller: world.caller, query });
const matrix = (query: object = {}) => api.matrix({ ...input, caller: world.caller, query });
const series = async (query: object = {}) => {
  const wanted = { bucket: 'Day' as const, groupBy: 'None' as const, ...query };
  return (await api.timeseries({ ...input, caller: world.caller, query: wanted })).points;
};
const january = { fromUtc: '2026-01-01T00:00:00Z', toUtc: '2026-02-01T00:00:00Z' };

describe('totals', () => {
  it('are those of a sheet of paper', async () => {
    expect(await totals()).toEqual({
      modelId: null,
      role: null,
      totalRuns: 7,
      completedRuns: 3,
      failedRuns: 2,
      successRate: 0.6,
      avgIterations: 7,
      avgTokensUsed: 700,
      totalCostUsd: 2.625,
      // (60 + 20 + 10 + 90 + 4 + 30) s over the six that ended
      avgDurationMs: 214_000 / 6,
      // 5, 4, 2, 1, 3
      avgFeedbackScore: 3,
    });
  });

  it('count runs created from the start of a range up to its end', async () => {
    expect(await totals({ ...january, modelId: 'm:a', role: 'coder' })).toEqual({
      modelId: 'm:a',
      role: 'coder',
      totalRuns: 2,
      completedRuns: 1,
      failedRuns: 1,
      successRate: 0.5,
      avgIterations: 7,
      avgTokensUsed: 700,
      totalCostUsd: 0.75,
      avgDurationMs: 40_000,
      avgFeedbackScore: 11 / 3,
    });
    expect((await totals({ toUtc: '2026-01-01T10:00:00Z' })).totalRuns).toBe(0);
    expect((await totals({ fromUtc: '2026-02-01T01:00:00+01:00' })).totalRuns).toBe(1);
    expect((await totals({ identityId: bob.id })).totalRuns).toBe(3);
  });

  it('are zero where there is nothing, and refuse a range that ends before it begins', async () => {
    expect(await totals({ role: 'nobody' })).toMatchObject({ totalRuns: 0, successRate: 0, avgFeedbackScore: 0 });
    expect(await codeOf(() => totals({ fromUtc: january.toUtc, toUtc: january.fromUtc }))).toBe('VALIDATION_FAILED');
  });
});

describe('matrix', () => {
  it('has a row for each model and role, the busiest first', async () => {
    const all = await matrix();
    expect(all.map((row) => [row.modelId, row.role, row.totalRuns, row.successRate, row.avgFeedbackScore])).toEqual([
      ['m:a', 'coder', 3, 2 / 3, 3.5],
      ['m:b', 'coder', 2, 0, 1],
      [null, 'worker', 1, 0, null],
      ['m:a', 'worker', 1, 1, null],
    ]);
    expect(all[1]).toMatchObject({ totalCostUsd: 1.25, avgCostUsd: 0.625, avgDurationMs: 90_000, failedRuns: 1 });
    expect(await matrix({ minRuns: 2, identityId: ada.id })).toHaveLength(1);
  });
});

describe('time series', () => {
  it('buckets by UTC day and leaves empty days out', async () => {
    const points = await series(january);
    expect(points.map((one) => [one.bucketStartUtc.slice(0, 10), one.series, one.totalRuns, one.tokensUsed])).toEqual([
      ['2026-01-01', null, 2, 1400],
      ['2026-01-02', null, 2, 2600],
      ['2026-01-05', null, 2, 600],
    ]);
    expect(points[0]).toMatchObject({
      costUsd: 0.75,
      successRate: 0.5,
      avgDurationMs: 40_000,
      avgFeedbackScore: 11 / 3,
    });
    expect(points[2]).toMatchObject({ successRate: 0, avgDurationMs: 4_000, avgFeedbackScore: null });
  });

  it('has a series for each value of groupBy', async () => {
    const label = (query: object) => async () =>
      (await series({ ...january, ...query })).map(
        (one) => `${one.bucketStartUtc.slice(0, 10)} ${one.series} ${one.totalRuns}`,
      );
    expect(await label({ bucket: 'Month', groupBy: 'Model' })()).toEqual([
      '2026-01-01 null 1',
      '2026-01-01 m:a 3',
      '2026-01-01 m:b 2',
    ]);
    expect(await label({ bucket: 'Week', groupBy: 'Identity' })()).toEqual([
      '2025-12-29 Ada 2',
      '2025-12-29 Bob 2',
      '2026-01-05 Ada 1',
      '2026-01-05 Bob 1',
    ]);
    expect(await label({ bucket: 'Month', groupBy: 'Status', identityId: bob.id })()).toEqual([
      '2026-01-01 Cancelled 1',
      '2026-01-01 Completed 1',
      '2026-01-01 TimedOut 1',
    ]);
  });

  it('ends now and spans the usual length unless it is told otherwise', async () => {
    await world.clock.advance(11 * 3_600_000);
    expect((await series()).map((one) => one.totalRuns)).toEqual([1]);
    const toUtc = '2026-02-01T12:00:00Z';
    expect((await series({ toUtc })).map((one) => one.bucketStartUtc.slice(0, 10))).toEqual([
      '2026-01-05',
      '2026-02-01',
    ]);
    expect(await series({ bucket: 'Minute', toUtc })).toEqual([]);
    expect((await series({ bucket: 'Month', toUtc })).map((one) => one.totalRuns)).toEqual([6, 1]);
  });

  it('refuses more buckets than anybody can look at', async () => {
    expect(await codeOf(() => series({ ...january, bucket: 'Minute' }))).toBe('VALIDATION_FAILED');
  });
});

describe('buckets', () => {
  const iso = (at: number) => new Date(at).toISOString().slice(0, 10);

  it('begin weeks on Monday and months on the first', () => {
    const wednesday = Date.UTC(2026, 6, 15, 13, 45, 10);
    expect(iso(bucketStart('Week', wednesday))).toBe('2026-07-13');
    expect(bucketStart('Week', Date.UTC(2026, 6, 13))).toBe(Date.UTC(2026, 6, 13));
    expect(iso(bucketStart('Month', wednesday))).toBe('2026-07-01');
    expect(bucketStart('Hour', wednesday)).toBe(Date.UTC(2026, 6, 15, 13));
    expect(iso(laterBucket('Month', Date.UTC(2026, 0, 1), -1))).toBe('2025-12-01');
    expect(bucketsBetween('Month', Date.UTC(2026, 0, 31), Date.UTC(2026, 2, 1), 10).map(iso)).toEqual([
      '2026-01-01',
      '2026-02-01',
    ]);
  });
});

describe('all three on runs of every kind', () => {
  const tenantId = 998;
  const day = 86_400_000;
  const from = Date.parse('2026-03-01T00:00:00Z');
  const scores: Record<FeedbackRating, number> = { VeryPoor: 1, Poor: 2, Fair: 3, Good: 4, Excellent: 5 };
  let state = 42;
  const below = (limit: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const pick = <T>(from: readonly T[]) => from[below(from.length)] as T;
  const sheet: Row[] = Array.from({ length: 240 }, () => [
    pick(['m:a', 'm:b', 'm:c', null]),
    pick(['coder', 'worker', 'planner']),
    pick([
      'Completed',
      'Completed',
      'Failed',
      'TimedOut',
      'Cancelled',
      'Running',
      'Queued',
      'BudgetExhausted',
    ] as const),
    new Date(from + below(20 * day)).toISOString(),
    below(40),
    below(9000),
    below(400) / 64,
    below(90_000),
    pick(['ada', 'bob'] as const),
    Array.from({ length: below(3) }, () => pick(Object.keys(scores) as FeedbackRating[])),
  ]);

  /** The figures of some rows, computed the long way. */
  const figuresOf = (some: Row[]) => {
    let [completed, failed, iterations, tokens, cost, ended, endedMs, ratings, ratingSum] = [0, 0, 0, 0, 0, 0, 0, 0, 0];
    for (const [, , status, , turns, used, usd, ms, , rated] of some) {
      if (status === 'Completed') completed++;
      if (status === 'Failed' || status === 'TimedOut') failed++;
      if (['Completed', 'Failed', 'TimedOut', 'Cancelled'].includes(status)) {
        ended++;
        endedMs += ms;
      }
      iterations += turns;
      tokens += used;
      cost += usd;
      for (const one of rated) {
        ratings++;
        ratingSum += scores[one];
      }
    }
    const share = (sum: number, count: number) => (count === 0 ? 0 : sum / count);
    return {
      totalRuns: some.length,
      completedRuns: completed,
      failedRuns: failed,
      successRate: share(completed, completed + failed),
      avgIterations: share(iterations, some.length),
      avgTokensUsed: share(tokens, some.length),
      tokens,
      cost,
      avgDurationMs: share(endedMs, ended),
      avgFeedbackScore: ratings === 0 ? null : ratingSum / ratings,
    };
  };
  const shown = ({ tokens: _, cost, ...figures }: ReturnType<typeof figuresOf>) => ({ ...figures, totalCostUsd: cost });
  const caller = () => ({ ...world.caller, tenantId });

  it('agrees with a computation of its own', async () => {
    for (const [at, row] of sheet.entries()) await add(tenantId, 1000 + at, row);
    const filters: [object, (row: Row) => boolean][] = [
      [{}, () => true],
      [{ role: 'coder' }, (row) => row[1] === 'coder'],
      [{ modelId: 'm:b', identityId: ada.id }, (row) => row[0] === 'm:b' && row[8] === 'ada'],
      [
        { fromUtc: '2026-03-05T00:00:00Z', toUtc: '2026-03-09T12:00:00Z' },
        (row) => row[3] >= '2026-03-05' && row[3] < '2026-03-09T12',
      ],
    ];
    for (const [query, matches] of filters) {
      const { modelId: _m, role: _r, ...answer } = await api.totals({ ...input, caller: caller(), query });
      expect(answer).toEqual(shown(figuresOf(sheet.filter(matches))));
    }
    const cells = await api.matrix({ ...input, caller: caller(), query: {} });
    expect(cells).toHaveLength(12);
    for (const { modelId, role, avgCostUsd, ...cell } of cells) {
      const expected = figuresOf(sheet.filter((row) => row[0] === modelId && row[1] === role));
      expect(cell).toEqual(shown(expected));
      expect(avgCostUsd).toBe(expected.cost / expected.totalRuns);
    }
    const query = {
      bucket: 'Day' as const,
      groupBy: 'Role' as const,
      fromUtc: new Date(from).toISOString(),
      toUtc: '2026-03-31T00:00:00Z',
    };
    const { points } = await api.timeseries({ ...input, caller: caller(), query });
    expect(points.reduce((sum, point) => sum + point.totalRuns, 0)).toBe(sheet.length);
    for (const { bucketStartUtc, series: role, ...point } of points) {
      const there = sheet.filter((row) => row[1] === role && row[3].slice(0, 10) === bucketStartUtc.slice(0, 10));
      const { avgIterations: _i, avgTokensUsed: _t, tokens, cost, ...expected } = figuresOf(there);
      expect(point).toEqual({ ...expected, tokensUsed: tokens, costUsd: cost });
    }
  });
});
