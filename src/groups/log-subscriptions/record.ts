// Log subscriptions as they are kept, with the place in the log that each has come to.
import { record, type Stored } from '../../ports/record.ts';
import type { LogSubscriptionDto } from './dto.ts';

export interface LogSubscriptionDoc extends Stored<Omit<LogSubscriptionDto, 'identityName'>> {
  /** Who made it: what they may not see any more is not sent. */
  createdByUserId: number | null;
  createdByIdentityId: number | null;
  /** Lines up to this number are done with. */
  cursor: number;
  /** The digest that is being sent tells of lines up to this number; null between digests. */
  sendingTo: number | null;
  /** When the last digest was sent, and ms until the next one: they grow while lines keep coming. */
  sentAt: Date | null;
  spacing: number;
}

export const logSubscriptionRecord = record<LogSubscriptionDoc>('log_subscriptions', {
  noun: 'log subscription',
  list: 'GET /api/log-subscriptions',
  order: 'id',
  staysSmall: true,
  lacks: ['updatedAt'],
  indexes: [
    { keys: { tenantId: 1, createdAt: 1 } },
    { keys: { tenantId: 1, identityId: 1 } },
    { keys: { tenantId: 1, domain: 1 } },
    { keys: { tenantId: 1, isActive: 1 } },
    { keys: { isActive: 1 } },
  ],
});
