// Hints as they are kept.
import { record, type Stored } from '../../../ports/record.ts';
import type { IdentityHintDto } from './dto.ts';

export interface HintDoc extends Stored<IdentityHintDto> {
  /** The first time of a recurring hint, from which its rule counts. */
  startAt: Date | null;
  /** The time that was told of last, so that each is told once. */
  toldFor: Date | null;
  /** What was said when it was completed or dismissed. */
  remark: string | null;
  open: boolean;
  /** When it is due: its time, or when it was left. */
  dueAt: Date;
  /** The mark of the request that changed it last, where it had one. */
  mark?: string | null;
}

export const hintRecord = record<HintDoc>('identity_hints', {
  noun: 'hint',
  list: 'GET /api/identities/{identityId}/hints',
  order: '-createdAtUtc',
  lacks: ['updatedAt'],
  indexes: [
    { keys: { tenantId: 1, identityId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, identityId: 1, triggerAt: 1 } },
    { keys: { tenantId: 1, identityId: 1, open: 1, dueAt: 1 } },
    { keys: { triggerAt: 1 }, name: 'open', partialFilterExpression: { open: true } },
  ],
});
