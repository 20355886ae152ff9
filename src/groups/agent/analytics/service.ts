// Turns the sums of runs into figures for people.
import type { IdentityDoc } from '../../../auth/documents.ts';
import type { Caller } from '../../../contract/caller.ts';
import type { AnalyticsGroupBy, TimeBucket } from '../../../contract/enums.ts';
import { implement } from '../../../contract/operation.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import { hiddenFrom } from '../../../ports/in-project.ts';
import type { PerTenant } from '../../../ports/tenanted.ts';
import { bucketStart, bucketsBetween, findInBuckets, laterBucket } from '../../buckets.ts';
import { agentAnalytics } from './contract.ts';
import type { AgentAnalyticsSeriesPoint } from './dto.ts';
import {
  type Dimension,
  type GroupKey,
  type RunFilter,
  type RunStatistics,
  type Totals,
  totalsOf,
} from './statistics.ts';

interface Deps {
  statistics: RunStatistics;
  identities: PerTenant<IdentityDoc>;
  clock: Clock;
}

const maxBuckets = 1000;
/** Buckets of a time series that names no range. */
const usualSpan: Record<TimeBucket, number> = { Minute: 60, Hour: 48, Day: 30, Week: 26, Month: 12 };
const dimensionOf: Record<AnalyticsGroupBy, Dimension | null> = {
  None: null,
  Model: 'modelId',
  Role: 'role',
  Identity: 'identityId',
  Project: 'projectId',
  Status: 'status',
};

export const agentAnalyticsService = implement(agentAnalytics, ({ statistics, identities, clock }: Deps) => ({
  totals: async ({ caller, query }) => {
    const [all] = await statistics.totals(caller.tenantId, toFilter(caller, query), []);
    const totals = all ?? totalsOf(new Map(), {}, []);
    const { avgCostUsd, avgFeedbackScore, ...shown } = toFigures(totals);
    const { modelId = null, role = null } = query;
    return { modelId, role, ...shown, avgFeedbackScore: avgFeedbackScore ?? 0 };
  },
  matrix: async ({ caller, query: { minRuns = 1, ...query } }) => {
    const groups = await statistics.totals(caller.tenantId, toFilter(caller, query), ['modelId', 'role']);
    return groups
      .filter((one) => one.runs >= minRuns)
      .sort((a, b) => b.runs - a.runs || text(a.key).localeCompare(text(b.key)))
      .map((one) => ({ modelId: one.key.modelId ?? null, role: one.key.role ?? null, ...toFigures(one) }));
  },
  timeseries: async ({ caller, query: { bucket, groupBy, ...query } }) => {
    const { tenantId } = caller;
    const given = toFilter(caller, query);
    const to = given.to ?? clock.now() + 1;
    const from = given.from ?? laterBucket(bucket, bucketStart(bucket, to - 1), 1 - usualSpan[bucket]);
    const starts = bucketsBetween(bucket, from, to, maxBuckets + 1);
    if (starts.length > maxBuckets)
      throw new Fault('VALIDATION_FAILED', `The range holds more than ${maxBuckets} buckets.`, {
        hint: 'Take a larger bucket or a shorter range.',
      });
    const dimension = dimensionOf[groupBy];
    const by = dimension === null ? [] : [dimension];
    const groups: { start: number; totals: Totals }[] = [];
    // Every bucket is a range of its own, so that the store answers from its index.
    const find = async (start: number, part: { from: number; to: number }) =>
      (await statistics.totals(tenantId, { ...given, ...part }, by)).map((totals) => ({ start, totals }));
    for await (const one of findInBuckets(bucket, starts, { from, to }, find)) groups.push(one);
    const names = dimension === 'identityId' ? await identityNames(identities, tenantId, groups) : new Map();
    const points = groups.map((one) => toPoint(one.start, seriesOf(one.totals.key, dimension, names), one.totals));
    return { points: points.sort(byTimeThenSeries) };
  },
}));

const ratio = (sum: number, count: number) => (count === 0 ? 0 : sum / count);

function toFigures(totals: Totals) {
  return {
    totalRuns: totals.runs,
    completedRuns: totals.completed,
    failedRuns: totals.failed,
    successRate: ratio(totals.completed, totals.completed + totals.failed),
    avgIterations: ratio(totals.iterations, totals.runs),
    avgTokensUsed: ratio(totals.tokens, totals.runs),
    totalCostUsd: totals.costUsd,
    avgCostUsd: ratio(totals.costUsd, totals.runs),
    avgDurationMs: ratio(totals.endedMs, totals.ended),
    avgFeedbackScore: totals.scores === 0 ? null : totals.scoreSum / totals.scores,
  };
}

function toPoint(start: number, series: string | null, totals: Totals): AgentAnalyticsSeriesPoint {
  const { avgIterations, avgTokensUsed, totalCostUsd, avgCostUsd, ...figures } = toFigures(totals);
  return {
    bucketStartUtc: new Date(start).toISOString(),
    series,
    ...figures,
    tokensUsed: totals.tokens,
    costUsd: totalCostUsd,
  };
}

function seriesOf(key: GroupKey, dimension: Dimension | null, names: ReadonlyMap<number, string>): string | null {
  const value = dimension === null ? null : (key[dimension] ?? null);
  if (typeof value === 'number') return names.get(value) ?? `#${value}`;
  return value;
}

/** Names of identities; two of one name, of which one was deleted, are told apart by their ids. */
async function identityNames(
  identities: PerTenant<IdentityDoc>,
  tenantId: number,
  groups: readonly { totals: Totals }[],
): Promise<Map<number, string>> {
  const ids = [...new Set(groups.flatMap(({ totals }) => totals.key.identityId ?? []))];
  const found = await identities(tenantId)
    .find({ _id: { $in: ids } })
    .toArray();
  const twice = (name: string) => found.filter((one) => one.name === name).length > 1;
  return new Map(found.map((one) => [one._id, twice(one.name) ? `${one.name} #${one._id}` : one.name]));
}

const text = (key: GroupKey) => `${key.modelId ?? ''} ${key.role ?? ''}`;

function byTimeThenSeries(a: AgentAnalyticsSeriesPoint, b: AgentAnalyticsSeriesPoint): number {
  return a.bucketStartUtc.localeCompare(b.bucketStartUtc) || (a.series ?? '').localeCompare(b.series ?? '');
}

interface Range {
  fromUtc?: string | undefined;
  toUtc?: string | undefined;
}

function toFilter<Q extends Range>(caller: Caller, { fromUtc, toUtc, ...rest }: Q): RunFilter {
  const from = fromUtc === undefined ? undefined : Date.parse(fromUtc);
  const to = toUtc === undefined ? undefined : Date.parse(toUtc);
  if (from !== undefined && to !== undefined && from >= to)
    throw new Fault('VALIDATION_FAILED', 'fromUtc is not before toUtc.', { hint: 'Swap them, or leave one out.' });
  return { hiddenProjects: hiddenFrom(caller), ...rest, from, to };
}
