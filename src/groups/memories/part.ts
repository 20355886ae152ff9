// Memories as a part of the server.
import { perTenant } from '../../ports/tenanted.ts';
import { createProjectAccess } from '../../projects/access.ts';
import { graphOf } from '../graph/shelf.ts';
import { settingOf } from '../identities/settings.ts';
import { createInterests } from '../interests/book.ts';
import { createMemoryGate } from '../memory-gate.ts';
import { part } from '../part.ts';
import { createMemoryAccess } from './access.ts';
import { memories } from './contract.ts';
import { createMemoryLuggage } from './luggage.ts';
import { linkRecord, memoryRecord } from './record.ts';
import { createMemoryIndexing } from './rounds.ts';
import { createSealingRound } from './sealing.ts';
import { memorySearch } from './searched.ts';
import { memoriesService } from './service.ts';
import { shelfOf } from './shelf.ts';
import { createMemoryTools } from './tools.ts';
import { createWarming } from './warming.ts';

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
    return [memoriesService({ ...shelf, access, incrementOf, clock, gate: createMemoryGate(deps) })];
  },
  searches: (deps) => {
    const { acting, auth } = deps;
    const { memories, library } = shelfOf(deps);
    const access = createMemoryAccess({ memories, acting, isThere: async () => false });
    return [memorySearch({ finder: library.finder, access, identities: perTenant(auth.identities), acting })];
  },
  luggage: (base) => {
    const { library, ...own } = shelfOf(base);
    return createMemoryLuggage({ ...own, library, finder: library.finder, interests: createInterests(base) });
  },
  tools: (base) =>
    createMemoryTools({
      ...shelfOf(base),
      rightsOf: createProjectAccess(base).rightsOfWork,
      gate: createMemoryGate(base),
    }),
  rounds: (base) => {
    const { library } = shelfOf(base);
    const { settling, repairing } = createMemoryIndexing(base, { book: graphOf(base).book, library });
    return [settling, repairing, createSealingRound(base), createWarming({ ...base, library })];
  },
  samples: [],
});
