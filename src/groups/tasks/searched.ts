// How the search over everything finds tasks of projects.
import { visibleTo } from '../../ports/in-project.ts';
import type { Keeper } from '../../ports/keeper.ts';
import { holding, type SearchLeg } from '../../ports/search.ts';
import type { ProjectTaskDoc } from './record.ts';

export const taskSearch = (tasks: Keeper<ProjectTaskDoc>): SearchLeg => ({
  kind: 'Task',
  needs: 'TasksRead',
  find: async (caller, sought) => {
    const within = visibleTo<ProjectTaskDoc>(caller);
    const places = { projectId: 'projectId', identityId: 'assigneeIdentityId' } as const;
    const how = { fields: ['title', 'description'] as const, within, sort: { updatedAt: -1 } as const, places };
    return (await holding(tasks.of(caller.tenantId), how, sought)).map((doc) => ({
      id: doc._id,
      guid: doc.guid,
      title: doc.title,
      text: doc.description ?? '',
      url: `/projects/${doc.projectId}?tab=board&task=${doc._id}`,
      identityId: doc.assigneeIdentityId,
      projectId: doc.projectId,
      tags: doc.tags,
      updatedAt: doc.updatedAt,
    }));
  },
});
