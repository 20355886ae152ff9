// Budgets of money and tokens, by scope and period.
import { crud } from '../../../contract/crud.ts';
import { AIBudgetScope, BudgetAction, BudgetPeriod, BudgetState } from '../../../contract/enums.ts';
import { group } from '../../../contract/operation.ts';
import { boolean, double, int32, int64, string } from '../../../contract/types.ts';
import { AIBudgetDto } from '../dto.ts';

const name = string.trim().min(1).max(100);
const limitUsd = double.min(0);
const limitTokens = int64.min(0);
const warnAtPercent = int32.min(1).max(100);

export const aiBudgets = group(
  'AIRouter',
  { id: 'AIBudgets', base: '/api/ai-router/budgets', doc: 'Limits of what models may cost.' },
  {
    ...crud({
      noun: 'budget',
      dto: AIBudgetDto,
      read: 'AiRouterRead',
      write: 'AiRouterWrite',
      sorts: ['name', 'createdAtUtc', 'id'],
      filters: { scope: AIBudgetScope.optional(), scopeId: int64.optional(), state: BudgetState.optional() },
      create: {
        name,
        scope: AIBudgetScope,
        scopeId: int64.nullish(),
        scopeKey: string.trim().min(1).max(200).nullish(),
        period: BudgetPeriod,
        limitUsd: limitUsd.nullish(),
        limitTokens: limitTokens.nullish(),
        warnAtPercent: warnAtPercent.nullish(),
        action: BudgetAction.nullish(),
        downgradeRouteId: int64.nullish(),
        enabled: boolean.nullish(),
      },
      patch: {
        name: name.optional(),
        period: BudgetPeriod.optional(),
        limitUsd: limitUsd.nullish(),
        limitTokens: limitTokens.nullish(),
        warnAtPercent: warnAtPercent.optional(),
        action: BudgetAction.optional(),
        downgradeRouteId: int64.nullish(),
        enabled: boolean.optional(),
        resetUsage: boolean.optional(),
      },
      docs: {
        list: 'List budgets of money and tokens with their current use.',
        create: 'Create a budget for a scope and period; roles and models are named by `scopeKey`.',
        get: 'Get one budget and what it has spent.',
        patch: "Change a budget's limits, action or period, or reset it.",
      },
    }),
  },
);
