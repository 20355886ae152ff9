// How the search over everything finds routines.
import { visibleTo } from '../../../ports/in-project.ts';
import { holding, type SearchLeg } from '../../../ports/search.ts';
import type { PerTenant } from '../../../ports/tenanted.ts';
import type { RoutineDoc } from './record.ts';

export const routineSearch = (routines: PerTenant<RoutineDoc>): SearchLeg => ({
  kind: 'Routine',
  needs: 'RoutinesRead',
  find: async (caller, sought) => {
    const within = visibleTo<RoutineDoc>(caller);
    const places = { projectId: 'projectId', identityId: 'identityId' } as const;
    const how = { fields: ['name', 'description'] as const, within, sort: { name: 1 } as const, places };
    return (await holding(routines(caller.tenantId), how, sought)).map((doc) => ({
      id: doc._id,
      guid: doc.guid,
      title: doc.name,
      text: doc.description ?? doc.briefMarkdown,
      url: `/routines/${doc._id}`,
      identityId: doc.identityId,
      projectId: doc.projectId,
      tags: [],
      updatedAt: doc.updatedAt,
    }));
  },
});
