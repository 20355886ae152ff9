// Answers what models were used for and what it cost, from the recorded calls.
import type { IdentityDoc } from '../../../auth/documents.ts';
import type { Caller } from '../../../contract/caller.ts';
import { type Handlers, implement } from '../../../contract/operation.ts';
import { toPage } from '../../../contract/page.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Vault } from '../../../kernel/vault.ts';
import type { CallDoc } from '../../../ports/ai-router.ts';
import type { Filter } from '../../../ports/db.ts';
import { visibleTo } from '../../../ports/in-project.ts';
import { pageOf } from '../../../ports/page-of.ts';
import { sortOf } from '../../../ports/sort-of.ts';
import type { PerTenant } from '../../../ports/tenanted.ts';
import { bucketsBetween } from '../../buckets.ts';
import { defined } from '../../fields.ts';
import type { AIRouteDecisionDto } from '../dto.ts';
import type { AiRouterStore } from '../store.ts';
import { aiUsage } from './contract.ts';
import { latencyOf, sumBuckets, sumCalls } from './sums.ts';
import { addTo, average, averageFirstToken, emptyTally, fieldsOf, groupOf, type Tally, tallyOf } from './tally.ts';
import { csvHeader, csvRow, toCallDto, toUsageRow } from './to-dto.ts';

export interface UsageDeps {
  store: AiRouterStore;
  identities: PerTenant<IdentityDoc>;
  vault: Vault;
  clock: Clock;
}

type UsageHandlers = Handlers<typeof aiUsage>;

const day = 86_400_000;
const maxBuckets = 10_000;

export const aiUsageService = implement(aiUsage, (deps: UsageDeps) => ({
  ...totalsHandlers(deps),
  ...callHandlers(deps),
}));

function totalsHandlers({ store, clock }: UsageDeps): Pick<UsageHandlers, 'summary' | 'timeseries'> {
  return {
    summary: async ({ caller, query }) => {
      const { groupBy } = query;
      const window = windowOf(query, clock);
      const filter = toFilter(caller, query, {});
      const calls = store.calls(caller.tenantId);
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
      return {
        fromUtc: window.from.toISOString(),
        toUtc: window.to.toISOString(),
        groupBy: query.groupBy,
        totalCalls: all.calls,
        failedCalls: all.failedCalls,
        fallbackCalls: all.fallbackCalls,
        promptTokens: all.promptTokens,
        completionTokens: all.completionTokens,
        cacheReadTokens: all.cacheReadTokens,
        costUsd: all.costUsd,
        avgLatencyMs: average(all.latencyMs, all.calls),
        latencyP95Ms: await latencyOf(calls, filter, window, 0.95),
        avgTimeToFirstTokenMs: averageFirstToken(all),
        rows: [...groups.values()].map(toUsageRow).sort((a, b) => b.costUsd - a.costUsd || b.calls - a.calls),
      };
    },
    timeseries: async ({ caller, query }) => {
      const { bucket, groupBy } = query;
      const window = windowOf(query, clock);
      const starts = bucketsBetween(bucket, window.from.getTime(), window.to.getTime(), maxBuckets + 1);
      if (starts.length > maxBuckets) throw tooFine();
      const points = new Map<string, Tally>();
      const wanted = { bucket, fields: fieldsOf[groupBy] };
      for await (const one of sumBuckets(store.calls(caller.tenantId), toFilter(caller, query, {}), window, wanted)) {
        const { label } = groupOf(one._id, one.at, groupBy);
        addTo(tallyOf(points, { key: `${one.at}/${label}`, label }), one._id.status, one);
      }
      // Without groups a bucket in which nothing was called is a zero, so that plots have no holes.
      if (groupBy === 'None') for (const at of starts) tallyOf(points, { key: `${at}/`, label: '' });
      const at = ({ key }: Tally) => Number.parseInt(key, 10);
      const sorted = [...points.values()].sort((a, b) => at(a) - at(b) || a.label.localeCompare(b.label));
      return {
        fromUtc: window.from.toISOString(),
        toUtc: window.to.toISOString(),
        bucket,
        points: sorted.map((tally) => ({
          bucketStartUtc: new Date(at(tally)).toISOString(),
          series: groupBy === 'None' ? null : tally.label,
          calls: tally.calls,
          failedCalls: tally.failedCalls,
          promptTokens: tally.promptTokens,
          completionTokens: tally.completionTokens,
          costUsd: tally.costUsd,
          avgLatencyMs: average(tally.latencyMs, tally.calls),
          avgTimeToFirstTokenMs: averageFirstToken(tally),
        })),
      };
    },
  };
}

