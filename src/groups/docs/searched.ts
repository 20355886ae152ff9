// How the search over everything finds documents: through their passages, in the projects that are the caller's.
import type { SearchLeg } from '../../ports/search.ts';
import type { Shelf } from './shelf.ts';

export const docSearch = ({ projects, finding }: Pick<Shelf, 'projects' | 'finding'>): SearchLeg => ({
  kind: 'Doc',
  needs: 'DocsRead',
  find: async (caller, { question, mode, limit, projectId }) => {
    const { tenantId } = caller;
    const open = await projects.openTo(caller, projectId);
    const sights = open.map(({ project, role }) => ({ tenantId, projectId: project._id, role }));
    return (await finding.search(sights, { question, mode, limit })).map(({ doc, snippet, nearness }) => ({
      id: doc._id,
      guid: doc.guid,
      title: doc.title,
      text: snippet,
      url: `/documents?project=${doc.projectId}&doc=${doc._id}`,
      identityId: null,
      projectId: doc.projectId,
      tags: doc.tagList,
      updatedAt: doc.updatedAt,
      nearness,
    }));
  },
});
