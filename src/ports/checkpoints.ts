// Checkpoints of models, as the mirror keeps them and routes read them: what an identity was trained to.
import type { CheckpointStatus } from '../contract/enums.ts';
import { type KeptDoc, record } from './record.ts';

export interface CheckpointDoc extends KeptDoc {
  guid: string;
  identityId: number;
  /** What the provider that serves it calls it. */
  modelName: string;
  version: string;
  architecture: string | null;
  weightsPath: string | null;
  parentCheckpointId: number | null;
  trainingRunId: number | null;
  /** The training run that left it; 0 for one that somebody noted. */
  madeByRunId: number;
  status: CheckpointStatus;
  description: string | null;
}

/** In place of a model's name at its provider: the active checkpoint of the identity that a call is made for. */
export const ownCheckpoint = '{checkpoint}';

export const checkpointRecord = record<CheckpointDoc>('model_checkpoints', {
  noun: 'checkpoint',
  list: 'GET /api/identities/{identityId}/checkpoints',
  order: '-createdAtUtc',
  lacks: ['updatedAt'],
  indexes: [
    { keys: { tenantId: 1, identityId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, identityId: 1, _id: -1 } },
    { keys: { tenantId: 1, trainingRunId: 1 } },
    // A training run leaves one, whoever settles it.
    {
      keys: { tenantId: 1, madeByRunId: 1 },
      name: 'made',
      unique: true,
      partialFilterExpression: { madeByRunId: { $gt: 0 } },
    },
    // An identity has one that is active.
    {
      keys: { tenantId: 1, status: 1, identityId: 1 },
      name: 'active',
      unique: true,
      partialFilterExpression: { status: 'Active' },
    },
  ],
});
