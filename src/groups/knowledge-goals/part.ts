// Knowledge goals as a part of the server.
import { createKeeper, type Keeper } from '../../ports/keeper.ts';
import { type PartBase, part, sampleOf } from '../part.ts';
import { createGoalBriefs } from './briefs.ts';
import { knowledgeGoals } from './contract.ts';
import { type GoalDoc, goalRecord } from './record.ts';
import { goalSearch } from './searched.ts';
import { knowledgeGoalsService, toGoalDto } from './service.ts';

export const knowledgeGoalsPart = part({
  records: [goalRecord],
  contracts: [knowledgeGoals],
  serve: (deps) => [knowledgeGoalsService({ goals: goalsOf(deps), clock: deps.clock })],
  searches: (deps) => [goalSearch(goalsOf(deps))],
  briefs: (base) => createGoalBriefs({ goals: goalsOf(base) }),
  samples: [sampleOf(knowledgeGoals, (topic) => ({ topic, description: topic }), { patch: () => ({ priority: 60 }) })],
});

/** Whoever follows a goal's project is told what becomes of it. */
function goalsOf({ publisher, ...deps }: PartBase): Keeper<GoalDoc> {
  return createKeeper(goalRecord, {
    ...deps,
    told: async ({ how, doc }) => {
      if (how === 'removed' || doc.projectId === null) return;
      const topics = [`project:${doc.projectId}`];
      await publisher.publish({ tenantId: doc.tenantId, topics, type: 'knowledge.goal.updated', data: toGoalDto(doc) });
    },
  });
}
