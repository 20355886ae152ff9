// Training runs: a dataset is handed to a trainer, and what comes of it waits for a person.
import { crud } from '../../../contract/crud.ts';
import { CuratorType, TrainingRunStatus } from '../../../contract/enums.ts';
import { group, op } from '../../../contract/operation.ts';
import { dateTime, fields, int64, jsonText, nothing, string } from '../../../contract/types.ts';
import { TrainingRunDto } from '../dto.ts';

const name = string.trim().min(1).max(300);
const path = string.trim().min(1).max(2000);
const json = jsonText.max(64_000);
const text = string.max(16_000);

const { list, create, get } = crud({
  noun: 'training run',
  at: '/identities/{identityId}/training-runs',
  one: '/training-runs/{id}',
  dto: TrainingRunDto,
  read: 'MirrorRead',
  write: 'MirrorWrite',
  sorts: ['createdAtUtc', 'id'],
  filters: { status: TrainingRunStatus.optional(), datasetId: int64.optional() },
  create: {
    datasetId: int64,
    baseModelName: name,
    baseModelPath: path.nullish(),
    baseModelArchitecture: name.nullish(),
    hyperparametersJson: json.nullish(),
    adapterOutputPath: path.nullish(),
    notes: text.nullish(),
  },
  patch: {},
  docs: {
    list: 'List the training runs of an identity, newest first.',
    create: 'Train on a dataset as it is now: the trainer of the server takes it up, or whoever reports its status.',
  },
});

const reported = {
  status: TrainingRunStatus,
  adapterOutputPath: path.nullish(),
  evaluationMetricsJson: json.nullish(),
  errorMessage: text.nullish(),
};

export const trainingRuns = group(
  'Mirror',
  { id: 'TrainingRuns', base: '/api', doc: 'Datasets handed to trainers, and what comes of it.' },
  {
    list,
    create,
    get,
    setStatus: op.put('/training-runs/{id}', {
      doc: 'Report the status of a training run. Approved and Rejected take TrainingApprove; Cancelled stops the trainer; Queued tries again.',
      needs: 'MirrorWrite',
      body: fields({
        ...reported,
        approvedByType: CuratorType.nullish(),
        approvedByName: string.max(200).nullish(),
        startedAtUtc: dateTime.nullish(),
        completedAtUtc: dateTime.nullish(),
        notes: text.nullish(),
      }),
      data: TrainingRunDto,
    }),
    report: op.post('/training-runs/{id}/report', {
      doc: 'Ours: how a trainer elsewhere reports, with the token that it was sent; it neither approves nor rejects.',
      needs: 'public',
      // What it writes are steps of the work, which the server's own are, too.
      audit: false,
      idempotent: false,
      body: fields({ token: string.min(20).max(200), ...reported }),
      data: nothing,
    }),
  },
);
