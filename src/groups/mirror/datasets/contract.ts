// Datasets: approved pairs that are trained on together, with versions, and frozen for each training that used them.
import { z } from 'zod';
import { crud } from '../../../contract/crud.ts';
import { CurationStatus, DatasetFormat, DatasetStatus, TrainingObjective } from '../../../contract/enums.ts';
import { group, op } from '../../../contract/operation.ts';
import { boolean, fields, int32, int64, string } from '../../../contract/types.ts';
import { DatasetPopulateResult, givenTags, TrainingDatasetDto } from '../dto.ts';

const read = 'MirrorRead';
const write = 'MirrorWrite';
export const mostPairs = 20_000;

const { list, create, get, remove } = crud({
  noun: 'dataset',
  at: '/identities/{identityId}/datasets',
  one: '/datasets/{id}',
  dto: TrainingDatasetDto,
  read,
  write,
  sorts: ['createdAtUtc', 'name', 'id'],
  filters: {
    status: DatasetStatus.optional(),
    primaryObjective: TrainingObjective.optional(),
    q: string.max(200).optional(),
  },
  create: {
    name: string.trim().min(1).max(200),
    description: string.max(8000).nullish(),
    version: string.trim().min(1).max(50).nullish(),
    primaryObjective: TrainingObjective,
  },
  patch: {},
  docs: {
    list: 'List the datasets of an identity, newest first.',
    create: 'Create an empty dataset; populate it then.',
    remove: 'Delete a dataset that no training run has used.',
  },
});

export const datasets = group(
  'Mirror',
  { id: 'Datasets', base: '/api', doc: 'Approved pairs that are trained on together.' },
  {
    list,
    create,
    get,
    remove,
    populate: op.post('/datasets/{id}/populate', {
      timeoutMs: 120_000,
      doc: 'Put pairs into a dataset, by id or by what they are; drafts, doubles and what is in it already are skipped. Later changes are a new version.',
      needs: write,
      body: fields({
        pairIds: z.array(int64).min(1).max(5000).nullish(),
        objective: TrainingObjective.nullish(),
        tags: givenTags.nullish(),
        curationStatus: CurationStatus.nullish(),
        maxPairs: int32.min(1).max(mostPairs).nullish(),
        replace: boolean.nullish(),
      }),
      data: DatasetPopulateResult,
    }),
    export: op.get('/datasets/{id}/export', {
      doc: 'Download a dataset: OpenAI chat JSONL unless another format is asked for. flavour and runId are ours: OpenAi or Kto lines, and the pairs as a training run got them.',
      needs: read,
      query: fields({
        format: DatasetFormat.default('Jsonl'),
        includeRejected: boolean.optional(),
        flavour: z.enum(['Trl', 'OpenAi', 'Kto']).optional(),
        runId: int64.optional(),
      }),
      data: string,
      reply: 'file',
      mediaType: ['application/jsonl', 'text/csv'],
    }),
  },
);
