// Totals and series of recorded calls, for all of a tenant and for its organisation units.
import type { AIUsageGroupBy, TimeBucket } from '../../../contract/enums.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { OrgUnitDoc } from '../../../org-units/record.ts';
import type { UnitTree } from '../../../org-units/tree.ts';
import { noUnit } from '../../../org-units/units.ts';
import type { CallDoc } from '../../../ports/ai-router.ts';
import type { Collection, Filter } from '../../../ports/db.ts';
import { bucketsBetween } from '../../buckets.ts';
import type { AIUsagePoint, AIUsageRow } from '../dto.ts';
import { sumBuckets, sumCalls, type Window } from './sums.ts';
import { addTo, average, averageFirstToken, emptyTally, fieldsOf, groupOf, type Tally, tallyOf } from './tally.ts';
import { toUsageRow } from './to-dto.ts';

type Calls = Collection<CallDoc>;

const day = 86_400_000;
const maxBuckets = 10_000;

/** Calls of a unit and those below it. @throws Fault NOT_FOUND */
export function inUnit(tree: UnitTree<OrgUnitDoc>, id: number): Filter<CallDoc> {
  const ids = tree.idsBelow(id);
  if (ids.length === 0) throw noUnit(id);
  return { orgUnitId: { $in: ids } } as Filter<CallDoc>;
}

/** The sum of all calls of a window, and of each group. */
export async function totalsOf(calls: Calls, filter: Filter<CallDoc>, window: Window, groupBy: AIUsageGroupBy) {
  const all = emptyTally({ key: '', label: '' });
  const groups = new Map<string, Tally>();
  const sums =
    groupBy === 'Day'
      ? sumBuckets(calls, filter, window, { bucket: 'Day', fields: [] })
      : await sumCalls(calls, filter, window, fieldsOf[groupBy]);
  for await (const one of sums) {
    addTo(all, one._id.status, one);
    if (groupBy !== 'None') addTo(tallyOf(groups, groupOf(one._id, one.at, groupBy)), one._id.status, one);
  }
  return { all, groups };
}

/** Groups as rows, the most expensive first; `tree` names those that are units. */
export const toUsageRows = (groups: ReadonlyMap<string, Tally>, tree: UnitTree<OrgUnitDoc> | null): AIUsageRow[] =>
  [...groups.values()]
    .map(toUsageRow)
    .map((row) => ({ ...row, label: tree?.units.get(Number(row.key))?.name ?? row.label }))
    .sort((a, b) => b.costUsd - a.costUsd || b.calls - a.calls);

/** The same over buckets of time. @throws Fault VALIDATION_FAILED for too many */
export async function seriesOf(
  calls: Calls,
  filter: Filter<CallDoc>,
  window: Window,
  { bucket, groupBy }: { bucket: TimeBucket; groupBy: AIUsageGroupBy },
): Promise<AIUsagePoint[]> {
  const starts = bucketsBetween(bucket, window.from.getTime(), window.to.getTime(), maxBuckets + 1);
  if (starts.length > maxBuckets) throw tooFine();
  const points = new Map<string, Tally>();
  for await (const one of sumBuckets(calls, filter, window, { bucket, fields: fieldsOf[groupBy] })) {
    const { label } = groupOf(one._id, one.at, groupBy);
    addTo(tallyOf(points, { key: `${one.at}/${label}`, label }), one._id.status, one);
  }
  // Without groups a bucket in which nothing was called is a zero, so that plots have no holes.
  if (groupBy === 'None') for (const at of starts) tallyOf(points, { key: `${at}/`, label: '' });
  const at = ({ key }: Tally) => Number.parseInt(key, 10);
  const sorted = [...points.values()].sort((a, b) => at(a) - at(b) || a.label.localeCompare(b.label));
  return sorted.map((tally) => ({
    bucketStartUtc: new Date(at(tally)).toISOString(),
    series: groupBy === 'None' ? null : tally.label,
    calls: tally.calls,
    failedCalls: tally.failedCalls,
    promptTokens: tally.promptTokens,
    completionTokens: tally.completionTokens,
    costUsd: tally.costUsd,
    avgLatencyMs: average(tally.latencyMs, tally.calls),
    avgTimeToFirstTokenMs: averageFirstToken(tally),
  }));
}

/** The window asked for, else this day (UTC) and the 30 before it, whose sums the store has: plots begin with a whole day. */
export function windowOf(
  { fromUtc, toUtc }: { fromUtc?: string | undefined; toUtc?: string | undefined },
  clock: Clock,
): Window {
  const to = toUtc !== undefined ? new Date(toUtc) : new Date(clock.now() + 1);
  const from = fromUtc !== undefined ? new Date(fromUtc) : new Date(Math.floor(to.getTime() / day - 30) * day);
  if (from <= to) return { from, to };
  throw new Fault('VALIDATION_FAILED', 'The window ends before it begins.', { hint: 'Give fromUtc before toUtc.' });
}

const tooFine = () =>
  new Fault('VALIDATION_FAILED', `That would be more than ${maxBuckets} points.`, {
    hint: 'Choose a larger bucket or a shorter window.',
  });
