// Knowledge goals as they are kept.
import { record, type Stored } from '../../ports/record.ts';
import type { KnowledgeGoalDto, KnowledgeGoalStepDto } from './dto.ts';

type Step = Omit<KnowledgeGoalStepDto, 'atUtc'> & {
  at: Date;
  /** Of the call that took it, which is made once. */
  key: string;
};

export interface GoalDoc extends Stored<KnowledgeGoalDto> {
  /** The run that researches it, whose end it follows; 0 or absent for none. */
  researchRunId?: number;
  /** The newest steps of what is known, oldest first. */
  steps?: Step[];
}

export const goalRecord = record<GoalDoc>('knowledge_goals', {
  noun: 'knowledge goal',
  list: 'GET /api/knowledge/goals',
  order: '-priority',
  staysSmall: true,
  inProject: true,
  search: ['topic', 'description'],
  texts: ['topic', 'description'],
  indexes: [
    { keys: { tenantId: 1, priority: -1 } },
    { keys: { tenantId: 1, projectId: 1, status: 1, priority: -1 } },
    { keys: { researchRunId: 1, _id: 1 }, name: 'researched', partialFilterExpression: { researchRunId: { $gt: 0 } } },
  ],
});
