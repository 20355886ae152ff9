// A hit of any kind, as searches over several groups answer it.
import { z } from 'zod';
import { SearchHitKind, SearchMatchKind } from '../../contract/enums.ts';
import { dateTime, dto, float, int64, string, uuid } from '../../contract/types.ts';

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
