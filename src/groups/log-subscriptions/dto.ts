// Log subscriptions as they are answered.
import type { z } from 'zod';
import { LogDomain, SystemLogLevel } from '../../contract/enums.ts';
import { boolean, dateTime, dto, int64, string, uuid } from '../../contract/types.ts';

export const LogSubscriptionDto = dto('LogSubscriptionDto', {
  id: int64,
  guid: uuid,
  identityName: string.nullable(),
  domain: LogDomain,
  minLevel: SystemLogLevel,
  /** Lines of this machine alone; of all when null. */
  sourceHost: string.nullable(),
  isActive: boolean,
  /** Whose inbox gets the digests. */
  identityId: int64,
  createdAtUtc: dateTime,
});
export type LogSubscriptionDto = z.output<typeof LogSubscriptionDto>;
