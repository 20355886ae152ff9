// Answers what models were used for and what it cost, from the recorded calls.
import type { IdentityDoc } from '../../../auth/documents.ts';
import type { Caller } from '../../../contract/caller.ts';
import type { AIUsageGroupBy } from '../../../contract/enums.ts';
import { type Handlers, implement } from '../../../contract/operation.ts';
import { toPage } from '../../../contract/page.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Vault } from '../../../kernel/vault.ts';
import type { UnitsOfTenants } from '../../../org-units/units.ts';
import type { CallDoc } from '../../../ports/ai-router.ts';
import type { Filter } from '../../../ports/db.ts';
import { visibleTo } from '../../../ports/in-project.ts';
import { pageOf } from '../../../ports/page-of.ts';
import { sortOf } from '../../../ports/sort-of.ts';
import type { PerTenant } from '../../../ports/tenanted.ts';
import { defined } from '../../fields.ts';
import type { AIRouteDecisionDto } from '../dto.ts';
import type { AiRouterStore } from '../store.ts';
import { aiUsage } from './contract.ts';
import { latencyOf } from './sums.ts';
import { average, averageFirstToken } from './tally.ts';
import { csvHeader, csvRow, toCallDto } from './to-dto.ts';
import { inUnit, seriesOf, totalsOf, toUsageRows, windowOf } from './totals.ts';

export interface UsageDeps {
  store: AiRouterStore;
  identities: PerTenant<IdentityDoc>;
  vault: Vault;
  clock: Clock;
  units: Pick<UnitsOfTenants, 'treeOf'>;
}

type UsageHandlers = Handlers<typeof aiUsage>;

export const aiUsageService = implement(aiUsage, (deps: UsageDeps) => ({
  ...totalsHandlers(deps),
  ...callHandlers(deps),
}));

function totalsHandlers({ store, clock, units }: UsageDeps): Pick<UsageHandlers, 'summary' | 'timeseries'> {
  type Asked = Filters & { orgUnitId?: number | undefined; groupBy: AIUsageGroupBy };
  /** The calls that are asked for, and the tree that names units; null where no unit is named. */
  const narrowed = async (caller: Caller, { orgUnitId, ...query }: Asked) => {
    const isByUnit = query.groupBy === 'OrgUnit';
    const tree = orgUnitId !== undefined || isByUnit ? await units.treeOf(caller.tenantId) : null;
    const within = orgUnitId !== undefined && tree && inUnit(tree, orgUnitId);
    return { filter: { ...toFilter(caller, query, {}), ...within }, names: isByUnit ? tree : null };
  };
  return {
    summary: async ({ caller, query }) => {
      const { groupBy } = query;
      const window = windowOf(query, clock);
      const { filter, names } = await narrowed(caller, query);
      const calls = store.calls(caller.tenantId);
      const { all, groups } = await totalsOf(calls, filter, window, groupBy);
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
        rows: toUsageRows(groups, names),
      };
    },
    timeseries: async ({ caller, query }) => {
      const window = windowOf(query, clock);
      const { filter, names } = await narrowed(caller, query);
      const found = await seriesOf(store.calls(caller.tenantId), filter, window, query);
      const points = found.map((one) => ({ ...one, series: names?.units.get(Number(one.series))?.name ?? one.series }));
      return { fromUtc: window.from.toISOString(), toUtc: window.to.toISOString(), bucket: query.bucket, points };
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
}

function toFilter(caller: Caller, filters: Filters, { from, to }: Window): Filter<CallDoc> {
  const { providerId, modelId, routeId, identityId, projectId, runId, chatSessionId, purpose, status } = filters;
  const createdAt = { ...(from && { $gte: from }), ...(to && { $lt: to }) };
  return {
    ...visibleTo<CallDoc>(caller),
    ...defined({ providerId, modelId, routeId, identityId, projectId, runId, chatSessionId, purpose, status }),
    ...(filters.minCostUsd !== undefined && { costUsd: { $gte: filters.minCostUsd } }),
    ...((from || to) && { createdAt }),
  } as Filter<CallDoc>;
}

const noCall = (id: number) =>
  new Fault('NOT_FOUND', `There is no recorded call ${id}.`, {
    hint: 'List calls with GET /api/ai-router/usage/calls.',
  });
