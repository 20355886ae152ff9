// Interests as they are answered.
import type { z } from 'zod';
import { InterestSource } from '../../contract/enums.ts';
import { dateTime, dto, float, int32, int64, string } from '../../contract/types.ts';

export const InterestDto = dto('InterestDto', {
  id: int64,
  identityId: int64,
  topic: string,
  /** 0 to 1; an inferred one fades when it is not spoken of. */
  weight: float,
  source: InterestSource,
  mentionCount: int32,
  notes: string.nullable(),
  lastReinforcedAtUtc: dateTime.nullable(),
  createdAtUtc: dateTime,
  updatedAtUtc: dateTime,
});
export type InterestDto = z.output<typeof InterestDto>;

const topic = string.trim().min(1).max(200);

export const InterestInput = dto('InterestInput', {
  topic,
  weight: float.min(0).max(1).nullish(),
  notes: string.max(2000).nullish(),
});
