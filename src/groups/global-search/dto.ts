// Hits of any kind, as searches over several groups answer them.
import { z } from 'zod';
import { SearchHitKind, SearchMatchKind } from '../../contract/enums.ts';
import { boolean, dateTime, dto, float, int32, int64, string, uuid } from '../../contract/types.ts';

export const GlobalSearchHit = dto('GlobalSearchHit', {
  kind: SearchHitKind,
  id: int64,
  guid: uuid.nullable(),
  title: string,
  snippet: string,
  score: float,
  matchedBy: SearchMatchKind,
  /** Path of it in the dashboard or the interface. */
  url: string,
  identityId: int64.nullable(),
  projectId: int64.nullable(),
  tags: z.array(string),
  updatedAtUtc: dateTime.nullable(),
});
export type GlobalSearchHit = z.output<typeof GlobalSearchHit>;

export const GlobalSearchResultDto = dto('GlobalSearchResultDto', {
  query: string,
  hits: z.array(GlobalSearchHit),
  /** By kind, before the limit. */
  countsByKind: z.record(string, int32),
  tookMs: int32,
  /** Whether meaning was looked at, for the kinds that have it. */
  semanticUsed: boolean,
  /** What was not looked at, and why. */
  warning: string.nullable(),
});
export type GlobalSearchResultDto = z.output<typeof GlobalSearchResultDto>;
