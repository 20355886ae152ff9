// How the search over everything finds projects.
import type { Filter } from '../../ports/db.ts';
import { hiddenFrom } from '../../ports/in-project.ts';
import { holding, type SearchLeg } from '../../ports/search.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import type { ProjectDoc } from '../../projects/record.ts';
import { roleIn } from '../../projects/roles.ts';

export const projectSearch = (projects: PerTenant<ProjectDoc>): SearchLeg => ({
  kind: 'Project',
  needs: 'ProjectsRead',
  find: async (caller, sought) => {
    const hidden = hiddenFrom(caller);
    const within = { deletedAt: null, ...(hidden.length > 0 && { _id: { $nin: hidden } }) } as Filter<ProjectDoc>;
    const places = { projectId: '_id' } as const;
    const how = { fields: ['name', 'key', 'description'] as const, within, sort: { name: 1 } as const, places };
    const found = await holding(projects(caller.tenantId), how, sought);
    return found
      .filter((one) => roleIn(one, caller) !== null)
      .map((doc) => ({
        id: doc._id,
        guid: doc.guid,
        title: doc.name,
        text: doc.description ?? '',
        url: `/projects/${doc._id}`,
        identityId: null,
        projectId: doc._id,
        tags: [doc.key, ...doc.tags],
        updatedAt: doc.updatedAt,
      }));
  },
});
