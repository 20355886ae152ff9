// Personal memories and suggestions as they are answered and published.
import { z } from 'zod';
import { MemoryVisibility, PersonalMemoryCategory, SearchMatchKind, SuggestionStatus } from '../../contract/enums.ts';
import { boolean, dateTime, dto, float, int32, int64, string, uuid } from '../../contract/types.ts';

export const PersonalMemoryDto = dto('PersonalMemoryDto', {
  id: int64,
  guid: uuid,
  userId: int64,
  title: string.nullable(),
  content: string,
  category: PersonalMemoryCategory,
  importance: int32,
  visibility: MemoryVisibility,
  /** Who may see it, where `visibility` is SelectedIdentities. */
  identityIds: z.array(int64),
  tags: z.array(string),
  sourceIdentityId: int64.nullable(),
  sourceChatSessionId: int64.nullable(),
  hasEmbedding: boolean,
  usedCount: int32,
  lastUsedAtUtc: dateTime.nullable(),
  lastUsedByName: string.nullable(),
  expiresAtUtc: dateTime.nullable(),
  createdAtUtc: dateTime,
  updatedAtUtc: dateTime,
});
export type PersonalMemoryDto = z.output<typeof PersonalMemoryDto>;

export const PersonalMemoryHit = dto('PersonalMemoryHit', {
  memory: PersonalMemoryDto,
  score: float,
  matchedBy: SearchMatchKind,
  snippet: string,
});

export const PersonalMemoryForgetResult = dto('PersonalMemoryForgetResult', {
  forgotten: int32,
  forgottenIds: z.array(int64),
});

export const PersonalMemorySuggestionDto = dto('PersonalMemorySuggestionDto', {
  id: int64,
  guid: uuid,
  content: string,
  category: PersonalMemoryCategory,
  reason: string.nullable(),
  confidence: float,
  status: SuggestionStatus,
  sourceIdentityId: int64.nullable(),
  sourceIdentityName: string.nullable(),
  sourceChatSessionId: int64.nullable(),
  sourceMessageId: int64.nullable(),
  /** The memory that it became. */
  memoryId: int64.nullable(),
  decidedAtUtc: dateTime.nullable(),
  createdAtUtc: dateTime,
});
export type PersonalMemorySuggestionDto = z.output<typeof PersonalMemorySuggestionDto>;
