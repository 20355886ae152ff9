// Keeps datasets, plans experiments, and takes what people score.
import type { Acting } from '../../auth/acting.ts';
import type { Caller } from '../../contract/caller.ts';
import { implement } from '../../contract/operation.ts';
import { toPage } from '../../contract/page.ts';
import { Fault } from '../../kernel/fault.ts';
import { ignoreDuplicate } from '../../ports/duplicate.ts';
import type { Ids } from '../../ports/ids.ts';
import { requireChangeIn } from '../../ports/in-project.ts';
import type { Keeper } from '../../ports/keeper.ts';
import { shown } from '../../ports/shown.ts';
import { defined } from '../fields.ts';
import { kept } from '../kept.ts';
import type { createCollect } from './collect.ts';
import { evaluationDatasets, experiments as group } from './contract.ts';
import {
  EvaluationDatasetDto,
  EvaluationDatasetListDto,
  type EvaluationItemDto,
  ExperimentCaseDto,
  ExperimentDto,
  ExperimentListDto,
  mostItems,
} from './dto.ts';
import type { CaseDoc, EvaluationDatasetDoc, ExperimentDoc } from './record.ts';
import { hasEnded, resultsOf } from './results.ts';
import { checkScorer } from './scorers.ts';

export interface EvaluationDeps {
  datasets: Keeper<EvaluationDatasetDoc>;
  experiments: Keeper<ExperimentDoc>;
  cases: Keeper<CaseDoc>;
  ids: Ids;
  acting: Acting;
  collect: ReturnType<typeof createCollect>;
  /** @throws Fault NOT_FOUND, CONFLICT for a role that is not there, or is switched off */
  requireRole(tenantId: number, name: string): Promise<unknown>;
  /** Called when an experiment has begun, goes on or is to stop: the work on it follows at once. */
  changed(): void;
}

/** Characters of all items of a dataset together. */
const mostCharacters = 4_000_000;
/** Cases of an experiment. */
const mostCases = 2000;

interface Item {
  input: string;
  expected?: string | null | undefined;
  source?: string | null | undefined;
}

/** @throws Fault VALIDATION_FAILED */
function itemsOf(items: readonly Item[]): EvaluationItemDto[] {
  const all = items.map(({ input, expected = null, source = null }) => ({ input, expected, source }));
  const size = all.reduce((sum, { input, expected }) => sum + input.length + (expected?.length ?? 0), 0);
  if (all.length > mostItems || size > mostCharacters)
    throw new Fault('VALIDATION_FAILED', `A dataset has at most ${mostItems} items, of ${mostCharacters} characters.`, {
      hint: 'Make a second dataset.',
    });
  return all;
}

export const evaluationDatasetsService = implement(evaluationDatasets, ({ datasets, collect }: EvaluationDeps) => {
  const show = (doc: EvaluationDatasetDoc): EvaluationDatasetDto =>
    shown(EvaluationDatasetDto, doc, { itemCount: doc.items.length });
  return {
    ...kept(evaluationDatasets, datasets, {
      show,
      showAll: (docs) => docs.map((doc) => shown(EvaluationDatasetListDto, doc, { itemCount: doc.items.length })),
      draft: ({ name, description, projectId, items }) => ({
        ...{ name, description: description ?? null, projectId: projectId ?? null, items: itemsOf(items ?? []) },
      }),
      change: ({ items, ...body }) => ({ ...defined(body), ...(items && { items: itemsOf(items) }) }),
    }),
    collect: async ({ caller, params, body }) => {
      const more = await collect(caller, await datasets.get(caller, params.id), body);
      const add = ({ items }: EvaluationDatasetDoc) => {
        const known = new Set(items.map(({ source }) => source));
        return { items: itemsOf([...items, ...more.filter(({ source }) => !known.has(source))]) };
      };
      return show(await datasets.change(caller, params.id, add, { expecting: ['items'] }));
    },
  };
});

