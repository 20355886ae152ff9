// Evaluation: datasets of inputs, and experiments that try models and roles on them within a budget.
import { z } from 'zod';
import { crud } from '../../contract/crud.ts';
import { group, op } from '../../contract/operation.ts';
import { listQuery, page } from '../../contract/page.ts';
import { double, fields, int32, int64, string } from '../../contract/types.ts';
import {
  caseStates,
  EvaluationDatasetDto,
  EvaluationDatasetListDto,
  EvaluationItemDto,
  ExperimentCandidate,
  ExperimentCaseDto,
  ExperimentDto,
  ExperimentListDto,
  ExperimentScorer,
  experimentStates,
  mostItems,
} from './dto.ts';

const read = 'RunsRead';
const write = 'RunsWrite';
const name = string.trim().min(1).max(200);
const description = string.max(8000);
const item = fields({
  input: EvaluationItemDto.shape.input,
  expected: EvaluationItemDto.shape.expected.optional(),
  source: EvaluationItemDto.shape.source.optional(),
});
const items = z.array(item).max(mostItems);
const byHand = fields({
  caseId: int64,
  scorer: name,
  value: double.min(0).max(1),
  reason: string.max(2000).nullish(),
});
const ids = z.array(int64).max(200);

export const evaluationDatasets = group(
  'Evaluation',
  {
    id: 'EvaluationDatasets',
    base: '/api/evaluation/datasets',
    doc: 'Inputs with expected answers, which experiments try models and roles on. Operations of ours.',
  },
  {
    ...crud({
      noun: 'evaluation dataset',
      dto: EvaluationDatasetDto,
      item: EvaluationDatasetListDto,
      read,
      write,
      sorts: ['createdAtUtc', 'name', 'id'],
      filters: { projectId: int64.optional(), q: string.max(200).optional() },
      create: { name, description: description.nullish(), projectId: int64.nullish(), items: items.optional() },
      patch: { name: name.optional(), description: description.nullish(), items: items.optional() },
      docs: {
        patch: 'Change a dataset; items replaces all of them. Experiments keep the inputs that they began with.',
        remove: 'Delete a dataset. Experiments that used it keep their results.',
      },
    }),
    collect: op.post('/{id}/collect', {
      doc: 'Add inputs from past work: the goal of each run with its result, and each question of a chat of the caller with its answer. What is in the dataset already is skipped; a dataset takes only what is in its own project.',
      needs: write,
      body: fields({ runIds: ids.optional(), chatSessionIds: ids.optional() }),
      data: EvaluationDatasetDto,
    }),
  },
);

export const experiments = group(
  'Evaluation',
  {
    id: 'Experiments',
    base: '/api/evaluation/experiments',
    doc: 'Models and roles tried on a dataset: a run for each case, scored, with confidence intervals. Operations of ours.',
  },
  {
    ...crud({
      noun: 'experiment',
      dto: ExperimentDto,
      item: ExperimentListDto,
      read,
      write,
      sorts: ['createdAtUtc', 'name', 'id'],
      filters: {
        datasetId: int64.optional(),
        projectId: int64.optional(),
        status: z.enum(experimentStates).optional(),
        q: string.max(200).optional(),
      },
      create: {
        name,
        datasetId: int64,
        identityId: int64.nullish(),
        candidates: z.array(ExperimentCandidate).min(1).max(10),
        scorers: z.array(ExperimentScorer).min(1).max(5),
        maxCostUsd: double.min(0.0001).max(100_000),
        concurrency: int32.min(1).max(20).nullish(),
        maxMinutesPerCase: int32.min(1).max(1440).nullish(),
      },
      patch: { name: name.optional() },
      docs: {
        create:
          'Plan an experiment: a case for each input and candidate. It begins with POST /api/evaluation/experiments/{id}/start.',
        get: 'Get one experiment with its results: means with 95 % intervals (Wilson for rules, Student for grades).',
        remove: 'Delete an experiment that is not running, with its cases; their runs stay.',
      },
    }),
    start: op.post('/{id}/start', {
      doc: 'Begin an experiment, or go on with one that its budget or somebody has stopped: what is done stays done. maxCostUsd raises its budget.',
      needs: write,
      body: fields({ maxCostUsd: double.min(0.0001).max(100_000).optional() }).optional(),
      data: ExperimentDto,
    }),
    cancel: op.post('/{id}/cancel', {
      doc: 'Stop an experiment and cancel its runs; results so far stay.',
      needs: write,
      data: ExperimentDto,
    }),
    cases: op.get('/{id}/cases', {
      doc: 'List the cases of an experiment with answers and scores.',
      needs: read,
      query: listQuery(['id'], { status: z.enum(caseStates).optional(), candidate: name.optional() }),
      data: page(ExperimentCaseDto),
    }),
    score: op.post('/{id}/score', {
      doc: 'Score answers by hand, from 0 to 1, for scorers of kind Person; again to change one.',
      needs: write,
      body: fields({ scores: z.array(byHand).max(500) }),
      data: ExperimentDto,
    }),
  },
);
