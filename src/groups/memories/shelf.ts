// Memories as every part of the server takes them: the documents, the search over them, and who is told.
import { authCollections } from '../../auth/collections.ts';
import { createKeeper } from '../../ports/keeper.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { graphOf } from '../graph/shelf.ts';
import { createInterests } from '../interests/book.ts';
import type { PartBase } from '../part.ts';
import { createLibrary } from './library.ts';
import { linkRecord, memoryRecord } from './record.ts';
import { createSearchMemories } from './search.ts';
import { createTeller } from './tell.ts';

export function shelfOf(base: PartBase) {
  const { db, indexes, clock, publisher } = base;
  const interests = createInterests(base);
  const memories = createKeeper(memoryRecord, {
    ...base,
    // What an identity tags its memories with is what it cares about.
    told: async ({ how, doc, before }) => {
      const told = (tags: readonly string[], by: 1 | -1) => interests.mentioned(doc.tenantId, doc.identityId, tags, by);
      if (how === 'removed') return told(doc.tags, -1);
      await told(
        doc.tags.filter((tag) => !before?.tags.includes(tag)),
        1,
      );
      await told(
        (before?.tags ?? []).filter((tag) => !doc.tags.includes(tag)),
        -1,
      );
    },
  });
  const own = { memories, links: createKeeper(linkRecord, base) };
  const library = createLibrary({ ...own, indexes, clock, graph: graphOf(base).book });
  const all = perTenant(authCollections(db).identities);
  return { ...own, library, search: createSearchMemories({ library, identities: all }), tell: createTeller(publisher) };
}
