// Memories and their links as they are answered and published.
import { z } from 'zod';
import { LinkType, MemoryType, Provenance, SearchMatchKind } from '../../contract/enums.ts';
import { boolean, dateTime, double, dto, float, int32, int64, string, uuid } from '../../contract/types.ts';

const tags = z.array(string);
const brief = {
  id: int64,
  guid: uuid,
  title: string,
  type: MemoryType,
  importance: int32,
  isPinned: boolean,
  isShared: boolean,
  /** Whether it can be found by its meaning; by its words it is found at once. */
  hasEmbedding: boolean,
  tags,
  updatedAtUtc: dateTime,
};
const whole = {
  ...brief,
  identityId: int64,
  projectId: int64.nullable(),
  provenance: Provenance,
  accessCount: int32,
  lastAccessedAtUtc: dateTime.nullable(),
  archivedAtUtc: dateTime.nullable(),
  createdAtUtc: dateTime,
};

export const MemoryWriteDto = dto('MemoryWriteDto', { ...brief, contentLength: int32 });
export type MemoryWriteDto = z.output<typeof MemoryWriteDto>;

export const MemoryListDto = dto('MemoryListDto', { ...whole, excerpt: string, contentLength: int32 });
export type MemoryListDto = z.output<typeof MemoryListDto>;

export const HebbianLinkDto = dto('HebbianLinkDto', {
  id: int64,
  fromMemoryId: int64,
  fromMemoryTitle: string.nullable(),
  toMemoryId: int64,
  toMemoryTitle: string.nullable(),
  type: LinkType,
  strength: float,
  coActivationCount: int32,
});
export type HebbianLinkDto = z.output<typeof HebbianLinkDto>;

export const MemoryDetailDto = dto('MemoryDetailDto', {
  ...whole,
  content: string,
  readByOthersCount: int32,
  linksFrom: z.array(HebbianLinkDto),
  linksTo: z.array(HebbianLinkDto),
});
export type MemoryDetailDto = z.output<typeof MemoryDetailDto>;

export const MemorySearchFactor = dto('MemorySearchFactor', {
  name: z.enum(['Importance', 'Recency', 'Use', 'SecondHand', 'Time', 'Superseded']),
  value: double,
});

export const MemorySearchHit = dto('MemorySearchHit', {
  memory: MemoryListDto,
  score: float,
  /** Of its leg, 0 to 1 among what was found; null where that leg did not find it. */
  semanticScore: float.nullable(),
  keywordScore: float.nullable(),
  matchedBy: SearchMatchKind,
  snippet: string,
  /** The memory whose link led here. */
  viaMemoryId: int64.nullable(),
  /** Ours: what links and neighbours added to the match; null where none did. */
  lentScore: float.nullable(),
  /** Ours: what the match was multiplied by, part by part; 1 is neither for nor against. */
  factors: z.array(MemorySearchFactor),
});

export type MemorySearchHit = z.output<typeof MemorySearchHit>;

export const MemorySearchResult = dto('MemorySearchResult', {
  results: z.array(MemorySearchHit),
  totalCandidates: int32,
  /** Percent of the memories searched that can be found by their meaning. */
  embeddingCoverage: int32,
  warning: string.nullable(),
});
export type MemorySearchResult = z.output<typeof MemorySearchResult>;

/** Ours: one thing that became of a memory. */
export const MemoryChangeDto = dto('MemoryChangeDto', {
  kind: z.enum(['Written', 'Changed', 'Archived', 'Superseded']),
  atUtc: dateTime,
  /** The run or chat behind it; null where a person or a key was. */
  runId: int64.nullable(),
  chatSessionId: int64.nullable(),
  /** The memory that says it now. */
  byMemoryId: int64.nullable(),
  reason: string.nullable(),
  /** Of a change: what it said before. */
  title: string.nullable(),
  content: string.nullable(),
  importance: int32.nullable(),
});
export type MemoryChangeDto = z.output<typeof MemoryChangeDto>;

/** Ours: what was forgotten for good with a memory. */
export const MemoryForgottenDto = dto('MemoryForgottenDto', {
  memoryIds: z.array(int64),
  linkIds: z.array(int64),
  /** What it had superseded counts again. */
  restoredMemoryIds: z.array(int64),
});

/** Ours: two memories that say nearly the same. */
const MemoryDuplicate = dto('MemoryDuplicate', {
  memory: MemoryListDto,
  /** The older one. */
  other: MemoryListDto,
  /** How alike they are, 0 to 1. */
  alike: float,
});

/** Ours: likely duplicates among some memories of an identity. */
export const MemoryDuplicates = dto('MemoryDuplicates', {
  pairs: z.array(MemoryDuplicate),
  /** How many memories were compared with all others. */
  compared: int32,
  /** Where the next request goes on; null at the end. */
  before: int64.nullable(),
});
export type MemoryDuplicates = z.output<typeof MemoryDuplicates>;
