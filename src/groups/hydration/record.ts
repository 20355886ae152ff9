// Receipts as they are kept: ids and reasons, no texts, so that what is forgotten is not in them.
import type { Entry } from '../../memory/hydration/compose.ts';
import { type KeptDoc, record } from '../../ports/record.ts';

export interface ReceiptDoc extends KeptDoc {
  identityId: number;
  projectId: number | null;
  runId: number | null;
  chatSessionId: number | null;
  preset: string;
  tokenBudget: number | null;
  tokenEstimate: number;
  entries: Entry[];
  /** What a fork could know; null for all. */
  horizon: { recordedBy: Date; rootRunId: number | null } | null;
  /** `run:7`, `chat:7`, or the digest of a preview: a session has one receipt, and the same preview again has the same. */
  key: string;
}

export const receiptRecord = record<ReceiptDoc>('hydration_receipts', {
  noun: 'receipt',
  inProject: true,
  list: 'GET /api/identities/{identityId}/hydration/receipts',
  order: '-createdAtUtc',
  lacks: ['guid', 'updatedAt'],
  indexes: [
    { keys: { tenantId: 1, identityId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, projectId: 1 } },
    { keys: { tenantId: 1, key: 1 }, unique: true },
    { keys: { tenantId: 1, runId: 1 } },
    { keys: { createdAt: 1 } },
  ],
});
