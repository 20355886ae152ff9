// Meters: what is counted, in which unit, and how much of it there is by what the server stores anyway.
import type { RunRecord } from '../../../runtime/records.ts';
import { authCollections } from '../../auth/collections.ts';
import type { IdentityDoc, UserDoc } from '../../auth/documents.ts';
import type { UsageMeter } from '../../contract/enums.ts';
import { type CallDoc, callSpec } from '../../ports/ai-router.ts';
import type { Collection, Db, Filter } from '../../ports/db.ts';
import { type PerTenant, perTenant } from '../../ports/tenanted.ts';
import { memoryRecord } from '../memories/record.ts';
import { rounded } from './money.ts';
import type { GroupUse, UsageGroup, Used } from './record.ts';

/**
 * `flow` adds up over a period, of model calls or of runs; `level` is how many there are. Of `unknown` ones the server
 * has no honest count: plans cannot name them, and answers leave them out.
 */
export const meters: Record<UsageMeter, { unit: string; kind: 'calls' | 'runs' | 'level' | 'unknown' }> = {
  Runs: { unit: 'runs', kind: 'runs' },
  RunMinutes: { unit: 'minutes', kind: 'runs' },
  ModelCalls: { unit: 'calls', kind: 'calls' },
  PromptTokens: { unit: 'tokens', kind: 'calls' },
  CompletionTokens: { unit: 'tokens', kind: 'calls' },
  EmbeddingTokens: { unit: 'tokens', kind: 'calls' },
  ModelCostUsd: { unit: 'USD', kind: 'calls' },
  ActiveUsers: { unit: 'users', kind: 'level' },
  ActiveIdentities: { unit: 'identities', kind: 'level' },
  StorageBytes: { unit: 'bytes', kind: 'unknown' },
  Memories: { unit: 'memories', kind: 'level' },
  ApiRequests: { unit: 'requests', kind: 'unknown' },
  RealtimeConnectionMinutes: { unit: 'minutes', kind: 'unknown' },
};

export const knownMeters = (Object.keys(meters) as UsageMeter[]).filter((meter) => meters[meter].kind !== 'unknown');

/** A run as far as meters look at it. */
export interface MeteredRun
  extends Pick<RunRecord, 'tenantId' | 'status' | 'createdAt' | 'activeMs' | 'identityId' | 'projectId' | 'modelId'> {
  _id: number;
}

/** Runs that were deleted, of one day. */
export interface RemovedRuns {
  _id: string;
  tenantId: number;
  createdAt: Date;
  runs: number;
  activeMs: number;
}

export interface Span {
  /** ms since 1970 UTC. */
  from: number;
  /** Exclusive. */
  to: number;
}
export interface Place {
  projectId?: number | undefined;
  /** A unit with those below it. */
  orgUnitIds?: readonly number[] | undefined;
}

/** Fields by which calls and runs are divided; null where runs do not know theirs. */
const fieldOf: Record<UsageGroup, { calls: keyof CallDoc & string; runs: (keyof MeteredRun & string) | null }> = {
  Project: { calls: 'projectId', runs: 'projectId' },
  OrgUnit: { calls: 'orgUnitId', runs: null },
  Model: { calls: 'modelId', runs: 'modelId' },
  Identity: { calls: 'identityId', runs: 'identityId' },
};

type Key = GroupUse['key'];

export interface Meters {
  /** What was used in a span of time; a call counts when it began, a run when it was created. */
  flows(tenantId: number, span: Span, place?: Place): Promise<Used>;
  /** The same, divided by a field, in the order of its values. */
  flowsBy(tenantId: number, span: Span, group: UsageGroup): Promise<GroupUse[]>;
  /** How many there are now. */
  levels(tenantId: number): Promise<Used>;
}

export interface MeterDeps {
  db: Db;
  runs: PerTenant<MeteredRun>;
  /** Runs that were deleted, by the day of their creation. */
  removedRuns: PerTenant<RemovedRuns>;
}