export const experimentsService = implement(group, (deps: EvaluationDeps) => {
  const { experiments, cases, changed } = deps;
  const counted = (doc: ExperimentDoc) => cases.of(doc.tenantId).find({ experimentId: doc._id }).toArray();
  const show = async (doc: ExperimentDoc): Promise<ExperimentDto> => {
    const own = await counted(doc);
    return shown(ExperimentDto, doc, { endedCount: own.filter(hasEnded).length, results: resultsOf(doc, own) });
  };
  const inList = async (doc: ExperimentDoc): Promise<ExperimentListDto> => {
    const ended = { experimentId: doc._id, status: { $in: ['Done', 'Failed'] as const } };
    return shown(ExperimentListDto, doc, { endedCount: await cases.of(doc.tenantId).countDocuments(ended as never) });
  };
  return {
    ...kept(group, experiments, {
      show,
      showAll: (docs) => Promise.all(docs.map(inList)),
      draft: (body, caller) => newExperiment(deps, caller, body),
      wrote: (doc, caller, verb) => (verb === 'create' ? plan(deps, caller, doc) : undefined),
      change: (body) => defined(body),
      mayWrite: (doc, _caller, how) => {
        if (how === 'remove' && doc.status === 'Running') throw isRunning(doc);
      },
    }),
    remove: async ({ caller, params }) => {
      const doc = await experiments.get(caller, params.id);
      if (doc.status === 'Running') throw isRunning(doc);
      await experiments.remove(caller, doc._id);
      await cases.of(caller.tenantId).deleteMany({ experimentId: doc._id });
      return null;
    },
    start: async ({ caller, params, body }) => {
      const doc = await toChange(deps, caller, params.id);
      if (!doc.isPlanned) await plan(deps, caller, doc);
      // What was left out for want of money, or because somebody stopped it, is open again.
      const open = { experimentId: doc._id, status: 'Skipped' as const };
      if (doc.status !== 'Completed')
        await cases.of(caller.tenantId).updateMany(open, { $set: { status: 'Pending' }, $inc: { attempt: 1 } });
      const begun = (old: ExperimentDoc) => {
        const maxCostUsd = body?.maxCostUsd ?? old.maxCostUsd;
        if (old.status === 'Completed')
          throw new Fault('INVALID_TRANSITION', `The experiment ${old.name} is complete.`, {
            hint: 'Create another one to try again.',
          });
        if (maxCostUsd <= old.costUsd)
          throw new Fault('BUDGET_EXCEEDED', `The experiment ${old.name} has spent its budget of $${old.maxCostUsd}.`, {
            hint: 'Give a higher maxCostUsd.',
          });
        return { status: 'Running' as const, reason: null, maxCostUsd, isOpen: true };
      };
      const going = await experiments.change(caller, doc._id, begun, {
        expecting: ['status', 'maxCostUsd', 'costUsd'],
      });
      changed();
      return show(going);
    },
    cancel: async ({ caller, params }) => {
      const stopped = ({ status, name }: ExperimentDoc) => {
        if (status === 'Completed' || status === 'Failed')
          throw new Fault('INVALID_TRANSITION', `The experiment ${name} has ended.`, { hint: 'Look at its results.' });
        return { status: 'Cancelled' as const, reason: `Cancelled by ${caller.name}.`, isOpen: true };
      };
      const doc = await experiments.change(caller, params.id, stopped, { expecting: ['status'] });
      changed();
      return show(doc);
    },
    cases: async ({ caller, params, query }) => {
      await experiments.get(caller, params.id);
      const { items, totalCount } = await cases.page(caller, query, { within: { experimentId: params.id } });
      return toPage(items.map(showCase), totalCount, query);
    },
    score: async ({ caller, params, body }) => {
      const doc = await toChange(deps, caller, params.id);
      for (const one of body.scores) await scoreByHand(deps, caller, doc, one);
      return show(doc);
    },
  };
});

/** One that the caller may work with, not only look at. @throws Fault NOT_FOUND, FORBIDDEN */
async function toChange({ experiments }: Pick<EvaluationDeps, 'experiments'>, caller: Caller, id: number) {
  const doc = await experiments.get(caller, id);
  requireChangeIn(caller, doc.projectId);
  return doc;
}

const showCase = (doc: CaseDoc): ExperimentCaseDto => shown(ExperimentCaseDto, doc);

const isRunning = ({ name }: ExperimentDoc) =>
  new Fault('CONFLICT', `The experiment ${name} is running.`, { hint: 'Cancel it first.' });

