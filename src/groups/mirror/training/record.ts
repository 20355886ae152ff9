// Training runs as they are kept: what they were given, and who is at work on them.
import { record, type Stored } from '../../../ports/record.ts';
import type { TrainingRunDto } from '../dto.ts';

export interface TrainingRunDoc extends Stored<TrainingRunDto> {
  _id: number;
  tenantId: number;
  /** The dataset as it was when the run was made. */
  edition: number;
  pinnedAt: Date;
  /** Format of the file that is trained on, and its digest. */
  format: 'Dpo' | 'Sft';
  sha256: string;
  /** What follows from its status is still to be done. */
  unsettled: boolean;
  /** Who trains it, and until when others take that for alive; null where nobody holds it. */
  owner: string | null;
  leaseUntil: Date | null;
  /** Attempts to hand it to a trainer elsewhere, and when the next one is due; null where none is. */
  attempts: number;
  due: Date | null;
  /** Counts how often it was queued; a trainer of an earlier round reports no more. */
  round: number;
  /** An external trainer has the run. */
  isHanded: boolean;
}

/** Fields of a run without a trainer. */
export const unheld = { owner: null, leaseUntil: null } as const;

export const trainingRunRecord = record<TrainingRunDoc>('training_runs', {
  noun: 'training run',
  list: 'GET /api/identities/{identityId}/training-runs',
  order: '-createdAtUtc',
  lacks: ['updatedAt'],
  indexes: [
    { keys: { tenantId: 1, identityId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, identityId: 1, _id: -1 } },
    { keys: { tenantId: 1, datasetId: 1, _id: -1 } },
    { keys: { due: 1 }, name: 'due', partialFilterExpression: { due: { $gt: new Date(0) } } },
    { keys: { leaseUntil: 1 }, name: 'held', partialFilterExpression: { leaseUntil: { $gt: new Date(0) } } },
    { keys: { _id: 1 }, name: 'unsettled', partialFilterExpression: { unsettled: true } },
  ],
});
