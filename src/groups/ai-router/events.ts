// What the model router tells.
import { type EventTable, event } from '../../contract/event.ts';
import { AIBudgetDto, AICallDto, AIProviderHealthDto } from './dto.ts';

export const routerEvents = {
  'router.call': event.passing(AICallDto, ['router'], 'A model call has ended.'),
  'router.health': event.kept(AIProviderHealthDto, ['router', 'system'], 'The health of a provider has changed.'),
  'budget.warning': event.kept(AIBudgetDto, ['router', 'billing'], 'A spending budget is nearly used up.'),
  'budget.exhausted': event.kept(AIBudgetDto, ['router', 'billing'], 'A spending budget is used up.'),
} satisfies EventTable;
