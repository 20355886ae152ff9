// Imports as they are answered.
import { z } from 'zod';
import { ImportItemKind, ImportSourceProvider, ImportStatus } from '../../contract/enums.ts';
import { boolean, dateTime, dto, float, int32, int64, string, uuid } from '../../contract/types.ts';

export const ImportDto = dto('ImportDto', {
  id: int64,
  guid: uuid,
  statusId: ImportStatus,
  sourceProviderId: ImportSourceProvider,
  fileName: string,
  fileSizeBytes: int64,
  conversationCount: int32,
  messageCount: int64,
  itemCount: int32,
  scrubFlagCount: int32,
  detectedFormat: string.nullable(),
  errorMessage: string.nullable(),
  identityId: int64.nullable(),
  projectId: int64.nullable(),
  createdAtUtc: dateTime,
  processedAtUtc: dateTime.nullable(),
  committedAtUtc: dateTime.nullable(),
  /** Ours: what of the archive was not read; the review says why. */
  skippedCount: int32,
  /** Ours: percent of what is under way, 0 to 100. */
  progressPercent: int32,
  /** Ours: what the commit has written. */
  memoryCount: int32,
  factCount: int32,
  /** Ours: what it has restored besides, of an export of ours. */
  restoredCount: int32,
});
export type ImportDto = z.output<typeof ImportDto>;

export const ImportConversationDto = dto('ImportConversationDto', {
  id: int64,
  sourceId: string,
  title: string.nullable(),
  messageCount: int32,
  tokenEstimate: int32,
  approved: boolean,
  scrubFlagCount: int32,
  summary: string.nullable(),
  startedAtUtc: dateTime.nullable(),
  endedAtUtc: dateTime.nullable(),
});
export type ImportConversationDto = z.output<typeof ImportConversationDto>;

export const ImportItemDto = dto('ImportItemDto', {
  id: int64,
  kind: ImportItemKind,
  key: string.nullable(),
  title: string.nullable(),
  content: string,
  category: string.nullable(),
  importance: int32,
  confidence: float,
  approved: boolean,
  scrubFlags: z.array(string),
  sourceConversationId: int64.nullable(),
  /** Ours: what an export of ours says it is, such as `rule`; null for what is a memory or a fact. */
  restoresAs: string.nullable(),
  /** Ours: it comes back only where the import is restored, and is no memory else. */
  restoreOnly: boolean,
});
export type ImportItemDto = z.output<typeof ImportItemDto>;

export const ImportMessageDto = dto('ImportMessageDto', {
  id: int64,
  role: string,
  content: string,
  modelId: string.nullable(),
  scrubFlags: z.array(string),
  sortOrder: int32,
  sentAtUtc: dateTime.nullable(),
});
export type ImportMessageDto = z.output<typeof ImportMessageDto>;

/** Ours: what was not read, by its reason. */
export const ImportSkippedDto = dto('ImportSkippedDto', { reason: string, count: int32, examples: z.array(string) });
export type ImportSkippedDto = z.output<typeof ImportSkippedDto>;

/** Ours: a fact that the project knows otherwise. */
export const ImportConflictDto = dto('ImportConflictDto', {
  itemId: int64,
  key: string,
  currentValue: string,
  importedValue: string,
});
export type ImportConflictDto = z.output<typeof ImportConflictDto>;

/** Ours: how many things of a kind would be restored. */
export const ImportRestoreDto = dto('ImportRestoreDto', { kind: string, count: int32 });
export type ImportRestoreDto = z.output<typeof ImportRestoreDto>;

/** Ours: what a commit of what is approved now would do. */
export const ImportReachDto = dto('ImportReachDto', {
  /** Memories that it would write, and those that are there already. */
  memoryCount: int32,
  knownMemoryCount: int32,
  /** Ids of conversations and items that are there already, up to 200 of each. */
  knownConversationIds: z.array(int64),
  knownItemIds: z.array(int64),
  /** Facts that it would write, those that are there already, and those that take the place of another value. */
  factCount: int32,
  knownFactCount: int32,
  conflictCount: int32,
  conflicts: z.array(ImportConflictDto),
  /** Of what is approved, how much has flags. */
  flaggedCount: int32,
  /** What `restore` would bring back, by kind; empty where the archive is no export of ours. */
  restores: z.array(ImportRestoreDto),
  /** Of the rules among that, those that would bind the identity at once. */
  bindingRuleCount: int32,
});
export type ImportReachDto = z.output<typeof ImportReachDto>;

export const ImportReviewDto = dto('ImportReviewDto', {
  importId: int64,
  statusId: ImportStatus,
  sourceProviderId: ImportSourceProvider,
  conversations: z.array(ImportConversationDto),
  items: z.array(ImportItemDto),
  /** Ours: how many match in all; `limit` may show fewer. */
  conversationCount: int32,
  itemCount: int32,
  /** Ours. */
  reach: ImportReachDto,
  skipped: z.array(ImportSkippedDto),
});
export type ImportReviewDto = z.output<typeof ImportReviewDto>;

export const ImportConversationDetailDto = dto('ImportConversationDetailDto', {
  id: int64,
  sourceId: string,
  title: string.nullable(),
  approved: boolean,
  summary: string.nullable(),
  messages: z.array(ImportMessageDto),
});
export type ImportConversationDetailDto = z.output<typeof ImportConversationDetailDto>;
