// Budgets of money and tokens, by scope and period.
import { AIBudgetScope, BudgetAction, BudgetPeriod, BudgetState } from '../../../contract/enums.ts';
import { group, op } from '../../../contract/operation.ts';
import { listQuery, page } from '../../../contract/page.ts';
import { boolean, double, fields, int32, int64, nothing, string } from '../../../contract/types.ts';
import { AIBudgetDto } from '../dto.ts';

const name = string.trim().min(1).max(100);
const limitUsd = double.min(0);
const limitTokens = int64.min(0);
const warnAtPercent = int32.min(1).max(100);

export const aiBudgets = group(
  'AIRouter',
  { id: 'AIBudgets', base: '/api/ai-router/budgets', doc: 'Limits of what models may cost.' },
  {
    list: op.get('', {
      doc: 'List budgets of money and tokens with their current use.',
      needs: 'AiRouterRead',
      query: listQuery(['name', 'createdAtUtc', 'id'], {
        scope: AIBudgetScope.optional(),
        scopeId: int64.optional(),
        state: BudgetState.optional(),
      }),
      data: page(AIBudgetDto),
    }),
    create: op.post('', {
      doc: 'Create a budget for a scope and period; roles and models are named by `scopeKey`.',
      needs: 'AiRouterWrite',
      body: fields({
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
      }),
      data: AIBudgetDto,
    }),
    get: op.get('/{id}', { doc: 'Get one budget and what it has spent.', needs: 'AiRouterRead', data: AIBudgetDto }),
    patch: op.patch('/{id}', {
      doc: "Change a budget's limits, action or period, or reset it.",
      needs: 'AiRouterWrite',
      body: fields({
        name: name.optional(),
        period: BudgetPeriod.optional(),
        limitUsd: limitUsd.nullish(),
        limitTokens: limitTokens.nullish(),
        warnAtPercent: warnAtPercent.optional(),
        action: BudgetAction.optional(),
        downgradeRouteId: int64.nullish(),
        enabled: boolean.optional(),
        resetUsage: boolean.optional(),
      }),
      data: AIBudgetDto,
    }),
    remove: op.delete('/{id}', { doc: 'Delete a budget.', needs: 'AiRouterWrite', data: nothing }),
  },
);
