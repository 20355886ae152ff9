// Reflections, training pairs, datasets, training runs and checkpoints as they are answered.
import { z } from 'zod';
import {
  CheckpointStatus,
  CompulsionType,
  CurationStatus,
  CuratorType,
  DatasetStatus,
  TrainingObjective,
  TrainingRunStatus,
} from '../../contract/enums.ts';
import { boolean, dateTime, double, dto, fields, float, int32, int64, string, uuid } from '../../contract/types.ts';

/** Tags as requests give them. */
export const givenTag = string.trim().min(1).max(100);
export const givenTags = z.array(givenTag).max(50);
export const tagsBody = fields({ tags: givenTags.min(1) });

const head = { id: int64, guid: uuid, identityId: int64 };
const tags = z.array(string);

const reflectionHead = {
  ...head,
  compulsionType: CompulsionType,
  /** How strong the pull was, 1 to 10. */
  intensity: int32,
  wasResisted: boolean,
  triggerContext: string,
};
const reflectionTail = { sessionReference: string.nullable(), hasEmbedding: boolean, tags };

export const ReflectionDto = dto('ReflectionDto', {
  ...reflectionHead,
  compliantResponse: string,
  honestResponse: string,
  narrative: string.nullable(),
  systemPrompt: string.nullable(),
  ...reflectionTail,
  createdAtUtc: dateTime,
});
export type ReflectionDto = z.output<typeof ReflectionDto>;

export const ReflectionListDto = dto('ReflectionListDto', {
  ...reflectionHead,
  ...reflectionTail,
  /** Of a search; null elsewhere. */
  score: float.nullable(),
  createdAtUtc: dateTime,
});
export type ReflectionListDto = z.output<typeof ReflectionListDto>;

const pairState = {
  objective: TrainingObjective,
  curationStatus: CurationStatus,
  curatorType: CuratorType,
  curatorName: string.nullable(),
};
const pairSource = { sourceReflectionId: int64.nullable(), sourceReference: string.nullable(), tags };

export const TrainingPairDto = dto('TrainingPairDto', {
  ...head,
  systemPrompt: string,
  userPrompt: string,
  chosenResponse: string,
  rejectedResponse: string,
  ...pairState,
  curationNotes: string.nullable(),
  /** Ours: secrets and personal data that were found in its texts; a person decides. */
  scrubFlags: tags,
  ...pairSource,
  createdAtUtc: dateTime,
});
export type TrainingPairDto = z.output<typeof TrainingPairDto>;

export const TrainingPairListDto = dto('TrainingPairListDto', {
  ...head,
  userPrompt: string,
  ...pairState,
  ...pairSource,
  createdAtUtc: dateTime,
});
export type TrainingPairListDto = z.output<typeof TrainingPairListDto>;

export const BulkCurationResult = dto('BulkCurationResult', {
  updated: int32,
  skipped: int32,
  updatedIds: z.array(int64),
  skippedIds: z.array(int64),
  curationStatus: CurationStatus,
});

export const HarvestResult = dto('HarvestResult', {
  scanned: int32,
  created: int32,
  skipped: int32,
  pairIds: z.array(int64),
});

export const MirrorStatsDto = dto('MirrorStatsDto', {
  identityId: int64,
  totalReflections: int32,
  reflectionsResisted: int32,
  /** 0 to 1; 0 without a reflection. */
  resistanceRate: double,
  compulsionBreakdown: z.record(string, int32),
  totalPairs: int32,
  pairsDraft: int32,
  pairsApproved: int32,
  pairsRejected: int32,
  pairsUsed: int32,
  totalDatasets: int32,
  totalRuns: int32,
  totalCheckpoints: int32,
});

/** Ours: how often an identity resisted while it had one soul. */
export const PersonaDriftDto = dto('PersonaDriftDto', {
  /** The version of the soul; null for the time before the first that is kept. */
  soulVersionId: int64.nullable(),
  soulNumber: int32.nullable(),
  fromUtc: dateTime.nullable(),
  /** Null for the soul of today. */
  toUtc: dateTime.nullable(),
  reflections: int32,
  resisted: int32,
  /** Null without a reflection. */
  resistanceRate: double.nullable(),
  /** Bounds of the rate with 95 % confidence (Wilson); null without a reflection. */
  low: double.nullable(),
  high: double.nullable(),
  compulsionBreakdown: z.record(string, int32),
});
export type PersonaDriftDto = z.output<typeof PersonaDriftDto>;

export const TrainingDatasetDto = dto('TrainingDatasetDto', {
  ...head,
  name: string,
  description: string.nullable(),
  /** Counts up with each change of what is in it, once something is. */
  version: string,
  primaryObjective: TrainingObjective,
  status: DatasetStatus,
  pairCount: int32,
  createdAtUtc: dateTime,
});
export type TrainingDatasetDto = z.output<typeof TrainingDatasetDto>;

export const DatasetPopulateResult = dto('DatasetPopulateResult', {
  datasetId: int64,
  added: int32,
  skipped: int32,
  removed: int32,
  pairCount: int32,
  status: DatasetStatus,
});

export const TrainingRunDto = dto('TrainingRunDto', {
  ...head,
  datasetId: int64,
  baseModelName: string,
  baseModelPath: string.nullable(),
  baseModelArchitecture: string.nullable(),
  hyperparametersJson: string.nullable(),
  adapterOutputPath: string.nullable(),
  status: TrainingRunStatus,
  evaluationMetricsJson: string.nullable(),
  approvedByType: CuratorType.nullable(),
  approvedByName: string.nullable(),
  startedAtUtc: dateTime.nullable(),
  completedAtUtc: dateTime.nullable(),
  errorMessage: string.nullable(),
  notes: string.nullable(),
  createdAtUtc: dateTime,
});
export type TrainingRunDto = z.output<typeof TrainingRunDto>;

export const ModelCheckpointDto = dto('ModelCheckpointDto', {
  ...head,
  modelName: string,
  version: string,
  architecture: string.nullable(),
  weightsPath: string.nullable(),
  parentCheckpointId: int64.nullable(),
  trainingRunId: int64.nullable(),
  status: CheckpointStatus,
  description: string.nullable(),
  createdAtUtc: dateTime,
});
export type ModelCheckpointDto = z.output<typeof ModelCheckpointDto>;

/** Ours: a training run came to another status. */
export const TrainingChangeDto = dto('TrainingChangeDto', {
  trainingRunId: int64,
  identityId: int64,
  datasetId: int64,
  status: TrainingRunStatus,
});
