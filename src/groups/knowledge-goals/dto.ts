// Knowledge goals as they are answered and published.
import { z } from 'zod';
import { KnowledgeDomain, KnowledgeGoalStatus } from '../../contract/enums.ts';
import { dateTime, dto, float, int32, int64, string, uuid } from '../../contract/types.ts';

export const KnowledgeGoalDto = dto('KnowledgeGoalDto', {
  id: int64,
  guid: uuid,
  topic: string,
  description: string,
  domain: KnowledgeDomain,
  status: KnowledgeGoalStatus,
  priority: int32,
  /** From 0, nothing is known, to 1. */
  knowledgeLevel: float,
  searchQueries: z.array(string).nullable(),
  tags: z.array(string).nullable(),
  researchRunCount: int32,
  lastResearchedAtUtc: dateTime.nullable(),
  projectId: int64.nullable(),
  createdAtUtc: dateTime,
  updatedAtUtc: dateTime,
});
export type KnowledgeGoalDto = z.output<typeof KnowledgeGoalDto>;

/** Ours: a step by which a run raised what is known. */
export const KnowledgeGoalStepDto = dto('KnowledgeGoalStepDto', {
  runId: int64,
  from: float,
  to: float,
  reason: string,
  /** Memories that the run wrote for it. */
  memoryIds: z.array(int64),
  atUtc: dateTime,
});
export type KnowledgeGoalStepDto = z.output<typeof KnowledgeGoalStepDto>;
