// Starts training runs and takes what is reported of them.
import { createHash } from 'node:crypto';
import type { Caller } from '../../../contract/caller.ts';
import { implement } from '../../../contract/operation.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Signer } from '../../../kernel/signer.ts';
import type { Collection } from '../../../ports/db.ts';
import type { Keeper } from '../../../ports/keeper.ts';
import { onceScope } from '../../../ports/once.ts';
import { shown } from '../../../ports/shown.ts';
import { kept } from '../../kept.ts';
import type { Curators } from '../curators.ts';
import { fileOf } from '../datasets/formats.ts';
import type { DatasetDoc, ItemDoc } from '../datasets/record.ts';
import { exportedOf, viewOf } from '../datasets/view.ts';
import { TrainingRunDto } from '../dto.ts';
import type { Owned } from '../owned.ts';
import type { RunChange, TrainingBook } from './book.ts';
import { trainingRuns as group } from './contract.ts';
import { type TrainingRunDoc, unheld } from './record.ts';
import { isToken } from './token.ts';

export interface TrainingDeps {
  runs: Keeper<TrainingRunDoc>;
  /** Training runs of all tenants: an external trainer has the token of one run and nothing else. */
  every: Collection<TrainingRunDoc>;
  datasets: Keeper<DatasetDoc>;
  items: Keeper<ItemDoc>;
  book: TrainingBook;
  owned: Owned;
  curators: Curators;
  signer: Signer;
  clock: Clock;
}

export const toRunDto = (doc: TrainingRunDoc): TrainingRunDto => shown(TrainingRunDto, doc);

export const trainingService = implement(group, (deps: TrainingDeps) => {
  const { runs, every, owned, book, signer } = deps;
  return {
    ...kept(group, runs, {
      below: { param: 'identityId', parent: owned.identity },
      show: async (doc) => toRunDto(doc.unsettled ? await book.settle(doc) : doc),
      showAll: (docs) => docs.map(toRunDto),
      draft: (body, caller, { _id }) => newRun(deps, caller, _id, body),
    }),
    get: async ({ caller, params }) => toRunDto(await owned.one(runs, caller, params.id)),
    setStatus: async ({ caller, params, body }) => {
      const run = await owned.one(runs, caller, params.id);
      const { status, startedAtUtc, completedAtUtc, notes, approvedByName } = body;
      const approval = status === run.status ? {} : await approvalOf(deps, caller, status, approvedByName);
      const told: RunChange = {
        ...toldBy(body),
        ...(notes !== undefined && { notes }),
        ...(startedAtUtc != null && { startedAt: new Date(startedAtUtc) }),
        ...(completedAtUtc != null && { completedAt: new Date(completedAtUtc) }),
        ...approval,
      };
      return toRunDto(await book.move(caller, run._id, status, told));
    },
    report: async ({ params, body }) => {
      const run = await every.findOne({ _id: params.id });
      if (!run || !isToken(signer, run, body.token)) throw wrongToken();
      if (!reportable.includes(body.status)) throw notReported(body.status);
      await book.move({ tenantId: run.tenantId }, run._id, body.status, toldBy(body), { round: run.round });
      return null;
    },
  };
});

const reportable: readonly string[] = ['Running', 'Evaluating', 'AwaitingApproval', 'Failed'];

interface Told {
  adapterOutputPath?: string | null | undefined;
  evaluationMetricsJson?: string | null | undefined;
  errorMessage?: string | null | undefined;
}
const toldBy = ({ adapterOutputPath, evaluationMetricsJson, errorMessage }: Told): RunChange => ({
  ...(adapterOutputPath != null && { adapterOutputPath }),
  ...(evaluationMetricsJson != null && { evaluationMetricsJson }),
  ...(errorMessage != null && { errorMessage }),
});