type Wanted = Pick<ExperimentDoc, 'name' | 'datasetId' | 'candidates' | 'scorers' | 'maxCostUsd'> & {
  identityId?: number | null | undefined;
  concurrency?: number | null | undefined;
  maxMinutesPerCase?: number | null | undefined;
};

/** @throws Fault NOT_FOUND, OWNERSHIP_REQUIRED, VALIDATION_FAILED */
async function newExperiment(deps: EvaluationDeps, caller: Caller, body: Wanted) {
  const { datasets, acting, requireRole } = deps;
  const { name, datasetId, candidates, scorers, maxCostUsd, concurrency, maxMinutesPerCase } = body;
  const dataset = await datasets.get(caller, datasetId);
  const asked = body.identityId ?? caller.identityId;
  if (asked === null)
    throw new Fault('VALIDATION_FAILED', 'Runs need an identity to act as.', {
      hint: 'Name one with identityId; list them with GET /api/identities.',
    });
  const { identityId } = await acting.require(caller, asked);
  for (const list of [candidates, scorers])
    if (new Set(list.map((one) => one.name)).size < list.length)
      throw new Fault('VALIDATION_FAILED', 'Two candidates or two scorers have one name.', {
        hint: 'Results go by name: give each its own.',
      });
  for (const scorer of scorers) checkScorer(scorer);
  for (const { role } of candidates) if (role) await requireRole(caller.tenantId, role);
  const caseCount = dataset.items.length * candidates.length;
  if (caseCount === 0 || caseCount > mostCases)
    throw new Fault('VALIDATION_FAILED', `${caseCount} cases: an experiment has from 1 to ${mostCases}.`, {
      hint: caseCount === 0 ? 'Put items into the dataset first.' : 'Take fewer candidates, or a smaller dataset.',
    });
  return {
    ...{ name, datasetId, identityId, candidates, scorers, maxCostUsd, caseCount, projectId: dataset.projectId },
    ...{ concurrency: concurrency ?? 4, maxMinutesPerCase: maxMinutesPerCase ?? 30, costUsd: 0, isPlanned: false },
    ...{ status: 'Draft' as const, reason: null, isOpen: false, heldBy: null, heldUntil: null },
    ...{ createdByUserId: caller.userId, createdByIdentityId: caller.userId === null ? caller.identityId : null },
  };
}

/** A case for each item and candidate; those that are there from a first attempt stay. */
async function plan({ datasets, experiments, cases, ids }: EvaluationDeps, caller: Caller, doc: ExperimentDoc) {
  const { tenantId, createdAt } = doc;
  const dataset = await datasets.get(caller, doc.datasetId);
  for (const [item, { input, expected }] of dataset.items.entries())
    for (const { name: candidate } of doc.candidates)
      await cases
        .of(tenantId)
        .insertOne({
          ...{ _id: await ids.next('experiment_cases'), tenantId, createdAt, experimentId: doc._id, item, candidate },
          ...{ input, expected, status: 'Pending', runId: null, output: null, error: null, costUsd: 0, capUsd: 0 },
          ...{ attempt: 0, durationMs: null, scores: [] },
        })
        .catch(ignoreDuplicate);
  await experiments.change(caller, doc._id, { isPlanned: true });
}

interface Scored {
  caseId: number;
  scorer: string;
  value: number;
  reason?: string | null | undefined;
}

/** @throws Fault NOT_FOUND, CONFLICT, VALIDATION_FAILED */
async function scoreByHand(
  { cases }: EvaluationDeps,
  caller: Caller,
  { _id: experimentId, scorers }: ExperimentDoc,
  { caseId: id, scorer, value, reason }: Scored,
) {
  await cases.get(caller, id, { experimentId });
  if (!scorers.some(({ kind, name }) => kind === 'Person' && name === scorer))
    throw new Fault('VALIDATION_FAILED', `No person scores by ${scorer} in this experiment.`, {
      hint: 'Name a scorer of kind Person.',
    });
  const scored = ({ status, scores }: CaseDoc) => {
    if (status !== 'Done')
      throw new Fault('CONFLICT', `Case ${id} has no answer.`, { hint: 'Score it when it is Done.' });
    const score = { scorer, value, reason: reason ?? null, by: caller.name };
    return { scores: [...scores.filter((one) => one.scorer !== scorer), score] };
  };
  await cases.change(caller, id, scored, { expecting: ['status', 'scores'] });
}