export function createMeters({ db, runs, removedRuns }: MeterDeps): Meters {
  const calls = perTenant(db.collection(callSpec));
  const auth = authCollections(db);
  const [users, identities] = [perTenant(auth.users), perTenant(auth.identities)];
  const memories = perTenant(db.collection(memoryRecord.spec));

  async function add(into: Map<Key, Used>, tenantId: number, span: Span, by: UsageGroup | null, place: Place) {
    const fields = by && fieldOf[by];
    for (const one of await callSums(calls(tenantId), span, fields?.calls ?? null, place)) addCalls(into, one);
    // Runs do not know their unit: none are counted where one is asked for.
    if (place.orgUnitIds !== undefined) return;
    const field = fields ? fields.runs : null;
    for (const one of await runSums(runs(tenantId), span, field, place)) addRuns(into, one);
    if (place.projectId !== undefined) return;
    // Nobody knows any more whose they were; what they used counts.
    const createdAt = { $gte: new Date(span.from), $lt: new Date(span.to) };
    for await (const one of removedRuns(tenantId).find({ createdAt })) addRuns(into, { ...one, _id: {} });
  }

  return {
    async flows(tenantId, span, place = {}) {
      const sums = new Map<Key, Used>();
      await add(sums, tenantId, span, null, place);
      return roundedUse(sums.get(null) ?? {});
    },
    async flowsBy(tenantId, span, group) {
      const sums = new Map<Key, Used>();
      await add(sums, tenantId, span, group, {});
      return [...sums].map(([key, used]) => ({ key, used: roundedUse(used) })).sort((a, b) => compare(a.key, b.key));
    },
    async levels(tenantId) {
      const [ActiveUsers, ActiveIdentities, Memories] = await Promise.all([
        users(tenantId).countDocuments({ deletedAt: null, isActive: true, type: 'Human' } as Filter<UserDoc>),
        identities(tenantId).countDocuments({ deletedAt: null, isActive: true } as Filter<IdentityDoc>),
        memories(tenantId).countDocuments({}),
      ]);
      return { ActiveUsers, ActiveIdentities, Memories };
    },
  };
}

interface CallSums extends Pick<CallDoc, 'promptTokens' | 'completionTokens' | 'costUsd'> {
  _id: Pick<CallDoc, 'status' | 'purpose'> & { key?: Key };
  calls: number;
}

function callSums(calls: Collection<CallDoc>, { from, to }: Span, field: string | null, place: Place) {
  const createdAt = { $gte: new Date(from), $lt: new Date(to) };
  return calls
    .aggregate<CallSums>([
      { $match: { createdAt, ...within(place) } },
      {
        $group: {
          _id: { status: '$status', purpose: '$purpose', ...(field !== null && { key: `$${field}` }) },
          calls: { $count: {} },
          promptTokens: { $sum: '$promptTokens' },
          completionTokens: { $sum: '$completionTokens' },
          costUsd: { $sum: '$costUsd' },
        },
      },
    ])
    .toArray();
}

interface RunSums {
  _id: Pick<MeteredRun, 'status'> & { key?: Key };
  runs: number;
  activeMs: number;
}

function runSums(runs: Collection<MeteredRun>, { from, to }: Span, field: string | null, place: Place) {
  return runs
    .aggregate<RunSums>([
      { $match: { createdAt: { $gte: from, $lt: to }, ...within(place) } },
      {
        $group: {
          _id: { status: '$status', ...(field !== null && { key: `$${field}` }) },
          runs: { $count: {} },
          activeMs: { $sum: '$activeMs' },
        },
      },
    ])
    .toArray();
}

const within = ({ projectId, orgUnitIds }: Place) => ({
  ...(projectId !== undefined && { projectId }),
  ...(orgUnitIds !== undefined && { orgUnitId: { $in: [...orgUnitIds] } }),
});

function usedOf(into: Map<Key, Used>, key: Key | undefined): Used {
  const known = into.get(key ?? null) ?? {};
  into.set(key ?? null, known);
  return known;
}

function addCalls(into: Map<Key, Used>, { _id, calls, promptTokens, completionTokens, costUsd }: CallSums): void {
  const used = usedOf(into, _id.key);
  const raise = (meter: UsageMeter, by: number) => {
    used[meter] = (used[meter] ?? 0) + by;
  };
  // Calls that failed are no use; what a provider counted of them all the same was paid for.
  raise('ModelCalls', _id.status === 'Succeeded' ? calls : 0);
  raise(_id.purpose === 'Embedding' ? 'EmbeddingTokens' : 'PromptTokens', promptTokens);
  raise('CompletionTokens', completionTokens);
  raise('ModelCostUsd', costUsd);
}

function addRuns(into: Map<Key, Used>, { _id, runs, activeMs }: Omit<RunSums, '_id'> & { _id: { key?: Key } }): void {
  const used = usedOf(into, _id.key);
  used.Runs = (used.Runs ?? 0) + runs;
  used.RunMinutes = (used.RunMinutes ?? 0) + activeMs / 60_000;
}

/** In millionths: sums of fractions differ in their last digits by the order in which they were added. */
const roundedUse = (used: Used): Used =>
  Object.fromEntries(Object.entries(used).map(([meter, quantity]) => [meter, rounded(quantity)]));

const compare = (a: Key, b: Key): number => {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  return typeof a === 'number' && typeof b === 'number' ? a - b : String(a) < String(b) ? -1 : 1;
};
