// Training runs: how they move on, and what follows for datasets, pairs and checkpoints, also after a crash in between.
import type { TrainingRunStatus } from '../../../contract/enums.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Filter } from '../../../ports/db.ts';
import type { By, Keeper } from '../../../ports/keeper.ts';
import type { Draft } from '../../../ports/record.ts';
import type { CheckpointBook } from '../checkpoints/book.ts';
import type { DatasetDoc, ItemDoc } from '../datasets/record.ts';
import { exportedOf, type View } from '../datasets/view.ts';
import type { TrainingPairDoc } from '../pairs/record.ts';
import { requireTrainingMove } from '../transitions.ts';
import { type TrainingRunDoc, unheld } from './record.ts';

interface Deps {
  runs: Keeper<TrainingRunDoc>;
  datasets: Keeper<DatasetDoc>;
  items: Keeper<ItemDoc>;
  pairs: Keeper<TrainingPairDoc>;
  checkpoints: CheckpointBook;
  clock: Clock;
}

export type RunChange = Partial<Draft<TrainingRunDoc>>;

/** The dataset as a run got it. */
export const pinnedView = ({ tenantId, datasetId, edition, pinnedAt: at }: TrainingRunDoc): View => ({
  ...{ tenantId, datasetId, edition, at },
});

const ended: readonly TrainingRunStatus[] = ['Approved', 'Rejected', 'Failed', 'Cancelled'];

export function createTrainingBook(deps: Deps) {
  const { runs, clock } = deps;

  const fieldsOf = (old: TrainingRunDoc, to: TrainingRunStatus, told: RunChange): RunChange => {
    const now = new Date(clock.now());
    if (to === 'Queued' && old.status !== 'Queued')
      return {
        ...{ startedAt: null, completedAt: null, errorMessage: null, evaluationMetricsJson: null, attempts: 0 },
        ...{ ...unheld, due: now, round: old.round + 1 },
        ...told,
      };
    return {
      ...(to === 'Running' && old.startedAt === null && { startedAt: now }),
      ...(ended.includes(to) && old.completedAt === null && { completedAt: now }),
      ...(to !== old.status && ended.includes(to) && unheld),
      // An external trainer is notified of the cancel.
      due: to === 'Cancelled' && old.isHanded ? now : null,
      ...told,
    };
  };

  const settle = async (run: TrainingRunDoc): Promise<TrainingRunDoc> => {
    await follow(deps, run);
    const { tenantId, _id, status } = run;
    // Changed meanwhile, it is settled by whoever did.
    await runs.of(tenantId).updateOne({ _id, status }, { $set: { unsettled: false } });
    return { ...run, unsettled: false };
  };

  return {
    settle,
    /**
     * Brings a run to a status, with what follows from that.
     *
     * @param within - what has to be so still
     * @throws Fault INVALID_TRANSITION, NOT_FOUND
     */
    async move(by: By, id: number, to: TrainingRunStatus, told: RunChange = {}, within?: Filter<TrainingRunDoc>) {
      const change = (old: TrainingRunDoc): RunChange => {
        requireTrainingMove(old.status, to);
        return { ...fieldsOf(old, to, told), status: to, unsettled: true };
      };
      return settle(await runs.change(by, id, change, { expecting: ['status'], ...(within && { within }) }));
    },
  };
}
export type TrainingBook = ReturnType<typeof createTrainingBook>;

/** What a status means for what the run has and has made; the same when it is done twice. */
async function follow(deps: Deps, run: TrainingRunDoc): Promise<void> {
  const by = { tenantId: run.tenantId };
  const { checkpoints } = deps;
  switch (run.status) {
    case 'Queued':
    case 'Running':
    case 'Evaluating':
      return holdDataset(deps, run);
    case 'AwaitingApproval':
      await holdDataset(deps, run);
      await madeBy(checkpoints, run);
      return;
    case 'Approved': {
      const made = await madeBy(checkpoints, run);
      if (made) await checkpoints.activate(by, made);
      await use(deps, run);
      return freeDataset(deps, run, 'Trained');
    }
    case 'Rejected': {
      const made = await checkpoints.ofRun(by, run._id);
      if (made && made.status === 'Candidate') await checkpoints.retire(by, made);
      return freeDataset(deps, run, 'Ready');
    }
    case 'Failed':
    case 'Cancelled':
      return freeDataset(deps, run, 'Ready');
    default:
      return run.status satisfies never;
  }
}

/** The checkpoint of what was trained; null where nothing came of it. */
async function madeBy(checkpoints: CheckpointBook, run: TrainingRunDoc) {
  const { tenantId, _id, identityId, adapterOutputPath: weightsPath, baseModelName: modelName } = run;
  if (weightsPath === null) return checkpoints.ofRun({ tenantId }, _id);
  return checkpoints.ofTraining(
    { tenantId },
    { _id, identityId, modelName, weightsPath, architecture: run.baseModelArchitecture },
  );
}

async function holdDataset(deps: Deps, { tenantId, datasetId, _id, edition }: TrainingRunDoc): Promise<void> {
  const { datasets, runs } = deps;
  const held = (old: DatasetDoc) =>
    old.inUseBy !== null
      ? {}
      : { status: 'InUse' as const, inUseBy: _id, usedEdition: Math.max(old.usedEdition, edition) };
  if (!(await datasets.find({ tenantId }, datasetId))) return;
  await datasets.change({ tenantId }, datasetId, held, { expecting: ['inUseBy', 'usedEdition'] });
  // A process that ended the run meanwhile found no dataset to free.
  const now = await runs.find({ tenantId }, _id);
  if (now && ended.includes(now.status)) await freeDataset(deps, now, now.status === 'Approved' ? 'Trained' : 'Ready');
}

async function freeDataset(
  { datasets }: Deps,
  { tenantId, datasetId, _id }: TrainingRunDoc,
  status: 'Ready' | 'Trained',
) {
  const freed = (old: DatasetDoc) => (old.inUseBy === _id ? { status, inUseBy: null } : {});
  if (await datasets.find({ tenantId }, datasetId))
    await datasets.change({ tenantId }, datasetId, freed, { expecting: ['inUseBy'] });
}

/** Pairs that are marked as used at once. */
const batch = 200;

async function use({ items, pairs }: Deps, run: TrainingRunDoc): Promise<void> {
  const own = pairs.of(run.tenantId);
  const mark = (ids: number[]) =>
    own.updateMany({ _id: { $in: ids }, curationStatus: 'Approved' }, { $set: { curationStatus: 'Used' } });
  let ids: number[] = [];
  for await (const { pairId } of exportedOf(items.of, pinnedView(run), false)) {
    ids.push(pairId);
    if (ids.length < batch) continue;
    await mark(ids);
    ids = [];
  }
  if (ids.length > 0) await mark(ids);
}
