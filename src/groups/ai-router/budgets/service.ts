// Keeps budgets; what they have spent is counted by the gateway.
import { implement } from '../../../contract/operation.ts';
import { toPage } from '../../../contract/page.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { BudgetDoc } from '../../../ports/ai-router.ts';
import type { BudgetUse, ModelRouter } from '../../../ports/model-router.ts';
import { defined } from '../../fields.ts';
import { sortOf } from '../../sort.ts';
import type { AIBudgetDto } from '../dto.ts';
import type { AiRouterStore } from '../store.ts';
import { aiBudgets } from './contract.ts';

export interface BudgetDeps {
  store: AiRouterStore;
  router: ModelRouter;
  clock: Clock;
}

export const aiBudgetsService = implement(aiBudgets, ({ store, router, clock }: BudgetDeps) => {
  const { budgets, routes, providers } = store;
  const toDto = async (budget: BudgetDoc) =>
    toBudgetDto(budget, router.budgetUse(budget), await scopeName(store, budget));

  return {
    list: async ({ caller, query }) => {
      const { page, pageSize, sort, state, ...filter } = query;
      const order = sortOf<BudgetDoc>(sort ?? 'name');
      // The state follows from the time of reading; there are few budgets.
      const all = await budgets.of(caller.tenantId).find(defined(filter), { sort: order }).toArray();
      const matching = all.filter((budget) => state === undefined || router.budgetUse(budget).state === state);
      const shown = matching.slice((page - 1) * pageSize, page * pageSize);
      return toPage(await Promise.all(shown.map(toDto)), matching.length, query);
    },
    create: async ({ caller: { tenantId }, body }) => {
      checkScope(body);
      if (body.scope === 'Provider') await providers.get(tenantId, body.scopeId ?? 0);
      if (body.scope === 'Route') await routes.get(tenantId, body.scopeId ?? 0);
      await checkDowngrade(store, tenantId, body.action ?? 'Notify', body.downgradeRouteId ?? null);
      const budget = await budgets.insert(tenantId, {
        name: body.name,
        scope: body.scope,
        scopeId: body.scopeId ?? null,
        scopeKey: body.scopeKey ?? null,
        period: body.period,
        limitUsd: body.limitUsd ?? null,
        limitTokens: body.limitTokens ?? null,
        warnAtPercent: body.warnAtPercent ?? 80,
        action: body.action ?? 'Notify',
        downgradeRouteId: body.downgradeRouteId ?? null,
        enabled: body.enabled ?? true,
        spentUsd: 0,
        usedTokens: 0,
        periodStart: new Date(clock.now()),
      });
      return toDto(budget);
    },
    get: async ({ caller, params }) => toDto(await budgets.get(caller.tenantId, params.id)),
    patch: async ({ caller: { tenantId }, params, body }) => {
      const old = await budgets.get(tenantId, params.id);
      const { resetUsage, ...fields } = body;
      const next = { ...old, ...defined(fields) };
      await checkDowngrade(store, tenantId, next.action, next.downgradeRouteId);
      if (next.limitUsd === null && next.limitTokens === null) throw needsLimit();
      const reset = resetUsage ? { spentUsd: 0, usedTokens: 0, periodStart: new Date(clock.now()) } : {};
      return toDto(await budgets.change(tenantId, params.id, { ...defined(fields), ...reset }));
    },
    remove: async ({ caller: { tenantId }, params }) => {
      await budgets.get(tenantId, params.id);
      await budgets.remove(tenantId, { _id: params.id });
      return null;
    },
  };
});

type Scope = Pick<BudgetDoc, 'scope'> & {
  [K in 'scopeId' | 'scopeKey' | 'limitUsd' | 'limitTokens']?: BudgetDoc[K] | undefined;
};

function checkScope({ scope, scopeId, scopeKey, limitUsd, limitTokens }: Scope): void {
  if (limitUsd == null && limitTokens == null) throw needsLimit();
  const named = scope === 'Role' || scope === 'Model';
  if (named ? !scopeKey : scope !== 'Tenant' && scopeId == null) {
    throw new Fault('VALIDATION_FAILED', `A budget of the scope ${scope} must say which one.`, {
      hint: named ? 'Give its name as scopeKey.' : 'Give its id as scopeId.',
    });
  }
}

const needsLimit = () =>
  new Fault('VALIDATION_FAILED', 'A budget needs a limit.', { hint: 'Give limitUsd, limitTokens, or both.' });

async function checkDowngrade(
  { routes }: AiRouterStore,
  tenantId: number,
  action: BudgetDoc['action'],
  routeId: number | null,
): Promise<void> {
  if (routeId !== null) await routes.get(tenantId, routeId);
  else if (action === 'Downgrade') {
    throw new Fault('VALIDATION_FAILED', 'To downgrade, a budget needs a route to go to.', {
      hint: 'Give downgradeRouteId.',
    });
  }
}

/** Names of what this group keeps itself; others are known by their id. */
async function scopeName({ providers, routes }: AiRouterStore, budget: BudgetDoc): Promise<string | null> {
  const { scope, scopeId, scopeKey, tenantId } = budget;
  if (scopeKey !== null) return scopeKey;
  if (scopeId === null) return null;
  if (scope === 'Provider') return (await providers.of(tenantId).findOne({ _id: scopeId }))?.name ?? null;
  if (scope === 'Route') return (await routes.of(tenantId).findOne({ _id: scopeId }))?.name ?? null;
  return null;
}

/** A budget as it is answered and published. */
export function toBudgetDto(budget: BudgetDoc, use: BudgetUse, name: string | null): AIBudgetDto {
  return {
    id: budget._id,
    guid: budget.guid,
    name: budget.name,
    scope: budget.scope,
    scopeId: budget.scopeId,
    scopeKey: budget.scopeKey,
    scopeName: name,
    period: budget.period,
    limitUsd: budget.limitUsd,
    limitTokens: budget.limitTokens,
    warnAtPercent: budget.warnAtPercent,
    action: budget.action,
    downgradeRouteId: budget.downgradeRouteId,
    enabled: budget.enabled,
    spentUsd: use.spentUsd,
    usedTokens: use.usedTokens,
    percentUsed: use.percent,
    state: use.state,
    periodStartUtc: use.periodStart.toISOString(),
    periodEndUtc: use.periodEnd?.toISOString() ?? null,
    createdAtUtc: budget.createdAt.toISOString(),
    updatedAtUtc: budget.updatedAt.toISOString(),
  };
}
