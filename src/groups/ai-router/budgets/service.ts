// Keeps budgets; what they have spent is counted by the gateway.
import { implement } from '../../../contract/operation.ts';
import { toPage } from '../../../contract/page.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { UnitsOfTenants } from '../../../org-units/units.ts';
import type { BudgetDoc } from '../../../ports/ai-router.ts';
import type { BudgetUse, ModelRouter } from '../../../ports/model-router.ts';
import { shown } from '../../../ports/shown.ts';
import { sortOf } from '../../../ports/sort-of.ts';
import { defined, given } from '../../fields.ts';
import { kept } from '../../kept.ts';
import { AIBudgetDto } from '../dto.ts';
import type { AiRouterStore } from '../store.ts';
import { aiBudgets } from './contract.ts';

export interface BudgetDeps {
  store: AiRouterStore;
  router: ModelRouter;
  clock: Clock;
  units: Pick<UnitsOfTenants, 'require' | 'treeOf'>;
}

export const aiBudgetsService = implement(aiBudgets, ({ store, router, clock, units }: BudgetDeps) => {
  const { budgets, routes, providers } = store;
  const show = async (budget: BudgetDoc) =>
    toBudgetDto(budget, router.budgetUse(budget), await scopeName(store, units, budget));
  const unspent = () => ({ spentUsd: 0, usedTokens: 0, periodStart: new Date(clock.now()) });

  return {
    ...kept(aiBudgets, budgets, {
      show,
      draft: async (body, caller) => {
        checkScope(body);
        if (body.scope === 'Provider') await providers.get(caller, body.scopeId ?? 0);
        if (body.scope === 'Route') await routes.get(caller, body.scopeId ?? 0);
        if (body.scope === 'OrgUnit') await units.require(caller.tenantId, body.scopeId ?? 0);
        const budget = { ...plainBudget, ...given(body), name: body.name, scope: body.scope, period: body.period };
        await checkDowngrade(store, caller.tenantId, budget.action, budget.downgradeRouteId);
        return { ...budget, ...unspent() };
      },
      expecting: ['limitUsd', 'limitTokens', 'action', 'downgradeRouteId'],
      change: async ({ resetUsage, ...fields }, old) => {
        const next = { ...old, ...defined(fields) };
        await checkDowngrade(store, old.tenantId, next.action, next.downgradeRouteId);
        if (next.limitUsd === null && next.limitTokens === null) throw needsLimit();
        return { ...defined(fields), ...(resetUsage ? unspent() : {}) };
      },
    }),
    list: async ({ caller, query }) => {
      const { page, pageSize, sort, state, ...filter } = query;
      const order = sortOf<BudgetDoc>(sort ?? 'name');
      // The state follows from the time of reading; there are few budgets.
      const all = await budgets.of(caller.tenantId).find(defined(filter), { sort: order }).toArray();
      const matching = all.filter((budget) => state === undefined || router.budgetUse(budget).state === state);
      const found = matching.slice((page - 1) * pageSize, page * pageSize);
      return toPage(await Promise.all(found.map(show)), matching.length, query);
    },
  };
});

const plainBudget = {
  scopeId: null,
  scopeKey: null,
  limitUsd: null,
  limitTokens: null,
  warnAtPercent: 80,
  action: 'Notify' as const,
  downgradeRouteId: null,
  enabled: true,
};

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
  if (routeId !== null) await routes.get({ tenantId }, routeId);
  else if (action === 'Downgrade') {
    throw new Fault('VALIDATION_FAILED', 'To downgrade, a budget needs a route to go to.', {
      hint: 'Give downgradeRouteId.',
    });
  }
}

/** Names of what this group keeps itself; others are known by their id. */
async function scopeName(
  { providers, routes }: AiRouterStore,
  units: Pick<UnitsOfTenants, 'treeOf'>,
  budget: BudgetDoc,
): Promise<string | null> {
  const { scope, scopeId, scopeKey, tenantId } = budget;
  if (scopeKey !== null) return scopeKey;
  if (scopeId === null) return null;
  if (scope === 'Provider') return (await providers.of(tenantId).findOne({ _id: scopeId }))?.name ?? null;
  if (scope === 'OrgUnit') return (await units.treeOf(tenantId)).units.get(scopeId)?.name ?? null;
  if (scope === 'Route') return (await routes.of(tenantId).findOne({ _id: scopeId }))?.name ?? null;
  return null;
}

/** A budget as it is answered and published. */
export function toBudgetDto(budget: BudgetDoc, use: BudgetUse, name: string | null): AIBudgetDto {
  const { spentUsd, usedTokens, percent, state, periodStart, periodEnd } = use;
  return shown(AIBudgetDto, budget, {
    scopeName: name,
    spentUsd,
    usedTokens,
    percentUsed: percent,
    state,
    periodStartUtc: periodStart.toISOString(),
    periodEndUtc: periodEnd?.toISOString() ?? null,
  });
}
