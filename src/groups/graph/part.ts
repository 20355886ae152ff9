// The graph as a part of the server.

import { createLedger } from '../../memory/facts/ledger.ts';
import { createKeeper } from '../../ports/keeper.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { createMemoryAccess } from '../memories/access.ts';
import { memoryRecord } from '../memories/record.ts';
import { part } from '../part.ts';
import { graph } from './contract.ts';
import { edgeRecord, mentionRecord, nameRecord, nodeRecord } from './record.ts';
import { createNodeIndexing } from './rounds.ts';
import { nodeSearch } from './searched.ts';
import { graphService } from './service.ts';
import { graphOf } from './shelf.ts';
import { createVisibility } from './visible.ts';

export const graphPart = part({
  records: [nodeRecord, nameRecord, edgeRecord, mentionRecord],
  contracts: [graph],
  serve: (deps) => {
    const { db, ids, clock, indexes, acting, auth } = deps;
    const own = graphOf(deps);
    const identities = perTenant(auth.identities);
    const memories = createKeeper(memoryRecord, deps);
    const access = createMemoryAccess({ memories, acting, isThere: async () => false });
    const ledger = createLedger({ db, ids, clock, words: indexes.words });
    const visible = createVisibility({ ...own, identities, acting });
    return [graphService({ ...own, access, ledger, identities, acting, visible, indexes, clock })];
  },
  searches: (deps) => {
    const own = graphOf(deps);
    const identities = perTenant(deps.auth.identities);
    return [nodeSearch({ ...own, visible: createVisibility({ ...own, identities, acting: deps.acting }) })];
  },
  rounds: (base) => {
    const { settling, repairing } = createNodeIndexing(base, graphOf(base).book);
    return [settling, repairing];
  },
  samples: [],
});
