// What becomes of datasets when one of their pairs is rejected, approved again or deleted.
import type { Clock } from '../../../kernel/clock.ts';
import type { Keeper } from '../../../ports/keeper.ts';
import type { TrainingPairDoc } from '../pairs/record.ts';
import { nextVersion } from './populate.ts';
import { always, type DatasetDoc, type ItemDoc } from './record.ts';

interface Deps {
  datasets: Keeper<DatasetDoc>;
  items: Keeper<ItemDoc>;
  clock: Clock;
}

/**
 * A pair that is rejected or deleted leaves every dataset. What a training run has used stays for that run alone; of
 * the others nothing is left.
 */
export function createFollowing({ datasets, items, clock }: Deps) {
  return async (pair: TrainingPairDoc, how: 'curated' | 'removed'): Promise<void> => {
    if (how === 'curated' && pair.curationStatus !== 'Rejected') return;
    const { tenantId, _id: pairId } = pair;
    const own = items.of(tenantId);
    const inside = await own.find({ pairId, until: always, droppedAt: null }).toArray();
    for (const item of inside) {
      const by = { tenantId };
      const dataset = await datasets.find(by, item.datasetId);
      // Added while it was rejected: then it is there as an answer to avoid.
      if (how === 'curated' && item.status === 'Rejected') continue;
      if (dataset && item.from <= dataset.usedEdition)
        await own.updateOne({ _id: item._id }, { $set: { droppedAt: new Date(clock.now()) } });
      else await own.deleteOne({ _id: item._id });
      if (!dataset) continue;
      const less = (old: DatasetDoc) => ({
        pairCount: Math.max(0, old.pairCount - 1),
        version: nextVersion(old.version),
      });
      await datasets.change(by, dataset._id, less, { expecting: ['pairCount', 'version'] });
    }
  };
}
