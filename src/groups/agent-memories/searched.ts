// How the search over everything finds what runs have learned.
import { visibleTo } from '../../ports/in-project.ts';
import { isAsked, type SearchLeg } from '../../ports/search.ts';
import type { LessonDeps, Lessons } from './lessons.ts';
import { type AgentMemoryDoc, lessonScope } from './record.ts';

export const lessonSearch = ({ lessons, book }: Pick<LessonDeps, 'lessons'> & { book: Lessons }): SearchLeg => ({
  kind: 'AgentMemory',
  needs: 'MemoriesRead',
  find: async (caller, sought) => {
    const { question, mode, limit } = sought;
    const load = async (ids: readonly number[]) => {
      const open = { $and: [{ _id: { $in: [...ids] } }, visibleTo<AgentMemoryDoc>(caller), book.open()] };
      return (await lessons.of(caller.tenantId).find(open).toArray()).filter((one) => isAsked(sought, one));
    };
    const found = await book.finder.search({
      ...{ tenantId: caller.tenantId, scopes: [lessonScope] },
      ...{ question, mode, limit, load },
    });
    return found.map(({ doc, nearness }) => ({
      id: doc._id,
      guid: doc.guid,
      title: doc.title,
      text: doc.content,
      url: `/memory/lessons?q=${encodeURIComponent(doc.title)}`,
      identityId: doc.identityId,
      projectId: doc.projectId,
      tags: doc.tags,
      updatedAt: doc.updatedAt,
      nearness,
    }));
  },
});
