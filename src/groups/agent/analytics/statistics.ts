// Sums over the runs of a tenant, grouped in the store.
import type { RunRecord } from '../../../../runtime/records.ts';
import type { Filter } from '../../../ports/db.ts';
import type { PerTenant } from '../../../ports/tenanted.ts';
import { defined } from '../../fields.ts';

/** What is read of stored runs. */
export type RunFigures = Pick<
  RunRecord,
  | 'tenantId'
  | 'status'
  | 'modelId'
  | 'role'
  | 'identityId'
  | 'projectId'
  | 'createdAt'
  | 'iterationsUsed'
  | 'tokensUsed'
  | 'costUsd'
  | 'activeMs'
> & { _id: number; ratings?: number; ratingSum?: number };

export type Dimension = 'modelId' | 'role' | 'identityId' | 'projectId' | 'status';
export type GroupKey = Partial<Pick<RunFigures, Dimension>>;

export interface RunFilter {
  /** Runs created from here (inclusive) to there (exclusive), ms since 1970 UTC. */
  from?: number | undefined;
  to?: number | undefined;
  modelId?: string | undefined;
  role?: string | undefined;
  identityId?: number | undefined;
  projectId?: number | undefined;
  /** Runs of these projects are left out. */
  hiddenProjects?: readonly number[];
}

/** What is known of a group of runs. */
export interface Totals {
  key: GroupKey;
  runs: number;
  completed: number;
  failed: number;
  iterations: number;
  tokens: number;
  costUsd: number;
  /** Ended runs and the time they took, paused time left out. */
  ended: number;
  endedMs: number;
  scores: number;
  scoreSum: number;
}

export interface RunStatistics {
  /** Totals for each combination of the dimensions that occurs. */
  totals(tenantId: number, filter: RunFilter, by: readonly Dimension[]): Promise<Totals[]>;
}

interface GroupRow {
  _id: GroupKey;
  runs: number;
  iterations: number;
  tokens: number;
  costUsd: number;
  activeMs: number;
  ratings: number;
  ratingSum: number;
}

export function createRunStatistics({ runs }: { runs: PerTenant<RunFigures> }): RunStatistics {
  return {
    async totals(tenantId, filter, by) {
      const dimensions = [...new Set<Dimension>([...by, 'status'])];
      const rows = await runs(tenantId)
        .aggregate<GroupRow>([
          { $match: { ...toMatch(filter) } },
          {
            $group: {
              _id: Object.fromEntries(dimensions.map((name) => [name, `$${name}`])),
              runs: { $count: {} },
              iterations: { $sum: '$iterationsUsed' },
              tokens: { $sum: '$tokensUsed' },
              costUsd: { $sum: '$costUsd' },
              activeMs: { $sum: '$activeMs' },
              ratings: { $sum: '$ratings' },
              ratingSum: { $sum: '$ratingSum' },
            },
          },
        ])
        .toArray();
      const groups = new Map<string, Totals>();
      for (const row of rows) add(totalsOf(groups, row._id, by), row);
      return [...groups.values()];
    },
  };
}

/** The totals of a key, made empty when they are not there yet. */
export function totalsOf(groups: Map<string, Totals>, of: GroupKey, by: readonly Dimension[]): Totals {
  const key: GroupKey = Object.fromEntries(by.map((name) => [name, of[name] ?? null]));
  const text = JSON.stringify(key);
  const known = groups.get(text);
  if (known) return known;
  const sums = { iterations: 0, tokens: 0, costUsd: 0, ended: 0, endedMs: 0, scores: 0, scoreSum: 0 };
  const empty = { key, runs: 0, completed: 0, failed: 0, ...sums };
  groups.set(text, empty);
  return empty;
}

function add(totals: Totals, row: GroupRow): void {
  const { status } = row._id;
  const failed = status === 'Failed' || status === 'TimedOut';
  totals.runs += row.runs;
  totals.iterations += row.iterations;
  totals.tokens += row.tokens;
  totals.costUsd += row.costUsd;
  totals.scores += row.ratings;
  totals.scoreSum += row.ratingSum;
  if (status === 'Completed') totals.completed += row.runs;
  if (failed) totals.failed += row.runs;
  if (failed || status === 'Completed' || status === 'Cancelled') {
    totals.ended += row.runs;
    totals.endedMs += row.activeMs;
  }
}

function between(from: number | undefined, to: number | undefined) {
  // Every run was created after 1970, so that there is always a range to look up.
  return { $gte: from ?? 0, ...(to === undefined ? {} : { $lt: to }) };
}

function toMatch({ from, to, hiddenProjects = [], ...equal }: RunFilter): Filter<RunFigures> {
  const seen = hiddenProjects.length === 0 ? {} : { projectId: { $nin: hiddenProjects } };
  return { createdAt: between(from, to), ...seen, ...defined(equal) };
}
