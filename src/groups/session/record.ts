// Hand-offs as they are kept.
import { record, type Stored } from '../../ports/record.ts';
import type { SessionHandoffDto } from './dto.ts';

export interface HandoffDoc extends Omit<Stored<SessionHandoffDto>, 'status'> {
  /** Whom it is for: the identity that it was left for, or the one that left it. */
  forIdentityId: number;
  /** The mark of the request that claimed it, where it had one. */
  claimMark?: string | null;
  /** Whether somebody has taken it; whether its time is over follows from `expiresAt`. */
  claimed: boolean;
}

export const handoffRecord = record<HandoffDoc>('session_handoffs', {
  noun: 'hand-off',
  inProject: true,
  list: 'GET /api/session/handoffs',
  order: '-createdAtUtc',
  lacks: ['updatedAt'],
  indexes: [
    { keys: { tenantId: 1, forIdentityId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, forIdentityId: 1, claimed: 1, createdAt: -1, expiresAt: 1 } },
    { keys: { tenantId: 1, fromIdentityId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, forIdentityId: 1, _id: 1 } },
    { keys: { tenantId: 1, fromIdentityId: 1, _id: 1 } },
    { keys: { tenantId: 1, projectId: 1 } },
  ],
});