/** Who approves or rejects. @throws Fault FORBIDDEN for agents, and without the permission */
async function approvalOf(
  { curators }: TrainingDeps,
  caller: Caller,
  to: string,
  name?: string | null,
): Promise<RunChange> {
  if (to !== 'Approved' && to !== 'Rejected') return {};
  if (!caller.permissions.has('TrainingApprove') || !(await curators.isPerson(caller)))
    throw new Fault('FORBIDDEN', 'Only people with the permission TrainingApprove approve and reject training runs.', {
      hint: 'Ask one of them; the run waits.',
    });
  return { approvedByType: 'Human', approvedByName: name ?? caller.name };
}

interface Wanted {
  datasetId: number;
  baseModelName: string;
  baseModelPath?: string | null | undefined;
  baseModelArchitecture?: string | null | undefined;
  hyperparametersJson?: string | null | undefined;
  adapterOutputPath?: string | null | undefined;
  notes?: string | null | undefined;
}

/** A run that waits for its trainer, on the dataset as it is now. @throws Fault INVALID_TRANSITION */
async function newRun(deps: TrainingDeps, caller: Caller, identityId: number, body: Wanted) {
  const { owned, datasets, clock } = deps;
  const dataset = await owned.one(datasets, caller, body.datasetId);
  if (dataset.identityId !== identityId)
    throw new Fault('VALIDATION_FAILED', `Dataset ${dataset._id} belongs to another identity.`, {
      hint: 'List its own with GET /api/identities/{identityId}/datasets.',
    });
  // A repeat finds it in use by the run that it made.
  const isOwn = dataset.inUseBy !== null && onceScope()?.took(dataset.inUseBy) === true;
  const isReady = (dataset.status === 'Ready' || dataset.status === 'Trained') && dataset.pairCount > 0;
  if (!isOwn && !isReady) throw notReady(dataset);
  const now = new Date(clock.now());
  return {
    ...{ identityId, datasetId: dataset._id, baseModelName: body.baseModelName, status: 'Queued' as const },
    ...{ baseModelPath: body.baseModelPath ?? null, baseModelArchitecture: body.baseModelArchitecture ?? null },
    ...{ hyperparametersJson: body.hyperparametersJson ?? null, adapterOutputPath: body.adapterOutputPath ?? null },
    ...{ notes: body.notes ?? null, evaluationMetricsJson: null, approvedByType: null, approvedByName: null },
    ...{ startedAt: null, completedAt: null, errorMessage: null, edition: dataset.edition, pinnedAt: now },
    ...{ ...unheld, unsettled: true, attempts: 0, due: now, round: 1, isHanded: false },
    // What is there already stays as it is.
    ...(isOwn ? { format: 'Dpo' as const, sha256: '' } : await digested(deps, dataset)),
  };
}

/** The file that is trained on: preferences where there are any, else whole conversations. */
async function digested({ items, clock }: TrainingDeps, dataset: DatasetDoc) {
  for (const format of ['Dpo', 'Sft'] as const) {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of fileOf(exportedOf(items.of, viewOf(dataset, clock.now()), false), format)) {
      hash.update(chunk);
      bytes += chunk.length;
    }
    if (bytes > 0) return { format, sha256: hash.digest('hex') };
  }
  throw notReady(dataset);
}

const notReady = ({ _id, status, pairCount }: DatasetDoc) =>
  new Fault(
    'INVALID_TRANSITION',
    `Dataset ${_id} is ${status} with ${pairCount} pairs: nothing can be trained on it.`,
    {
      hint: status === 'InUse' ? 'Wait for its training run to end, or cancel it.' : 'Populate it with approved pairs.',
    },
  );

const wrongToken = () =>
  new Fault('UNAUTHENTICATED', 'This is no token of a training run that is under way.', {
    hint: 'Send the token that came with the run, unchanged; a run that was queued anew has another one.',
  });

const notReported = (status: string) =>
  new Fault('FORBIDDEN', `A trainer does not report ${status}.`, { hint: `It reports ${reportable.join(', ')}.` });
