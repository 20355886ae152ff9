// How the search over everything finds a person's own memories.
import type { SearchLeg } from '../../ports/search.ts';
import type { PersonalBook, PersonalDeps } from './book.ts';
import { personScope } from './record.ts';

export const personalSearch = ({
  memories,
  book,
}: Pick<PersonalDeps, 'memories'> & { book: PersonalBook }): SearchLeg => ({
  kind: 'PersonalMemory',
  needs: 'self',
  find: async ({ tenantId, userId }, { question, mode, limit }) => {
    if (userId === null) return [];
    const load = (ids: readonly number[]) =>
      memories
        .of(tenantId)
        .find({ $and: [{ _id: { $in: [...ids] }, userId }, book.open()] })
        .toArray();
    const search = { tenantId, scopes: [personScope(userId)], question, mode, limit, load };
    return (await book.finder.search(search)).map(({ doc, nearness }) => ({
      id: doc._id,
      guid: doc.guid,
      title: doc.title ?? doc.content,
      text: doc.content,
      url: `/memory/about-me?q=${encodeURIComponent((doc.title ?? doc.content).slice(0, 100).toWellFormed())}`,
      identityId: doc.sourceIdentityId,
      projectId: null,
      tags: doc.tags,
      updatedAt: doc.updatedAt,
      nearness,
    }));
  },
});
