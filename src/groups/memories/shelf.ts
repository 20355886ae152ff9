// Memories as every part of the server takes them: the documents, the search over them, and who is told.
import { authCollections } from '../../auth/collections.ts';
import { createKeeper } from '../../ports/keeper.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { graphOf } from '../graph/shelf.ts';
import { createInterests } from '../interests/book.ts';
import type { PartBase } from '../part.ts';
import { createLibrary } from './library.ts';
import { linkRecord, type MemoryDoc, memoryRecord } from './record.ts';
import { createSealing } from './sealing.ts';
import { createSearchMemories } from './search.ts';
import { createTeller } from './tell.ts';

/** Tags that may be kept elsewhere as they are: interests are not encrypted. */
const openTags = (memory: MemoryDoc | null): readonly string[] => (!memory || memory.sealedBy ? [] : memory.tags);

export function shelfOf(base: PartBase) {
  const { db, indexes, clock, publisher, quotas } = base;
  const interests = createInterests(base);
  const memories = createKeeper(memoryRecord, {
    ...base,
    // What an identity tags its memories with is what it cares about.
    told: async ({ how, doc, before }) => {
      const told = (tags: readonly string[], by: 1 | -1) => interests.mentioned(doc.tenantId, doc.identityId, tags, by);
      const [now, then] = [openTags(doc), openTags(before)];
      if (how === 'removed') return told(now, -1);
      await told(
        now.filter((tag) => !then.includes(tag)),
        1,
      );
      await told(
        then.filter((tag) => !now.includes(tag)),
        -1,
      );
    },
  });
  const own = { memories, links: createKeeper(linkRecord, base) };
  const sealing = createSealing(base);
  const library = createLibrary({
    ...own,
    indexes,
    clock,
    changes: db.changes,
    sealing,
    quotas,
    graph: graphOf(base).book,
  });
  const all = perTenant(authCollections(db).identities);
  return {
    ...own,
    sealing,
    library,
    search: createSearchMemories({ library, identities: all }),
    tell: createTeller(publisher),
  };
}
