// Training pairs as they are kept.
import { record, type Stored } from '../../../ports/record.ts';
import type { TrainingPairDto } from '../dto.ts';

export interface TrainingPairDoc extends Stored<Omit<TrainingPairDto, 'scrubFlags'>> {
  _id: number;
  tenantId: number;
}

export const trainingPairRecord = record<TrainingPairDoc>('training_pairs', {
  noun: 'training pair',
  list: 'GET /api/identities/{identityId}/training-pairs',
  order: '-createdAtUtc',
  lacks: ['updatedAt'],
  search: ['userPrompt', 'chosenResponse'],
  texts: ['userPrompt', 'chosenResponse'],
  indexes: [
    { keys: { tenantId: 1, identityId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, identityId: 1, curationStatus: 1, createdAt: -1 } },
    { keys: { tenantId: 1, identityId: 1, _id: -1 } },
    // What was harvested already.
    { keys: { tenantId: 1, identityId: 1, sourceReference: 1 } },
  ],
});
