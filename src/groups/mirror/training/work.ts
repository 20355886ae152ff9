// The work on training runs: queued ones go to the trainer, those of dead servers fail, cancelled ones are stopped.
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Logger } from '../../../kernel/logger.ts';
import type { Collection, Filter } from '../../../ports/db.ts';
import type { Keeper } from '../../../ports/keeper.ts';
import { polled } from '../../../ports/polled.ts';
import type { Trained, Trainer, TrainingJob } from '../../../ports/trainer.ts';
import { fileOf } from '../datasets/formats.ts';
import type { DatasetDoc, ItemDoc } from '../datasets/record.ts';
import { exportedOf } from '../datasets/view.ts';
import { pinnedView, type TrainingBook } from './book.ts';
import { type TrainingRunDoc, unheld } from './record.ts';
import { toRunDto } from './service.ts';

export interface WorkDeps {
  every: Collection<TrainingRunDoc>;
  runs: Keeper<TrainingRunDoc>;
  datasets: Keeper<DatasetDoc>;
  items: Keeper<ItemDoc>;
  book: TrainingBook;
  trainer: Trainer | null;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
  nodeId: string;
  /** No other process works on this store. */
  alone: boolean;
}

/** Milliseconds after which a server that says nothing is taken for dead. */
const leaseMs = 30_000;
/** Runs that one process trains or hands over at once. */
const mostAtOnce = 2;
const mostAttempts = 6;
const long = new Date(0);

