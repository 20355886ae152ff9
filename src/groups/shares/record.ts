// Links as they are kept.
import { record, type Stored } from '../../ports/record.ts';
import type { ShareDto } from './dto.ts';

export interface ShareDoc extends Stored<ShareDto> {
  /** SHA-256 of the token. */
  tokenHash: string;
  createdByUserId: number | null;
  createdByIdentityId: number | null;
}

export const shareRecord = record<ShareDoc>('shares', {
  noun: 'share',
  list: 'GET /api/shares',
  order: '-createdAtUtc',
  staysSmall: true,
  indexes: [
    { keys: { tokenHash: 1 }, unique: true },
    { keys: { guid: 1 } },
    { keys: { tenantId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, runId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, chatSessionId: 1, createdAt: -1 } },
    { keys: { createdAt: 1 } },
  ],
});
