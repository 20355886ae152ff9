// Pages through what was metered: model calls and runs, each as one record for each of its meters.
import type { Caller } from '../../contract/caller.ts';
import type { UsageMeter } from '../../contract/enums.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { type CallDoc, callSpec } from '../../ports/ai-router.ts';
import type { Collection, Db, Entity, Filter, Projection } from '../../ports/db.ts';
import { visibleTo } from '../../ports/in-project.ts';
import { type PerTenant, perTenant } from '../../ports/tenanted.ts';
import { defined } from '../fields.ts';
import type { UsageRecordDto } from './dto.ts';
import { type MeteredRun, meters } from './meters.ts';
import { rounded } from './money.ts';
import { day } from './periods.ts';

interface Query {
  page: number;
  pageSize: number;
  sort?: string | undefined;
  fromUtc?: string | undefined;
  toUtc?: string | undefined;
  meter?: UsageMeter | undefined;
  projectId?: number | undefined;
  /** A unit with those below it. */
  orgUnitIds?: readonly number[] | undefined;
  identityId?: number | undefined;
  runId?: number | undefined;
  modelId?: string | undefined;
}

/** Records that one look goes through: pages beyond are asked for by a narrower time. */
const deepest = 20_000;
/** How far back a list goes that names no time, in ms. */
const usualMs = 31 * day;
/** Ids of records are those of what they are about, times this, and a place: stable, and each once. */
const idStep = 16;
const places = Object.keys(meters) as UsageMeter[];

/** Fields that records are made of; calls and runs have much more. */
const callFields = {
  ...{ status: 1, purpose: 1, promptTokens: 1, completionTokens: 1, costUsd: 1, projectId: 1, orgUnitId: 1 },
  ...{ identityId: 1, userId: 1, runId: 1, chatSessionId: 1, modelId: 1, providerName: 1, createdAt: 1 },
} as const;
const runFields = { activeMs: 1, projectId: 1, identityId: 1, modelId: 1, createdAt: 1 } as const;

/** Where records come from: what is found, and the records that each document gives, always as many. */
interface Source {
  meters: readonly UsageMeter[];
  count(): Promise<number>;
  /** The records of the newest, or oldest, documents. */
  first(documents: number, direction: 1 | -1): Promise<UsageRecordDto[]>;
}

const ofCalls = ['ModelCalls', 'ModelCostUsd', 'PromptTokens', 'CompletionTokens'] as const;
const ofRuns = ['Runs', 'RunMinutes'] as const;

