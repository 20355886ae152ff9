// Keeps, fills and exports datasets.
import type { Caller } from '../../../contract/caller.ts';
import { implement } from '../../../contract/operation.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Keeper } from '../../../ports/keeper.ts';
import { shown } from '../../../ports/shown.ts';
import { kept } from '../../kept.ts';
import { TrainingDatasetDto } from '../dto.ts';
import type { Owned } from '../owned.ts';
import { datasets as group } from './contract.ts';
import { fileOf, writerOf } from './formats.ts';
import type { Populate } from './populate.ts';
import type { DatasetDoc, ItemDoc } from './record.ts';
import { exportedOf, type View, viewOf } from './view.ts';

export interface DatasetsDeps {
  datasets: Keeper<DatasetDoc>;
  items: Keeper<ItemDoc>;
  owned: Owned;
  clock: Clock;
  populate: Populate;
  /** A dataset as a training run got it. @throws Fault NOT_FOUND for a run of another dataset */
  pinned(caller: Caller, dataset: DatasetDoc, runId: number): Promise<View>;
}

export const datasetsService = implement(group, (deps: DatasetsDeps) => {
  const { datasets, items, owned, clock, populate, pinned } = deps;
  const find = (caller: Caller, id: number) => owned.one(datasets, caller, id);
  return {
    ...kept(group, datasets, {
      below: { param: 'identityId', parent: owned.identity },
      show,
      draft: (body, _caller, { _id: identityId }) => ({
        ...{ identityId, name: body.name, description: body.description ?? null, version: body.version ?? '1.0.0' },
        ...{ primaryObjective: body.primaryObjective, status: 'Draft', pairCount: 0 },
        ...{ edition: 0, usedEdition: 0, inUseBy: null, lock: null, lockedUntil: null },
      }),
    }),
    get: async ({ caller, params }) => show(await find(caller, params.id)),
    remove: async ({ caller, params }) => {
      const dataset = await find(caller, params.id);
      if (dataset.usedEdition > 0) throw isUsed(dataset);
      await datasets.remove(caller, dataset._id);
      await items.of(caller.tenantId).deleteMany({ datasetId: dataset._id });
      return null;
    },
    populate: async ({ caller, params, body }) => {
      const { _id } = await find(caller, params.id);
      return populate(caller, _id, body);
    },
    export: async ({ caller, params, query: { format, flavour, includeRejected = false, runId } }) => {
      const dataset = await find(caller, params.id);
      const view = runId === undefined ? viewOf(dataset, clock.now()) : await pinned(caller, dataset, runId);
      const { mediaType, extension } = writerOf(format, flavour);
      const name = `${dataset.name}-${dataset.version}`.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-');
      return {
        ...{ kind: 'file' as const, mediaType, fileName: `${name}.${extension}` },
        body: fileOf(exportedOf(items.of, view, includeRejected), format, flavour),
      };
    },
  };
});

const show = (doc: DatasetDoc): TrainingDatasetDto => shown(TrainingDatasetDto, doc);

const isUsed = ({ _id }: DatasetDoc) =>
  new Fault('IN_USE', `Dataset ${_id} was trained on, and says what its model has learned.`, {
    hint: 'Populate it anew with replace; what was trained on stays with its training runs.',
  });
