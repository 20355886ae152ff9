// Puts pairs into a dataset. Its document is written last: what a crash leaves behind is in no edition, and goes first.
import { createHash, randomUUID } from 'node:crypto';
import type { Caller } from '../../../contract/caller.ts';
import type { CurationStatus, TrainingObjective } from '../../../contract/enums.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Filter } from '../../../ports/db.ts';
import type { Keeper } from '../../../ports/keeper.ts';
import { onceMark } from '../../../ports/once.ts';
import type { TrainingPairDoc } from '../pairs/record.ts';
import { mostPairs } from './contract.ts';
import { createNearness } from './near.ts';
import { always, type DatasetDoc, type ItemDoc } from './record.ts';
import { itemsOf, viewOf } from './view.ts';

export interface Population {
  pairIds?: number[] | null | undefined;
  objective?: TrainingObjective | null | undefined;
  tags?: string[] | null | undefined;
  curationStatus?: CurationStatus | null | undefined;
  maxPairs?: number | null | undefined;
  replace?: boolean | null | undefined;
}

interface Deps {
  datasets: Keeper<DatasetDoc>;
  items: Keeper<ItemDoc>;
  pairs: Keeper<TrainingPairDoc>;
  clock: Clock;
}

/** Milliseconds after which a populate that has not ended is taken for dead. */
const lockMs = 180_000;
const mayEnter: readonly CurationStatus[] = ['Approved', 'Used', 'Rejected'];

export type Populate = ReturnType<typeof createPopulate>;

export function createPopulate(deps: Deps) {
  const { datasets, items, clock } = deps;
  return async (caller: Caller, id: number, wanted: Population) => {
    const dataset = await lock(deps, caller, id);
    try {
      await clean(deps, dataset);
      const { chosen, skipped: unfit } = await choose(deps, caller, dataset, wanted);
      const edition = dataset.edition + 1;
      const plan = await compare(deps, dataset, chosen, wanted.replace ?? false);
      const own = items.of(caller.tenantId);
      for (const pair of plan.fresh) await items.insert(caller, itemOf(dataset, edition, pair));
      for (const { _id } of plan.gone) await own.updateOne({ _id }, { $set: { until: edition } });
      const changed = plan.fresh.length + plan.gone.length > 0;
      const pairCount = plan.kept + plan.fresh.length;
      const ready = await datasets.change(caller, id, {
        ...{ pairCount, status: pairCount > 0 ? 'Ready' : 'Draft', lock: null, lockedUntil: null },
        ...(changed && { edition, version: dataset.edition === 0 ? dataset.version : nextVersion(dataset.version) }),
      });
      const skipped = unfit + plan.doubles;
      const { status } = ready;
      return { datasetId: id, added: plan.fresh.length, skipped, removed: plan.gone.length, pairCount, status };
    } catch (error) {
      await datasets
        .of(caller.tenantId)
        .updateOne({ _id: id }, { $set: { lock: null, lockedUntil: new Date(clock.now()) } });
      throw error;
    }
  };
}

/** One at a time: others are refused meanwhile. @throws Fault CONFLICT, INVALID_TRANSITION */
function lock({ datasets, clock }: Deps, caller: Caller, id: number): Promise<DatasetDoc> {
  const mine = onceMark() ?? randomUUID();
  return datasets.change(
    caller,
    id,
    (old) => {
      if (old.status === 'InUse')
        throw new Fault('INVALID_TRANSITION', `Dataset ${id} is being trained on.`, {
          hint: 'Wait for the training run to end, cancel it, or create another dataset.',
        });
      const isHeld = old.lock !== null && old.lock !== mine && old.lockedUntil !== null;
      if (isHeld && (old.lockedUntil as Date).getTime() > clock.now())
        throw new Fault('CONFLICT', `Somebody is populating dataset ${id}.`, { hint: 'Try again in a moment.' });
      return { lock: mine, lockedUntil: new Date(clock.now() + lockMs) };
    },
    { expecting: ['lock', 'lockedUntil', 'status'] },
  );
}

/** What belongs to an edition that never came about. */
async function clean({ items }: Deps, { _id: datasetId, tenantId, edition }: DatasetDoc): Promise<void> {
  const own = items.of(tenantId);
  await own.deleteMany({ datasetId, from: { $gt: edition } });
  await own.updateMany({ datasetId, until: { $gt: edition, $lt: always } }, { $set: { until: always } });
}

