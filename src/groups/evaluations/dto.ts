// Evaluation as it is answered: datasets of inputs, experiments over them, and what came out. All of it is ours.
import { z } from 'zod';
import {
  boolean,
  dateTime,
  double,
  dto,
  fields,
  int32,
  int64,
  jsonObject,
  string,
  uuid,
} from '../../contract/types.ts';

const text = string.max(64_000);
const name = string.trim().min(1).max(200);

/** An input with the answer that is expected, where there is one, and where it comes from, e.g. `run:7`. */
export const EvaluationItemDto = dto('EvaluationItemDto', {
  input: text.trim().min(1),
  expected: text.nullable(),
  source: string.max(100).nullable(),
});
export type EvaluationItemDto = z.output<typeof EvaluationItemDto>;

/** Items of one dataset at most. */
export const mostItems = 500;

export const EvaluationDatasetListDto = dto('EvaluationDatasetListDto', {
  id: int64,
  guid: uuid,
  name: string,
  description: string.nullable(),
  projectId: int64.nullable(),
  itemCount: int32,
  createdAtUtc: dateTime,
  updatedAtUtc: dateTime,
});
export type EvaluationDatasetListDto = z.output<typeof EvaluationDatasetListDto>;

export const EvaluationDatasetDto = dto('EvaluationDatasetDto', {
  ...EvaluationDatasetListDto.shape,
  items: z.array(EvaluationItemDto),
});
export type EvaluationDatasetDto = z.output<typeof EvaluationDatasetDto>;

/** What is tried: a model, a role, or both; neither means what runs get by default. */
export const ExperimentCandidate = fields({
  name,
  modelId: name.nullish(),
  role: name.nullish(),
});
export type ExperimentCandidate = z.output<typeof ExperimentCandidate>;

export const scorerKinds = ['Exact', 'Contains', 'JsonSchema', 'Model', 'Person'] as const;

/** How answers are judged, from 0 to 1: Exact, Contains and JsonSchema by rule, Model by a rubric, Person by hand. */
export const ExperimentScorer = fields({
  kind: z.enum(scorerKinds),
  name,
  /** Exact and Contains: whether upper and lower case are the same; true unless given. */
  ignoreCase: boolean.nullish(),
  /** JsonSchema: the schema that the answer, read as JSON, must satisfy. */
  schema: jsonObject.nullish(),
  /** Model: what a good answer is, and the model that judges; the default model unless given. */
  rubric: string.max(8000).nullish(),
  modelId: name.nullish(),
});
export type ExperimentScorer = z.output<typeof ExperimentScorer>;

export const experimentStates = ['Draft', 'Running', 'Completed', 'BudgetExhausted', 'Failed', 'Cancelled'] as const;
export const caseStates = ['Pending', 'Running', 'Done', 'Failed', 'Skipped'] as const;

/** A mean with its 95 % interval: Wilson's for what passes or fails, Student's for grades. Null without two scores. */
export const ExperimentScoreSummaryDto = dto('ExperimentScoreSummaryDto', {
  scorer: string,
  count: int32,
  mean: double.nullable(),
  low: double.nullable(),
  high: double.nullable(),
  method: z.enum(['Wilson', 'Student']),
});
export type ExperimentScoreSummaryDto = z.output<typeof ExperimentScoreSummaryDto>;

export const ExperimentResultDto = dto('ExperimentResultDto', {
  candidate: string,
  modelId: string.nullable(),
  role: string.nullable(),
  cases: int32,
  done: int32,
  failed: int32,
  costUsd: double,
  meanCostUsd: double.nullable(),
  meanMs: double.nullable(),
  scores: z.array(ExperimentScoreSummaryDto),
});
export type ExperimentResultDto = z.output<typeof ExperimentResultDto>;

export const ExperimentListDto = dto('ExperimentListDto', {
  id: int64,
  guid: uuid,
  name: string,
  datasetId: int64,
  projectId: int64.nullable(),
  identityId: int64,
  status: z.enum(experimentStates),
  reason: string.nullable(),
  candidates: z.array(ExperimentCandidate),
  scorers: z.array(ExperimentScorer),
  maxCostUsd: double,
  concurrency: int32,
  maxMinutesPerCase: int32,
  costUsd: double,
  caseCount: int32,
  endedCount: int32,
  createdAtUtc: dateTime,
  updatedAtUtc: dateTime,
});
export type ExperimentListDto = z.output<typeof ExperimentListDto>;

export const ExperimentDto = dto('ExperimentDto', {
  ...ExperimentListDto.shape,
  /** One for each candidate, in their order. */
  results: z.array(ExperimentResultDto),
});
export type ExperimentDto = z.output<typeof ExperimentDto>;

export const ExperimentScoreDto = dto('ExperimentScoreDto', {
  scorer: string,
  /** From 0 to 1. */
  value: double,
  reason: string.nullable(),
  by: string.nullable(),
});
export type ExperimentScoreDto = z.output<typeof ExperimentScoreDto>;

export const ExperimentCaseDto = dto('ExperimentCaseDto', {
  id: int64,
  experimentId: int64,
  item: int32,
  candidate: string,
  input: string,
  expected: string.nullable(),
  status: z.enum(caseStates),
  /** The run that works on it. */
  runId: int64.nullable(),
  output: string.nullable(),
  error: string.nullable(),
  costUsd: double,
  durationMs: int64.nullable(),
  scores: z.array(ExperimentScoreDto),
});
export type ExperimentCaseDto = z.output<typeof ExperimentCaseDto>;
