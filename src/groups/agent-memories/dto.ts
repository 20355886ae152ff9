// Agent memories as they are answered.
import { z } from 'zod';
import { AgentMemoryKind, SearchMatchKind } from '../../contract/enums.ts';
import { boolean, dateTime, dto, float, int32, int64, string, uuid } from '../../contract/types.ts';

export const AgentMemoryDto = dto('AgentMemoryDto', {
  id: int64,
  guid: uuid,
  title: string,
  content: string,
  kind: AgentMemoryKind,
  roleDefinitionId: int64.nullable(),
  roleName: string.nullable(),
  projectId: int64.nullable(),
  identityId: int64.nullable(),
  identityName: string.nullable(),
  sourceRunId: int64.nullable(),
  /** From 0 to 1, as whoever wrote it was sure. */
  confidence: float,
  helpedCount: int32,
  hurtCount: int32,
  useCount: int32,
  hasEmbedding: boolean,
  tags: z.array(string),
  lastUsedAtUtc: dateTime.nullable(),
  expiresAtUtc: dateTime.nullable(),
  createdAtUtc: dateTime,
  updatedAtUtc: dateTime,
});
export type AgentMemoryDto = z.output<typeof AgentMemoryDto>;

export const AgentMemoryHit = dto('AgentMemoryHit', {
  memory: AgentMemoryDto,
  score: float,
  matchedBy: SearchMatchKind,
  snippet: string,
});
