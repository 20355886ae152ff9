// Memories as a part of the server.

import { authCollections } from '../../auth/collections.ts';
import { createIndexing } from '../../memory/indexing.ts';
import { createKeeper } from '../../ports/keeper.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { settingOf } from '../identities/settings.ts';
import { type PartBase, part } from '../part.ts';
import { createMemoryAccess } from './access.ts';
import { createBacklog } from './backlog.ts';
import { memories } from './contract.ts';
import { createLibrary } from './library.ts';
import { linkRecord, memoryRecord } from './record.ts';
import { createSearchMemories } from './search.ts';
import { memoriesService } from './service.ts';
import { createTeller } from './tell.ts';
import { createMemoryTools } from './tools.ts';

/** Milliseconds between two looks for memories that wait for their vectors. */
const settleEveryMs = 1000;
/** Milliseconds between two comparisons of the indexes with the documents. */
const repairEveryMs = 6 * 60 * 60_000;

export const memoriesPart = part({
  records: [memoryRecord, linkRecord],
  contracts: [memories],
  serve: (deps) => {
    const { acting, auth, clock } = deps;
    const own = perTenant(auth.identities);
    const shelf = shelfOf(deps);
    const find = (tenantId: number, id: number) => own(tenantId).findOne({ _id: id, deletedAt: null });
    const access = createMemoryAccess({
      memories: shelf.memories,
      acting,
      isThere: async (tenantId, id) => (await find(tenantId, id)) !== null,
    });
    const incrementOf = async (tenantId: number, id: number) => {
      const identity = await find(tenantId, id);
      return identity ? settingOf(identity, 'memory').linkStrengthIncrement : 0.1;
    };
    return [memoriesService({ ...shelf, access, incrementOf, clock })];
  },
  tools: (base) => createMemoryTools(shelfOf(base)),
  rounds: ({ db, indexes }) => {
    const indexing = createIndexing({ ...indexes, backlog: createBacklog(db) });
    return [
      { name: 'memories that wait for their vectors', everyMs: settleEveryMs, work: () => indexing.round() },
      { name: 'the indexes of memories', everyMs: repairEveryMs, work: () => indexing.repair() },
    ];
  },
  samples: [],
});

/** The documents, the search over them, and who is told. */
function shelfOf(base: PartBase) {
  const { db, indexes, clock, publisher } = base;
  const own = { memories: createKeeper(memoryRecord, base), links: createKeeper(linkRecord, base) };
  const library = createLibrary({ ...own, indexes, clock });
  const all = perTenant(authCollections(db).identities);
  return { ...own, library, search: createSearchMemories({ library, identities: all }), tell: createTeller(publisher) };
}
