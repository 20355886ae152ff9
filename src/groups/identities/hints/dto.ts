// Hints as they are answered and published.
import type { z } from 'zod';
import { boolean, dateTime, dto, int32, int64, string, uuid } from '../../../contract/types.ts';

export const IdentityHintDto = dto('IdentityHintDto', {
  id: int64,
  guid: uuid,
  identityId: int64,
  content: string,
  category: string.nullable(),
  priority: int32,
  isRecurring: boolean,
  recurrencePattern: string.nullable(),
  triggerAtUtc: dateTime.nullable(),
  dismissedAtUtc: dateTime.nullable(),
  completedAtUtc: dateTime.nullable(),
  sourceMemoryId: int64.nullable(),
  createdAtUtc: dateTime,
});
export type IdentityHintDto = z.output<typeof IdentityHintDto>;
