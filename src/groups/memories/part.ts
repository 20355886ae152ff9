// Memories as a part of the server.
import { createFinder } from '../../memory/finder.ts';
import { memoriesKind } from '../../memory/memories-kind.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { createProjectAccess } from '../../projects/access.ts';
import { graphOf } from '../graph/shelf.ts';
import { settingOf } from '../identities/settings.ts';
import { createInterests } from '../interests/book.ts';
import { part } from '../part.ts';
import { createMemoryAccess } from './access.ts';
import { memories } from './contract.ts';
import { createMemoryLuggage } from './luggage.ts';
import { linkRecord, type MemoryDoc, memoryRecord } from './record.ts';
import { createMemoryIndexing } from './rounds.ts';
import { memorySearch } from './searched.ts';
import { memoriesService } from './service.ts';
import { shelfOf } from './shelf.ts';
import { createMemoryTools } from './tools.ts';

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
  searches: (deps) => {
    const { indexes, clock, acting, auth } = deps;
    const { memories } = shelfOf(deps);
    const finder = createFinder<MemoryDoc>({ ...indexes, clock }, memoriesKind);
    const access = createMemoryAccess({ memories, acting, isThere: async () => false });
    return [memorySearch({ finder, access, identities: perTenant(auth.identities), acting })];
  },
  luggage: (base) =>
    createMemoryLuggage({
      ...shelfOf(base),
      finder: createFinder<MemoryDoc>({ ...base.indexes, clock: base.clock }, memoriesKind),
      interests: createInterests(base),
    }),
  tools: (base) => createMemoryTools({ ...shelfOf(base), rightsOf: createProjectAccess(base).rightsOfWork }),
  rounds: (base) => {
    const { indexing, settling } = createMemoryIndexing(base, {
      book: graphOf(base).book,
      library: shelfOf(base).library,
    });
    return [settling, { name: 'the indexes of memories', everyMs: repairEveryMs, work: () => indexing.repair() }];
  },
  samples: [],
});
