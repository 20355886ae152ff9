// Knowledge goals as a part of the server.
import { createKeeper, type Keeper } from '../../ports/keeper.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { memoryRecord } from '../memories/record.ts';
import { type PartBase, part, sampleOf } from '../part.ts';
import { createGoalBriefs } from './briefs.ts';
import { knowledgeGoals } from './contract.ts';
import { type GoalDoc, goalRecord } from './record.ts';
import { createResearch } from './research.ts';
import { goalSearch } from './searched.ts';
import { knowledgeGoalsService, toGoalDto } from './service.ts';
import { createGoalTools } from './tools.ts';

/** Interval in ms of the look for research runs that have ended. */
const settleEveryMs = 2000;

export const knowledgeGoalsPart = part({
  records: [goalRecord],
  contracts: [knowledgeGoals],
  serve: (deps) => [knowledgeGoalsService({ goals: goalsOf(deps), clock: deps.clock })],
  searches: (deps) => [goalSearch(goalsOf(deps))],
  briefs: (base) => createGoalBriefs({ goals: goalsOf(base) }),
  tools: (base) => createGoalTools({ goals: goalsOf(base), research: researchOf(base) }),
  rounds: (base) => [
    { name: 'knowledge goals whose runs have ended', everyMs: settleEveryMs, work: researchOf(base).settle },
  ],
  samples: [sampleOf(knowledgeGoals, (topic) => ({ topic, description: topic }), { patch: () => ({ priority: 60 }) })],
});

const researchOf = (base: PartBase) =>
  createResearch({ ...base, goals: goalsOf(base), memories: perTenant(base.db.collection(memoryRecord.spec)) });

/** Goals publish their changes on the topic of their project. */
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
