// How the search over everything finds facts: what holds now, in the projects that are the caller's.
import type { FactReading } from '../../memory/facts/reading.ts';
import { mayReadIn } from '../../ports/in-project.ts';
import type { SearchLeg } from '../../ports/search.ts';
import type { ProjectAccess } from '../../projects/access.ts';

interface Deps {
  reading: FactReading;
  projects: Pick<ProjectAccess, 'openTo'>;
}

export const factSearch = ({ reading, projects }: Deps): SearchLeg => ({
  kind: 'Fact',
  needs: 'FactsRead',
  find: async (caller, { question, mode, limit, projectId }) => {
    // Facts have words only.
    if (mode === 'Semantic') return [];
    const { tenantId } = caller;
    const open = await projects.openTo(caller, projectId);
    // Facts may also be of an id that nobody declared, where it is named.
    const named = projectId !== null && mayReadIn(caller, projectId) ? [projectId] : [];
    const projectIds = [...new Set([...named, ...open.map(({ project }) => project._id)])];
    const found = await reading.search({ tenantId, question, limit, currentOnly: true, projectIds });
    return found.map(({ version }) => ({
      id: version._id,
      guid: version.guid,
      title: version.key,
      text: version.value,
      url: `/memory/facts?project=${version.projectId}&key=${encodeURIComponent(version.key)}`,
      identityId: null,
      projectId: version.projectId,
      tags: version.category ? [version.category] : [],
      updatedAt: version.createdAt,
    }));
  },
});