const lost = 'The server stopped while the trainer was at work. Set the status to Queued to train again.';

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small functions over what is under way, which call each other.
export function createTrainingWork(deps: WorkDeps) {
  const { every, runs, book, trainer, clock, log, nodeId } = deps;
  const underWay = new Map<number, { stop: AbortController; done: Promise<void> }>();
  let closing = false;

  const held = () => ({ owner: nodeId, leaseUntil: new Date(clock.now() + leaseMs) });

  /** Null where somebody else was faster, or it was cancelled. */
  const claim = async (run: TrainingRunDoc): Promise<TrainingRunDoc | null> => {
    const { tenantId, _id, due, status } = run;
    const $set = { ...held(), due: null, attempts: run.attempts + 1 };
    return every.findOneAndUpdate({ _id, tenantId, due, status }, { $set }, { returnDocument: 'after' });
  };

  const train = async (claimed: TrainingRunDoc, by: Trainer, signal: AbortSignal): Promise<void> => {
    const { tenantId, _id } = claimed;
    const mine = { owner: nodeId, round: claimed.round };
    if (claimed.status === 'Cancelled') {
      const told = await by.cancel?.(await jobOf(deps, claimed), signal);
      const again = told?.kind === 'later' && claimed.attempts < mostAttempts;
      const due = again ? new Date(clock.now() + told.waitMs) : null;
      await every.updateOne({ _id, ...mine }, { $set: { ...unheld, due } });
      return;
    }
    if (by.isLocal) await book.move({ tenantId }, _id, 'Running', {}, mine);
    await conclude(claimed, await by.train(await jobOf(deps, claimed), signal), mine);
  };

  const conclude = async (
    run: TrainingRunDoc,
    came: Trained,
    mine: { owner: string; round: number },
  ): Promise<void> => {
    const { tenantId, _id } = run;
    if (came.kind === 'trained') {
      await book.move({ tenantId }, _id, 'Evaluating', {}, mine);
      const { adapterOutputPath, metricsJson: evaluationMetricsJson } = came;
      await book.move(
        { tenantId },
        _id,
        'AwaitingApproval',
        { ...unheld, adapterOutputPath, evaluationMetricsJson },
        mine,
      );
    } else if (came.kind === 'handed')
      await book.move({ tenantId }, _id, 'Running', { ...unheld, isHanded: true }, mine);
    else if (came.kind === 'later' && run.attempts < mostAttempts) {
      const $set = { ...unheld, due: new Date(clock.now() + came.waitMs), errorMessage: came.error };
      await every.updateOne({ _id, status: 'Queued', ...mine }, { $set });
    } else await fail(run, came.error, mine);
  };

  /** By way of Running, which a run fails from. */
  const fail = async (
    { tenantId, _id }: TrainingRunDoc,
    errorMessage: string,
    mine: Filter<TrainingRunDoc>,
  ): Promise<void> => {
    const now = await runs.find({ tenantId }, _id);
    if (now?.status === 'Queued') await book.move({ tenantId }, _id, 'Running', {}, mine);
    await book.move({ tenantId }, _id, 'Failed', { errorMessage }, mine);
  };

  const start = (claimed: TrainingRunDoc, by: Trainer): void => {
    const stop = new AbortController();
    const done = train(claimed, by, stop.signal)
      .catch((error: unknown) => {
        // Cancelled or queued anew meanwhile: what came of it belongs to nobody.
        if (error instanceof Fault && (error.code === 'NOT_FOUND' || error.code === 'INVALID_TRANSITION')) return;
        log.warn({ err: error, trainingRun: claimed._id }, 'a training run could not be worked on');
        return fail(claimed, 'The server could not go on with it; its log says why.', { owner: nodeId }).catch(
          () => {},
        );
      })
      .finally(() => underWay.delete(claimed._id));
    underWay.set(claimed._id, { stop, done });
  };

  const take = async (by: Trainer): Promise<void> => {
    const due = { due: { $gt: long, $lte: new Date(clock.now()) }, _id: { $nin: [...underWay.keys()] } };
    const waiting = await every.find(due, { sort: { due: 1 }, limit: mostAtOnce }).toArray();
    for (const run of waiting) {
      if (closing || underWay.size >= mostAtOnce) return;
      const claimed = await claim(run);
      if (claimed) start(claimed, by);
    }
  };

  /** Keeps what is under way, and stops what is no longer ours. */
  const renew = async (): Promise<void> => {
    for (const [_id, { stop }] of underWay) {
      const { matchedCount } = await every.updateOne({ _id, owner: nodeId }, { $set: held() });
      if (matchedCount === 0) stop.abort(new Error('the training run was cancelled'));
    }
  };

  const findHeld = polled(every, () => every.find({ leaseUntil: { $gt: long } }, { limit: 200 }).toArray());
  const findUnsettled = polled(every, () => every.find({ unsettled: true }, { limit: 100 }).toArray());

  const recover = async (isLost: (run: TrainingRunDoc) => boolean): Promise<void> => {
    const all = await findHeld();
    for (const run of all.filter((one) => isLost(one) && !underWay.has(one._id))) {
      const { _id, tenantId, owner, leaseUntil, status } = run;
      const whose = { owner, leaseUntil };
      if (status === 'Running' || status === 'Evaluating')
        await book.move({ tenantId }, _id, 'Failed', { errorMessage: lost }, whose).catch(() => null);
      // The job may have been handed over already: a trainer knows a repeat by its key.
      else await every.updateOne({ _id, ...whose }, { $set: { ...unheld, due: new Date(clock.now()) } });
    }
  };

  return {
    async round(): Promise<void> {
      for (const run of await findUnsettled()) await book.settle(run);
      await renew();
      await recover(({ leaseUntil }) => leaseUntil !== null && leaseUntil.getTime() <= clock.now());
      if (trainer && !closing) await take(trainer);
    },
    /** Releases leases that were held when the only process of a store started. */
    takeUp: async (): Promise<void> => {
      if (deps.alone) await recover(() => true);
    },
    async close(): Promise<void> {
      closing = true;
      for (const { stop } of underWay.values()) stop.abort(new Error('the server stops'));
      await Promise.all([...underWay.values()].map(({ done }) => done));
    },
  };
}

async function jobOf({ datasets, items }: WorkDeps, run: TrainingRunDoc): Promise<TrainingJob> {
  const { tenantId, datasetId, guid, round, format, sha256 } = run;
  const dataset = await datasets.get({ tenantId }, datasetId);
  const view = pinnedView(run);
  return {
    ...{
      key: `${guid}-${round}`,
      tenantId,
      runId: run._id,
      run: toRunDto(run),
      hyperparametersJson: run.hyperparametersJson,
    },
    dataset: {
      id: datasetId,
      name: dataset.name,
      version: dataset.version,
      pairCount: dataset.pairCount,
      sha256,
      format,
    },
    lines: () => fileOf(exportedOf(items.of, view, false), format),
  };
}
