// Knowledge goals as they are kept.
import { record, type Stored } from '../../ports/record.ts';
import type { KnowledgeGoalDto } from './dto.ts';

export type GoalDoc = Stored<KnowledgeGoalDto>;

export const goalRecord = record<GoalDoc>('knowledge_goals', {
  noun: 'knowledge goal',
  list: 'GET /api/knowledge/goals',
  order: '-priority',
  inProject: true,
  search: ['topic', 'description'],
  texts: ['topic', 'description'],
  indexes: [{ keys: { tenantId: 1, priority: -1 } }, { keys: { tenantId: 1, projectId: 1, status: 1, priority: -1 } }],
});