/** The pairs that are asked for, those of the dataset's own objective first; drafts and those of others are not. */
async function choose({ pairs }: Deps, caller: Caller, dataset: DatasetDoc, wanted: Population) {
  const { identityId, primaryObjective } = dataset;
  const own = pairs.of(caller.tenantId);
  if (wanted.pairIds) {
    const ids = [...new Set(wanted.pairIds)];
    const found = await own.find({ _id: { $in: ids }, identityId }, { sort: { _id: 1 } }).toArray();
    const fit = found.filter(({ curationStatus }) => curationStatus === 'Approved' || curationStatus === 'Used');
    return { chosen: fit, skipped: ids.length - fit.length };
  }
  const { curationStatus, objective, tags, maxPairs } = wanted;
  if (curationStatus && !mayEnter.includes(curationStatus))
    throw new Fault('VALIDATION_FAILED', 'Nobody has approved drafts, so nothing is trained on them.', {
      hint: 'Approve them with POST /api/training-pairs/approve first.',
    });
  const which = {
    identityId,
    curationStatus: curationStatus ?? { $in: ['Approved', 'Used'] },
    ...(tags && tags.length > 0 && { tags: { $in: tags } }),
  } as Filter<TrainingPairDoc>;
  const limit = maxPairs ?? mostPairs;
  const find = (more: object, left: number) =>
    left > 0
      ? own.find({ ...which, ...more } as Filter<TrainingPairDoc>, { sort: { createdAt: -1 }, limit: left }).toArray()
      : [];
  const first = await find({ objective: objective ?? primaryObjective }, limit);
  const others = objective ? [] : await find({ objective: { $ne: primaryObjective } }, limit - first.length);
  return { chosen: [...first, ...others], skipped: 0 };
}

/** What is new, what stays and what goes. */
async function compare(
  { items, clock }: Deps,
  dataset: DatasetDoc,
  chosen: readonly TrainingPairDoc[],
  replace: boolean,
) {
  const wanted = new Map(chosen.map((pair) => [pair._id, pair]));
  const isAsked = ({ pairId, digest }: ItemDoc) => {
    const pair = wanted.get(pairId);
    return pair !== undefined && digestOf(pair) === digest;
  };
  const near = createNearness();
  const known = new Set<number>();
  const gone: ItemDoc[] = [];
  for await (const item of itemsOf(items.of, viewOf(dataset, clock.now()))) {
    if (replace && !isAsked(item)) gone.push(item);
    else {
      known.add(item.pairId);
      near.add(textOf(item));
    }
  }
  const room = mostPairs - known.size;
  const fresh = chosen.filter((pair) => !known.has(pair._id) && near.add(textOf(pair))).slice(0, room);
  return { gone, fresh, kept: known.size, doubles: chosen.length - fresh.length };
}

const textOf = ({ userPrompt, chosenResponse }: Pick<ItemDoc, 'userPrompt' | 'chosenResponse'>) =>
  `${userPrompt}\n${chosenResponse}`;

const digestOf = ({ systemPrompt, userPrompt, chosenResponse, rejectedResponse }: TrainingPairDoc) =>
  createHash('sha256')
    .update(JSON.stringify([systemPrompt, userPrompt, chosenResponse, rejectedResponse]))
    .digest('hex');

const itemOf = (dataset: DatasetDoc, from: number, pair: TrainingPairDoc) => ({
  ...{ datasetId: dataset._id, pairId: pair._id, from, until: always, droppedAt: null, digest: digestOf(pair) },
  status: pair.curationStatus === 'Rejected' ? ('Rejected' as const) : ('Approved' as const),
  ...{ systemPrompt: pair.systemPrompt, userPrompt: pair.userPrompt, chosenResponse: pair.chosenResponse },
  ...{ rejectedResponse: pair.rejectedResponse, objective: pair.objective, tags: pair.tags },
});

/** Counts the last number of a version up: 1.0.9 → 1.0.10, beta → beta.2. */
export function nextVersion(version: string): string {
  const [, head, last] = /^(.*?)(\d+)$/.exec(version) ?? [];
  return last === undefined ? `${version}.2` : `${head}${Number(last) + 1}`;
}
