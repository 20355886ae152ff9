// The background work of memories: what follows each of their writes, and what is left of those that are gone.
import { memoriesKind } from '../../memory/memories-kind.ts';
import { openIndexing } from '../../memory/open-indexing.ts';
import type { Indexes } from '../../memory/ports.ts';
import type { Db, Sort } from '../../ports/db.ts';
import type { GraphBook } from '../graph/book.ts';
import { mentionRecord } from '../graph/record.ts';
import type { Library } from './library.ts';
import { type LinkDoc, linkRecord, type MemoryDoc, memoryRecord } from './record.ts';

interface Follows {
  book: Pick<GraphBook, 'read' | 'forget'>;
  library: Pick<Library, 'relateAgain' | 'placeLinks' | 'reseal' | 'completeMerges' | 'unlink'>;
}

export function createMemoryIndexing(base: { db: Db; indexes: Indexes }, { book, library }: Follows) {
  const mentions = base.db.collection(mentionRecord.spec);
  const links = base.db.collection(linkRecord.spec);
  const endsOf = (end: 'fromMemoryId' | 'toMemoryId') => async (after: number, limit: number) => {
    const inOrder = { [end]: 1 } as Sort<LinkDoc>;
    const some = await links.find({ [end]: { $gt: after } }, { sort: inOrder, limit }).toArray();
    return some.map((link) => ({ id: link[end], tenantId: link.tenantId, scopes: [] }));
  };
  return openIndexing<MemoryDoc>(base, memoriesKind, memoryRecord.spec, 'memories', {
    also: async (memory) => {
      // Its write has made it wait again.
      if (await library.reseal(memory)) return;
      await library.relateAgain(memory);
      await library.completeMerges(memory);
      await library.placeLinks(memory);
      // Names in the graph are not encrypted, so those of encrypted memories are not taken into it.
      if (memory.sealedBy) await book.forget({ tenantId: memory.tenantId }, [memory._id]);
      else await book.read(memory);
    },
    gone: async ({ tenantId, _id }) => {
      await library.unlink({ tenantId }, [_id]);
      await book.forget({ tenantId }, [_id]);
    },
    written: [
      async (after, limit) => {
        const some = await mentions.find({ memoryId: { $gt: after } }, { sort: { memoryId: 1 }, limit }).toArray();
        return some.map(({ memoryId, tenantId }) => ({ id: memoryId, tenantId, scopes: [] }));
      },
      endsOf('fromMemoryId'),
      endsOf('toMemoryId'),
    ],
  });
}
