// The mirror as a part of the server.

import type { Caller } from '../../contract/caller.ts';
import { createFinder } from '../../memory/finder.ts';
import { openIndexing } from '../../memory/open-indexing.ts';
import { checkpointRecord } from '../../ports/checkpoints.ts';
import { createKeeper } from '../../ports/keeper.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { feedbackSpec } from '../agent/feedback/feedback.ts';
import { createChatStore } from '../chat/documents.ts';
import { soulVersionRecord } from '../identities/souls/versions.ts';
import { type PartBase, type PartDeps, part } from '../part.ts';
import { checkpoints } from './checkpoints/contract.ts';
import { checkpointsService } from './checkpoints/service.ts';
import { createCurators } from './curators.ts';
import { datasets } from './datasets/contract.ts';
import { createFollowing } from './datasets/following.ts';
import { createPopulate } from './datasets/populate.ts';
import { type DatasetDoc, datasetRecord, itemRecord } from './datasets/record.ts';
import { datasetsService } from './datasets/service.ts';
import { createOwned } from './owned.ts';
import { createPairBook } from './pairs/book.ts';
import { trainingPairs } from './pairs/contract.ts';
import { createHarvests } from './pairs/harvest.ts';
import { trainingPairRecord } from './pairs/record.ts';
import { pairsService } from './pairs/service.ts';
import { reflectionPairs, reflections } from './reflections/contract.ts';
import { reflectionKind, reflectionRecord } from './reflections/record.ts';
import { reflectionSearch } from './reflections/searched.ts';
import { reflectionPairsService, reflectionsService } from './reflections/service.ts';
import { mirrorStatistics } from './statistics/contract.ts';
import { statisticsService } from './statistics/service.ts';
import { pinnedView } from './training/book.ts';
import { trainingRuns } from './training/contract.ts';
import { trainingOf } from './training/kit.ts';
import { trainingRunRecord } from './training/record.ts';
import { trainingService } from './training/service.ts';

export const mirrorPart = part({
  records: [reflectionRecord, trainingPairRecord, datasetRecord, itemRecord, trainingRunRecord, checkpointRecord],
  contracts: [reflections, reflectionPairs, trainingPairs, datasets, trainingRuns, checkpoints, mirrorStatistics],
  serve: (deps) => {
    const kit = kitOf(deps);
    const { ofRuns, db, pairs, book, runs } = kit;
    const feedback = perTenant(db.collection(feedbackSpec));
    const harvests = createHarvests({ ofRuns, feedback, chats: createChatStore(deps), pairs, book });
    const pinned = async (caller: Caller, dataset: DatasetDoc, runId: number) =>
      pinnedView(await runs.get(caller, runId, { datasetId: dataset._id }));
    return [
      reflectionsService(kit),
      reflectionPairsService({ ...kit, pairs: book }),
      pairsService({ ...kit, harvests }),
      datasetsService({ ...kit, populate: createPopulate(kit), pinned }),
      trainingService({ ...kit, book: kit.training }),
      checkpointsService({ ...kit, book: kit.checkpointBook }),
      statisticsService({ ...kit, souls: perTenant(db.collection(soulVersionRecord.spec)) }),
    ];
  },
  searches: (deps) => [
    reflectionSearch({ ...reflectionsOf(deps), acting: deps.acting, identities: perTenant(deps.auth.identities) }),
  ],
  rounds: (base) => {
    const { settling, repairing } = openIndexing(base, reflectionKind, reflectionRecord.spec, 'reflections');
    return [settling, repairing];
  },
  // No samples: reflections belong to an identity, and each walk makes one itself.
  samples: [],
});

function reflectionsOf(base: PartBase) {
  const { indexes, clock } = base;
  const reflections = createKeeper(reflectionRecord, base);
  return { reflections, finder: createFinder({ ...indexes, clock }, reflectionKind) };
}

/** All that the services of the mirror share. */
function kitOf(deps: PartDeps) {
  const owned = createOwned({ acting: deps.acting, identities: perTenant(deps.auth.identities) });
  const curators = createCurators(deps);
  const { book: training, ...kit } = trainingOf(deps);
  const { pairs, datasets, items } = kit;
  const book = createPairBook({
    pairs,
    owned,
    curators,
    followed: createFollowing({ datasets, items, clock: deps.clock }),
  });
  return { ...deps, ...kit, ...reflectionsOf(deps), owned, curators, training, book };
}
