// The budget of a unit: one of the AI router's budgets, of the scope OrgUnit, with what the units above leave of theirs.
import type { Caller } from '../../contract/caller.ts';
import type { Handlers } from '../../contract/operation.ts';
import { Fault } from '../../kernel/fault.ts';
import type { BudgetDoc } from '../../ports/ai-router.ts';
import type { BudgetUse } from '../../ports/model-router.ts';
import type { Draft } from '../../ports/record.ts';
import { totalsOf } from '../ai-router/usage/totals.ts';
import type { Base, Tree } from './base.ts';
import type { orgUnits } from './contract.ts';
import type { OrgUnitBudgetDto } from './dto.ts';

type BudgetHandlers = Pick<Handlers<typeof orgUnits>, 'budget' | 'setBudget'>;

/** Budgets of the tenant's units, by unit: of several that a unit has, its own is the first. */
export async function budgetsOfUnits(
  { store }: Pick<Base, 'store'>,
  tenantId: number,
): Promise<Map<number, BudgetDoc>> {
  const found = await store.budgets
    .of(tenantId)
    .find({ scope: 'OrgUnit' }, { sort: { _id: -1 } })
    .toArray();
  return new Map(found.flatMap((one) => (one.scopeId === null ? [] : [[one.scopeId, one]])));
}

const plain = {
  ...{ limitUsd: null, limitTokens: null, warnAtPercent: 80, action: 'Notify' as const, downgradeRouteId: null },
  ...{ includeDescendants: true, enabled: true, spentUsd: 0, usedTokens: 0 },
};

const nothing = (tenantId: number, now: number): BudgetDoc => ({
  ...plain,
  ...{ _id: 0, guid: '', tenantId, name: '', scope: 'OrgUnit', scopeId: null, scopeKey: null, period: 'Month' },
  ...{ enabled: false, periodStart: new Date(now), createdAt: new Date(0), updatedAt: new Date(0) },
});

/** What calls of the units that a budget counts have spent since a time, from the ledger. */
async function spentSince({ store, clock }: Base, tenantId: number, unitIds: readonly number[], from: Date) {
  const window = { from, to: new Date(clock.now() + 1) };
  const { all } = await totalsOf(store.calls(tenantId), { orgUnitId: { $in: [...unitIds] } } as never, window, 'None');
  return { spentUsd: all.costUsd, usedTokens: all.promptTokens + all.completionTokens };
}

export async function budgetOf(base: Base, { tenantId }: Pick<Caller, 'tenantId'>, tree: Tree, id: number) {
  const { router, clock } = base;
  const budgets = await budgetsOfUnits(base, tenantId);
  const own = budgets.get(id) ?? null;
  const budget = own ?? nothing(tenantId, clock.now());
  const use = router.budgetUse(budget);
  // Without a budget there is no count: what the month has cost is read from the ledger.
  const spent = own ? use : await spentSince(base, tenantId, tree.idsBelow(id), use.periodStart);
  return { own, dto: toDto(id, budget, { ...use, ...pick(spent) }, leftBy(base, budgets, tree, id)) };
}

const pick = ({ spentUsd, usedTokens }: Pick<BudgetUse, 'spentUsd' | 'usedTokens'>) => ({ spentUsd, usedTokens });

/** The least that is left of the budgets that count what a unit spends, and whose that is. */
function leftBy({ router }: Base, budgets: ReadonlyMap<number, BudgetDoc>, tree: Tree, id: number) {
  const limits = tree.pathOf(id).flatMap(({ _id }) => {
    const budget = budgets.get(_id);
    const counts = budget?.enabled && (_id === id || (budget.includeDescendants ?? true));
    if (!budget || !counts || budget.limitUsd === null) return [];
    return [{ orgUnitId: _id, leftUsd: Math.max(0, budget.limitUsd - router.budgetUse(budget).spentUsd) }];
  });
  return limits.reduce<(typeof limits)[number] | null>(
    (least, one) => (least === null || one.leftUsd < least.leftUsd ? one : least),
    null,
  );
}

const toDto = (
  orgUnitId: number,
  budget: BudgetDoc,
  use: BudgetUse,
  left: { orgUnitId: number; leftUsd: number } | null,
): OrgUnitBudgetDto => ({
  orgUnitId,
  budgetId: budget._id || null,
  enabled: budget.enabled,
  period: budget.period,
  limitUsd: budget.limitUsd,
  limitTokens: budget.limitTokens,
  warnAtPercent: budget.warnAtPercent,
  action: budget.action,
  includeDescendants: budget.includeDescendants ?? true,
  spentUsd: use.spentUsd,
  usedTokens: use.usedTokens,
  state: use.state,
  effectiveRemainingUsd: left?.leftUsd ?? null,
  constrainedByOrgUnitId: left?.orgUnitId ?? null,
  periodStartUtc: use.periodStart.toISOString(),
  periodEndUtc: use.periodEnd?.toISOString() ?? null,
  updatedAtUtc: budget._id ? budget.updatedAt.toISOString() : null,
});

export function budgetHandlers(base: Base): BudgetHandlers {
  const { store, router } = base;
  const show = async (caller: Caller, id: number) => {
    const { tree } = await base.find(caller, id);
    return (await budgetOf(base, caller, tree, id)).dto;
  };
  return {
    budget: ({ caller, params }) => show(caller, params.id),
    setBudget: async ({ caller, params, body }) => {
      const { unit, tree } = await base.find(caller, params.id);
      const { own } = await budgetOf(base, caller, tree, params.id);
      const { limitUsd = null, limitTokens = null } = body;
      if (limitUsd === null && limitTokens === null) {
        if (own) await store.budgets.remove(caller, own._id);
        return show(caller, params.id);
      }
      const { warnAtPercent, action, includeDescendants, enabled } = body;
      const fields = {
        ...{ period: body.period, limitUsd, limitTokens },
        warnAtPercent: warnAtPercent ?? plain.warnAtPercent,
        action: action ?? plain.action,
        includeDescendants: includeDescendants ?? plain.includeDescendants,
        enabled: enabled ?? true,
      };
      if (fields.action === 'Downgrade' && own?.downgradeRouteId == null)
        throw new Fault('VALIDATION_FAILED', 'To downgrade, a budget needs a route to go to.', {
          field: 'action',
          hint: 'Set the budget with another action, then give it downgradeRouteId and the action with PATCH /api/ai-router/budgets/{id}.',
        });
      // A count that began otherwise is made anew from the ledger.
      const isSame =
        own && own.period === fields.period && (own.includeDescendants ?? true) === fields.includeDescendants;
      const counts = isSame ? {} : await countOf(fields);
      if (own) await store.budgets.change(caller, own._id, { ...fields, ...counts });
      else {
        const about = { name: `Unit ${unit.name}`, scope: 'OrgUnit' as const, scopeId: unit._id, scopeKey: null };
        await store.budgets.insert(caller, { ...plain, ...about, ...fields, ...counts } as Draft<BudgetDoc>);
      }
      return show(caller, params.id);

      async function countOf({ period, includeDescendants: all }: typeof fields) {
        const { periodStart } = router.budgetUse({ ...nothing(caller.tenantId, base.clock.now()), period });
        const ids = all ? tree.idsBelow(params.id) : [params.id];
        return { ...(await spentSince(base, caller.tenantId, ids, periodStart)), periodStart };
      }
    },
  };
}
