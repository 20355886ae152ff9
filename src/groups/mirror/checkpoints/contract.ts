// Checkpoints: models that an identity was trained to, where they come from, and which of them is in use.
import { z } from 'zod';
import { crud } from '../../../contract/crud.ts';
import { CheckpointStatus } from '../../../contract/enums.ts';
import { group, op } from '../../../contract/operation.ts';
import { int64, string } from '../../../contract/types.ts';
import { ModelCheckpointDto } from '../dto.ts';

const text = string.trim().min(1).max(300);

const { list, create, get } = crud({
  noun: 'checkpoint',
  at: '/identities/{identityId}/checkpoints',
  one: '/checkpoints/{id}',
  dto: ModelCheckpointDto,
  read: 'MirrorRead',
  write: 'MirrorWrite',
  sorts: ['createdAtUtc', 'id'],
  filters: { status: CheckpointStatus.optional(), modelName: text.optional() },
  create: {
    modelName: text,
    version: string.trim().min(1).max(50),
    architecture: text.nullish(),
    weightsPath: string.trim().min(1).max(2000).nullish(),
    parentCheckpointId: int64.nullish(),
    trainingRunId: int64.nullish(),
    status: CheckpointStatus.nullish(),
    description: string.max(8000).nullish(),
  },
  patch: {},
  docs: {
    list: 'List the checkpoints of an identity, newest first.',
    create:
      'Note a checkpoint. With status Active, which takes TrainingApprove, routes use it from now on, and the one before retires.',
  },
});

export const checkpoints = group(
  'Mirror',
  { id: 'Checkpoints', base: '/api', doc: 'Models that an identity was trained to.' },
  {
    list,
    create,
    get,
    lineage: op.get('/checkpoints/{id}/lineage', {
      doc: 'The checkpoints that one comes from, the oldest first, itself last.',
      needs: 'MirrorRead',
      data: z.array(ModelCheckpointDto),
    }),
  },
);
