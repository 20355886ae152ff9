// Datasets and what is in them, as they are kept. A dataset counts its editions; each item says in which of them it is.
import { type KeptDoc, record, type Stored } from '../../../ports/record.ts';
import type { TrainingDatasetDto } from '../dto.ts';
import type { TrainingPairDoc } from '../pairs/record.ts';

export interface DatasetDoc extends Stored<TrainingDatasetDto> {
  _id: number;
  tenantId: number;
  /** Grows with each change by populate; 0 while it was always empty. */
  edition: number;
  /** The newest edition that a training run has used; 0 for none. */
  usedEdition: number;
  /** The training run that has it now. */
  inUseBy: number | null;
  /** Who is populating it, and until when others wait. */
  lock: string | null;
  lockedUntil: Date | null;
}

type Content = 'systemPrompt' | 'userPrompt' | 'chosenResponse' | 'rejectedResponse' | 'objective' | 'tags';

/** A pair as it was when it came into the dataset. */
export interface ItemDoc extends KeptDoc, Pick<TrainingPairDoc, Content> {
  datasetId: number;
  pairId: number;
  status: 'Approved' | 'Rejected';
  digest: string;
  /** The first edition that has it, and the first that has it no more. */
  from: number;
  until: number;
  /** When its pair was rejected or deleted: trainings of before keep it. */
  droppedAt: Date | null;
}

/** No edition yet. */
export const always = 2 ** 31 - 1;

export const datasetRecord = record<DatasetDoc>('training_datasets', {
  noun: 'dataset',
  list: 'GET /api/identities/{identityId}/datasets',
  order: '-createdAtUtc',
  search: ['name'],
  lacks: ['updatedAt'],
  indexes: [
    { keys: { tenantId: 1, identityId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, identityId: 1, name: 1 } },
    { keys: { tenantId: 1, identityId: 1, _id: -1 } },
    { keys: { lockedUntil: 1 }, name: 'locked', partialFilterExpression: { lockedUntil: { $gt: new Date(0) } } },
  ],
});

export const itemRecord = record<ItemDoc>('training_dataset_items', {
  noun: 'pair of a dataset',
  list: 'GET /api/datasets/{id}/export',
  order: 'id',
  lacks: ['guid', 'updatedAt'],
  indexes: [
    { keys: { tenantId: 1, datasetId: 1, pairId: 1, from: 1 }, unique: true },
    { keys: { tenantId: 1, pairId: 1 } },
  ],
});