function callHandlers({ store, identities, vault }: UsageDeps): Pick<UsageHandlers, 'calls' | 'call' | 'export'> {
  const withNames = async (tenantId: number, calls: CallDoc[]) => {
    const ids = [...new Set(calls.flatMap(({ identityId }) => (identityId === null ? [] : [identityId])))];
    const found =
      ids.length > 0
        ? await identities(tenantId)
            .find({ _id: { $in: ids } })
            .toArray()
        : [];
    const names = new Map(found.map(({ _id, name }) => [_id, name]));
    return calls.map((call) => toCallDto(call, names.get(call.identityId ?? 0) ?? null));
  };
  return {
    calls: async ({ caller, query }) => {
      const { items, totalCount } = await pageOf(store.calls(caller.tenantId), {
        page: query.page,
        pageSize: query.pageSize,
        filter: toFilter(caller, query, given(query)),
        sort: sortOf(query.sort ?? '-createdAtUtc'),
      });
      return toPage(await withNames(caller.tenantId, items), totalCount, query);
    },
    call: async ({ caller, params }) => {
      const { tenantId } = caller;
      const call = await store.calls(tenantId).findOne({ _id: params.id, ...visibleTo<CallDoc>(caller) });
      if (!call) throw noCall(params.id);
      const [shown] = await withNames(tenantId, [call]);
      return {
        ...(shown as NonNullable<typeof shown>),
        attempts: call.attempts.map(({ startedAt, ...attempt }) => ({
          ...attempt,
          startedAtUtc: startedAt.toISOString(),
        })),
        decision: call.decisionJson ? (JSON.parse(call.decisionJson) as AIRouteDecisionDto) : null,
        requestJson: call.sealedRequest ? vault.open(tenantId, call.sealedRequest) : null,
        responseJson: call.sealedResponse ? vault.open(tenantId, call.sealedResponse) : null,
      };
    },
    export: ({ caller, query }) => {
      const found = store
        .calls(caller.tenantId)
        .find(toFilter(caller, query, given(query)), { sort: { createdAt: 1, _id: 1 } });
      async function* body(): AsyncGenerator<Uint8Array> {
        const encoder = new TextEncoder();
        yield encoder.encode(csvHeader);
        for await (const call of found) yield encoder.encode(csvRow(toCallDto(call, null)));
      }
      return { kind: 'file', mediaType: 'text/csv; charset=utf-8', body: body(), fileName: 'model-calls.csv' };
    },
  };
}

interface Window {
  from?: Date | undefined;
  to?: Date | undefined;
}

const given = ({ fromUtc, toUtc }: { fromUtc?: string | undefined; toUtc?: string | undefined }): Window => ({
  from: fromUtc === undefined ? undefined : new Date(fromUtc),
  to: toUtc === undefined ? undefined : new Date(toUtc),
});

/** The window asked for, else this day (UTC) and the 30 before it, whose sums the store has: plots begin with a whole day. */
function windowOf(query: Parameters<typeof given>[0], clock: Clock): { from: Date; to: Date } {
  const window = given(query);
  const to = window.to ?? new Date(clock.now() + 1);
  const from = window.from ?? new Date(Math.floor(to.getTime() / day - 30) * day);
  if (from <= to) return { from, to };
  throw new Fault('VALIDATION_FAILED', 'The window ends before it begins.', { hint: 'Give fromUtc before toUtc.' });
}

interface Filters {
  providerId?: number | undefined;
  modelId?: string | undefined;
  routeId?: number | undefined;
  identityId?: number | undefined;
  projectId?: number | undefined;
  runId?: number | undefined;
  chatSessionId?: number | undefined;
  purpose?: CallDoc['purpose'] | undefined;
  status?: CallDoc['status'] | undefined;
  minCostUsd?: number | undefined;
  orgUnitId?: number | undefined;
}

function toFilter(caller: Caller, filters: Filters, { from, to }: Window): Filter<CallDoc> {
  if (filters.orgUnitId !== undefined) {
    throw new Fault('VALIDATION_FAILED', 'Calls are not counted by organisational unit.', {
      hint: 'Filter by identityId or projectId instead.',
    });
  }
  const { providerId, modelId, routeId, identityId, projectId, runId, chatSessionId, purpose, status } = filters;
  const createdAt = { ...(from && { $gte: from }), ...(to && { $lt: to }) };
  return {
    ...visibleTo<CallDoc>(caller),
    ...defined({ providerId, modelId, routeId, identityId, projectId, runId, chatSessionId, purpose, status }),
    ...(filters.minCostUsd !== undefined && { costUsd: { $gte: filters.minCostUsd } }),
    ...((from || to) && { createdAt }),
  } as Filter<CallDoc>;
}

const tooFine = () =>
  new Fault('VALIDATION_FAILED', `That would be more than ${maxBuckets} points.`, {
    hint: 'Choose a larger bucket or a shorter window.',
  });

const noCall = (id: number) =>
  new Fault('NOT_FOUND', `There is no recorded call ${id}.`, {
    hint: 'List calls with GET /api/ai-router/usage/calls.',
  });
