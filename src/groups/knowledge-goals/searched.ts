// How the search over everything finds knowledge goals.
import { visibleTo } from '../../ports/in-project.ts';
import type { Keeper } from '../../ports/keeper.ts';
import { holding, type SearchLeg } from '../../ports/search.ts';
import type { GoalDoc } from './record.ts';

export const goalSearch = (goals: Keeper<GoalDoc>): SearchLeg => ({
  kind: 'KnowledgeGoal',
  needs: 'KnowledgeRead',
  find: async (caller, sought) => {
    const within = visibleTo<GoalDoc>(caller);
    const places = { projectId: 'projectId' } as const;
    const how = { fields: ['topic', 'description'] as const, within, sort: { priority: -1 } as const, places };
    return (await holding(goals.of(caller.tenantId), how, sought)).map((doc) => ({
      id: doc._id,
      guid: doc.guid,
      title: doc.topic,
      text: doc.description,
      url: `/goals?q=${encodeURIComponent(doc.topic)}`,
      identityId: null,
      projectId: doc.projectId,
      tags: doc.tags ?? [],
      updatedAt: doc.updatedAt,
    }));
  },
});
