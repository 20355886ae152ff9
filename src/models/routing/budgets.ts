// Spending limits: which of them a call counts against, how full they are, and adding what was spent.
import type { BudgetState } from '../../contract/enums.ts';
import type { Clock } from '../../kernel/clock.ts';
import { type BudgetDoc, budgetSpec } from '../../ports/ai-router.ts';
import type { Db } from '../../ports/db.ts';
import type { BudgetUse } from '../../ports/model-router.ts';
import { periodEnd, periodStart } from './periods.ts';

/** Who and what a call is counted against. */
export interface Spender {
  identityId?: number | null | undefined;
  userId?: number | null | undefined;
  projectId?: number | null | undefined;
  /** The organisation unit that the work belongs to, and those above it, the nearest first. */
  orgUnitIds?: readonly number[] | undefined;
  role?: string | null | undefined;
  providerId?: number | null | undefined;
  modelId?: string | null | undefined;
  routeId?: number | null | undefined;
}

/** Whether a budget counts what this spender spends. */
export function appliesTo(budget: BudgetDoc, spender: Spender): boolean {
  const { scope, scopeId, scopeKey, enabled } = budget;
  if (!enabled) return false;
  switch (scope) {
    case 'Tenant':
      return true;
    case 'Identity':
      return scopeId !== null && scopeId === spender.identityId;
    case 'User':
      return scopeId !== null && scopeId === spender.userId;
    case 'Project':
      return scopeId !== null && scopeId === spender.projectId;
    case 'Provider':
      return scopeId !== null && scopeId === spender.providerId;
    case 'Route':
      return scopeId !== null && scopeId === spender.routeId;
    case 'Role':
      return scopeKey !== null && scopeKey.toLowerCase() === spender.role?.toLowerCase();
    case 'Model':
      return scopeKey !== null && scopeKey === spender.modelId;
    case 'OrgUnit':
      return ofUnit(budget, spender.orgUnitIds ?? []);
    default:
      return scope satisfies never;
  }
}

const ofUnit = ({ scopeId, includeDescendants = true }: BudgetDoc, path: readonly number[]): boolean =>
  scopeId !== null && (includeDescendants ? path.includes(scopeId) : path[0] === scopeId);

/** How full a budget is now; a period that has ended counts as empty. */
export function budgetUse(budget: BudgetDoc, now: number): BudgetUse {
  const start = periodStart(budget.period, now);
  const current = budget.periodStart.getTime() >= start;
  const spentUsd = current ? budget.spentUsd : 0;
  const usedTokens = current ? budget.usedTokens : 0;
  const end = periodEnd(budget.period, start);
  const parts = [
    ...(budget.limitUsd === null ? [] : [share(spentUsd, budget.limitUsd)]),
    ...(budget.limitTokens === null ? [] : [share(usedTokens, budget.limitTokens)]),
  ];
  const percent = Math.max(0, ...parts);
  const state = stateOf(parts.length > 0, percent, budget);
  const period = { periodStart: new Date(start), periodEnd: end === null ? null : new Date(end) };
  return { spentUsd, usedTokens, percent, state, ...period };
}

const share = (used: number, limit: number) => (limit > 0 ? (used / limit) * 100 : 100);

function stateOf(limited: boolean, percent: number, { warnAtPercent }: BudgetDoc): BudgetState {
  if (!limited) return 'Unlimited';
  if (percent >= 100) return 'Exhausted';
  return percent >= warnAtPercent ? 'Warning' : 'Ok';
}

const severity: BudgetState[] = ['Unlimited', 'Ok', 'Warning', 'Exhausted'];
export const worse = (a: BudgetState, b: BudgetState): BudgetState =>
  severity.indexOf(a) >= severity.indexOf(b) ? a : b;

/** Adds to a budget atomically, in the period that holds now. Returns it before and after, or null when it is gone. */
export async function charge(
  { db, clock }: { db: Db; clock: Clock },
  budget: BudgetDoc,
  spent: { usd: number; tokens: number },
): Promise<{ before: BudgetUse; after: BudgetUse; budget: BudgetDoc } | null> {
  const budgets = db.collection(budgetSpec);
  const now = clock.now();
  const start = new Date(periodStart(budget.period, now));
  const own = { _id: budget._id, tenantId: budget.tenantId };
  // The first spender of a period resets the sum; later spenders add to it.
  await budgets.updateOne(
    { ...own, periodStart: { $lt: start } },
    { $set: { periodStart: start, spentUsd: 0, usedTokens: 0 } },
  );
  const before = await budgets.findOneAndUpdate(own, { $inc: { spentUsd: spent.usd, usedTokens: spent.tokens } });
  if (!before) return null;
  const after = {
    ...before,
    spentUsd: before.spentUsd + spent.usd,
    usedTokens: before.usedTokens + spent.tokens,
  };
  return { before: budgetUse(before, now), after: budgetUse(after, now), budget: after };
}
