// How the search over everything finds topics of the help.
import type { SearchLeg } from '../../ports/search.ts';
import type { OpenHelp } from './service.ts';

/** Topics are so few that one is known by its place among them. */
export const topicSearch = (open: () => Promise<OpenHelp>): SearchLeg => ({
  kind: 'HelpTopic',
  needs: 'public',
  find: async (_caller, { question, mode, limit }) => {
    if (mode === 'Semantic') return [];
    const { library, search } = await open();
    return (await search()).find(question, limit).map(({ slug, title, text, snippet, category }) => ({
      id: library.topics.findIndex((one) => one.slug === slug) + 1,
      guid: null,
      title,
      text: text || snippet,
      url: `/help/${slug}`,
      identityId: null,
      projectId: null,
      tags: [category],
      updatedAt: null,
    }));
  },
});
