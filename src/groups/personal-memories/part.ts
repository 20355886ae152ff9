// Personal memories as a part of the server.
import { authCollections } from '../../auth/collections.ts';
import { openIndexing } from '../../memory/open-indexing.ts';
import { createKeeper } from '../../ports/keeper.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { chatSessionSpec } from '../chat/documents.ts';
import { createMemoryGate } from '../memory-gate.ts';
import { type PartBase, type PartTool, part, sampleOf } from '../part.ts';
import { createPersonalBook } from './book.ts';
import { createPersonBriefs } from './briefs.ts';
import { personalMemories } from './contract.ts';
import { personalKind, personalMemoryRecord, suggestionRecord } from './record.ts';
import { personalSearch } from './searched.ts';
import { personalMemoriesService } from './service.ts';
import { createExpiry, createSuggestTool } from './suggestions.ts';

/** Interval in ms of the look for suggestions that have expired. */
const expireEveryMs = 60 * 60_000;

export const personalMemoriesPart = part({
  records: [personalMemoryRecord, suggestionRecord],
  contracts: [personalMemories],
  serve: (deps) => [personalMemoriesService(shelfOf(deps))],
  searches: (deps) => [personalSearch(shelfOf(deps))],
  tells: (base) => createPersonBriefs(shelfOf(base).book),
  tools: (base) => {
    const sessions = perTenant(base.db.collection(chatSessionSpec));
    const personOf = async (tenantId: number, id: number) =>
      (await sessions(tenantId).findOne({ _id: id }))?.userId ?? null;
    return [
      createSuggestTool({
        ...shelfOf(base),
        publisher: base.publisher,
        personOf,
        gate: createMemoryGate(base),
      }) as PartTool,
    ];
  },
  rounds: (base) => {
    const { settling, repairing } = openIndexing(base, personalKind, personalMemoryRecord.spec, 'personal memories');
    const expiring = { name: 'suggestions that nobody decided', everyMs: expireEveryMs, work: createExpiry(base) };
    return [settling, repairing, expiring];
  },
  samples: [
    sampleOf(personalMemories, (content) => ({ content }), {
      patch: () => ({ importance: 7 }),
      share: () => ({ visibility: 'AllMyIdentities' as const }),
    }),
  ],
});

function shelfOf(base: PartBase) {
  const { db, indexes, clock } = base;
  const own = {
    memories: createKeeper(personalMemoryRecord, base),
    suggestions: createKeeper(suggestionRecord, base),
    identities: perTenant(authCollections(db).identities),
    indexes,
    clock,
  };
  return { ...own, book: createPersonalBook(own) };
}
