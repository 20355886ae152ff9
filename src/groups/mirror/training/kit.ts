// What training runs stand on, as the service and the work on them take it.
import type { Clock } from '../../../kernel/clock.ts';
import { checkpointRecord } from '../../../ports/checkpoints.ts';
import type { Db } from '../../../ports/db.ts';
import type { Ids } from '../../../ports/ids.ts';
import { createKeeper } from '../../../ports/keeper.ts';
import type { Publisher } from '../../../ports/stream.ts';
import { createCheckpointBook } from '../checkpoints/book.ts';
import { datasetRecord, itemRecord } from '../datasets/record.ts';
import { trainingPairRecord } from '../pairs/record.ts';
import { createTrainingBook } from './book.ts';
import { trainingRunRecord } from './record.ts';

interface Deps {
  db: Db;
  ids: Ids;
  clock: Clock;
  publisher: Publisher;
  routesChanged(tenantId: number): void;
}

export function trainingOf({ publisher, routesChanged, ...deps }: Deps) {
  const { db, clock } = deps;
  const runs = createKeeper(trainingRunRecord, {
    ...deps,
    told: async ({ how, doc, before }) => {
      if (how === 'removed' || doc.status === before?.status) return;
      const { _id: trainingRunId, tenantId, identityId, datasetId, status } = doc;
      const data = { trainingRunId, identityId, datasetId, status };
      await publisher.publish({ tenantId, topics: [`identity:${identityId}`], type: 'training.run.updated', data });
    },
  });
  const datasets = createKeeper(datasetRecord, deps);
  const items = createKeeper(itemRecord, deps);
  const pairs = createKeeper(trainingPairRecord, deps);
  const checkpoints = createKeeper(checkpointRecord, deps);
  const checkpointBook = createCheckpointBook({ checkpoints, routesChanged });
  const book = createTrainingBook({ runs, datasets, items, pairs, checkpoints: checkpointBook, clock });
  return {
    every: db.collection(trainingRunRecord.spec),
    runs,
    datasets,
    items,
    pairs,
    checkpoints,
    checkpointBook,
    book,
  };
}