export async function usageRecords(
  { db, runs, clock }: { db: Db; runs: PerTenant<MeteredRun>; clock: Clock },
  caller: Caller,
  asked: Query,
): Promise<{ items: UsageRecordDto[]; totalCount: number }> {
  const since = Date.parse(asked.toUtc ?? new Date(clock.now()).toISOString()) - usualMs;
  const query = { ...asked, fromUtc: asked.fromUtc ?? new Date(since).toISOString() };
  const sources = [...callSource(db, caller, query), ...runSource(runs, caller, query)];
  const direction = query.sort === 'occurredAtUtc' ? 1 : -1;
  const [from, to] = [(query.page - 1) * query.pageSize, query.page * query.pageSize];
  if (to > deepest)
    throw new Fault('VALIDATION_FAILED', `A list of records is read up to its ${deepest}th.`, {
      hint: 'Narrow it with fromUtc and toUtc.',
    });
  const counts = await Promise.all(sources.map(async (one) => (await one.count()) * one.meters.length));
  const found = await Promise.all(sources.map((one) => one.first(Math.ceil(to / one.meters.length), direction)));
  const sorted = found.flat().sort((a, b) => direction * (compare(a.occurredAtUtc, b.occurredAtUtc) || a.id - b.id));
  return { items: sorted.slice(from, to), totalCount: counts.reduce((sum, one) => sum + one, 0) };
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

function callSource(db: Db, caller: Caller, query: Query): Source[] {
  const { meter, identityId, runId, modelId, projectId, orgUnitIds } = query;
  if (meter !== undefined && meters[meter].kind !== 'calls') return [];
  const calls = perTenant(db.collection(callSpec))(caller.tenantId);
  const wanted = meter === undefined ? ofCalls : ([meter] as const);
  const filter = {
    ...visibleTo<CallDoc>(caller),
    ...defined({ identityId, runId, modelId, projectId }),
    ...(orgUnitIds && { orgUnitId: { $in: [...orgUnitIds] } }),
    ...spanOf(query, (at) => new Date(at)),
    // Each meter has records of the calls that it counts.
    ...(meter === 'ModelCalls' && { status: 'Succeeded' }),
    ...(meter === 'EmbeddingTokens' && { purpose: 'Embedding' }),
    ...(meter === 'PromptTokens' && { purpose: { $ne: 'Embedding' } }),
  } as Filter<CallDoc>;
  return [
    sourceOf(calls, filter, {
      ...{ fields: callFields, meters: wanted },
      records: (call) => wanted.map((one) => recordOfCall(call, one)),
    }),
  ];
}

function runSource(runs: PerTenant<MeteredRun>, caller: Caller, query: Query): Source[] {
  const { meter, identityId, runId, modelId, projectId, orgUnitIds } = query;
  // Runs do not know their unit.
  if ((meter !== undefined && meters[meter].kind !== 'runs') || orgUnitIds !== undefined) return [];
  const wanted = meter === undefined ? ofRuns : ([meter] as const);
  const filter = {
    ...visibleTo<MeteredRun>(caller),
    ...defined({ identityId, modelId, projectId, _id: runId }),
    ...spanOf(query, (at) => at),
  } as Filter<MeteredRun>;
  return [
    sourceOf(runs(caller.tenantId), filter, {
      ...{ fields: runFields, meters: wanted },
      records: (run) => wanted.map((one) => recordOfRun(run, one)),
    }),
  ];
}

const spanOf = ({ fromUtc, toUtc }: Query, as: (at: number) => Date | number) =>
  fromUtc === undefined && toUtc === undefined
    ? {}
    : {
        createdAt: {
          ...(fromUtc !== undefined && { $gte: as(Date.parse(fromUtc)) }),
          ...(toUtc !== undefined && { $lt: as(Date.parse(toUtc)) }),
        },
      };

interface Shape<T> {
  /** What is read of a document. */
  fields: object;
  meters: readonly UsageMeter[];
  records(doc: T): UsageRecordDto[];
}

function sourceOf<T extends Entity & { createdAt: Date | number }>(
  all: Collection<T>,
  filter: Filter<T>,
  { fields, meters: wanted, records }: Shape<T>,
): Source {
  return {
    meters: wanted,
    count: () => all.countDocuments(filter),
    async first(documents, direction) {
      const sort = { createdAt: direction, _id: direction } as never;
      const found = all.find(filter, { sort, limit: documents }).project<T>(fields as Projection<T>);
      return (await found.toArray()).flatMap(records);
    },
  };
}

/** Calls for vectors have their tokens under a meter of their own. */
const tokensOf = (call: CallDoc): UsageMeter => (call.purpose === 'Embedding' ? 'EmbeddingTokens' : 'PromptTokens');

function recordOfCall(call: CallDoc, asked: UsageMeter): UsageRecordDto {
  const meter = asked === 'PromptTokens' ? tokensOf(call) : asked;
  const quantities: Partial<Record<UsageMeter, number>> = {
    ModelCalls: call.status === 'Succeeded' ? 1 : 0,
    ModelCostUsd: rounded(call.costUsd),
    [tokensOf(call)]: call.promptTokens,
    CompletionTokens: call.completionTokens,
  };
  return {
    id: call._id * idStep + places.indexOf(meter),
    meter,
    quantity: quantities[meter] ?? 0,
    costUsd: meter === 'ModelCostUsd' ? rounded(call.costUsd) : 0,
    projectId: call.projectId,
    orgUnitId: call.orgUnitId ?? null,
    identityId: call.identityId,
    userId: call.userId,
    runId: call.runId,
    chatSessionId: call.chatSessionId,
    modelId: call.modelId,
    providerName: call.providerName,
    occurredAtUtc: call.createdAt.toISOString(),
  };
}

function recordOfRun(run: MeteredRun, meter: UsageMeter): UsageRecordDto {
  return {
    id: run._id * idStep + places.indexOf(meter),
    meter,
    quantity: meter === 'Runs' ? 1 : rounded(run.activeMs / 60_000),
    costUsd: 0,
    projectId: run.projectId,
    orgUnitId: null,
    identityId: run.identityId,
    userId: null,
    runId: run._id,
    chatSessionId: null,
    modelId: run.modelId,
    providerName: null,
    occurredAtUtc: new Date(run.createdAt).toISOString(),
  };
}
