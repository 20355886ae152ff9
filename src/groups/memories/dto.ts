// Memories and their links as they are answered and published.
import { z } from 'zod';
import { LinkType, MemoryType, Provenance, SearchMatchKind } from '../../contract/enums.ts';
import { boolean, dateTime, dto, float, int32, int64, string, uuid } from '../../contract/types.ts';

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
});

export const MemorySearchResult = dto('MemorySearchResult', {
  results: z.array(MemorySearchHit),
  totalCandidates: int32,
  /** Percent of the memories searched that can be found by their meaning. */
  embeddingCoverage: int32,
  warning: string.nullable(),
});
export type MemorySearchResult = z.output<typeof MemorySearchResult>;
