// How the search over everything finds what runs have learned.
import { visibleTo } from '../../ports/in-project.ts';
import type { SearchLeg } from '../../ports/search.ts';
import type { LessonDeps, Lessons } from './lessons.ts';
import { type AgentMemoryDoc, lessonScope } from './record.ts';

export const lessonSearch = ({ lessons, book }: Pick<LessonDeps, 'lessons'> & { book: Lessons }): SearchLeg => ({
  kind: 'AgentMemory',
  needs: 'MemoriesRead',
  find: async (caller, { question, mode, limit }) => {
    const load = (ids: readonly number[]) =>
      lessons
        .of(caller.tenantId)
        .find({ $and: [{ _id: { $in: [...ids] } }, visibleTo<AgentMemoryDoc>(caller), book.open()] })
        .toArray();
    const found = await book.finder.search({
      ...{ tenantId: caller.tenantId, scopes: [lessonScope] },
      ...{ question, mode, limit, load },
    });
    return found.map(({ doc, nearness }) => ({
      id: doc._id,
      guid: doc.guid,
      title: doc.title,
      text: doc.content,
      url: `/lessons/${doc._id}`,
      identityId: doc.identityId,
      projectId: doc.projectId,
      tags: doc.tags,
      updatedAt: doc.updatedAt,
      nearness,
    }));
  },
});
