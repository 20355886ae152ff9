// What is kept of security-relevant actions: an entry each, chained by hashes, and the head of each tenant's chain.
import type { AuditCategory, AuditOutcome, PrincipalKind } from '../../contract/enums.ts';
import { defineCollection } from '../../ports/db.ts';
import { record } from '../../ports/record.ts';

/** What tells of persons: it can be erased without breaking the chain, which holds a digest of it. */
export interface Personal {
  actorName: string | null;
  targetName: string | null;
  ip: string | null;
  userAgent: string | null;
  detail: string | null;
}

export interface AuditEventDoc extends Personal {
  _id: number;
  guid: string;
  tenantId: number;
  /** From 1, without gaps. */
  seq: number;
  action: string;
  category: AuditCategory;
  outcome: AuditOutcome;
  actorKind: PrincipalKind;
  actorId: number | null;
  /** The user behind the actor, whose own data this is too. */
  actorUserId: number | null;
  targetKind: string | null;
  targetId: number | null;
  requestId: string | null;
  /** The documents that were written, with digests of before and after. */
  changesJson: string | null;
  /** Names of what was sent, never the values. */
  requestJson: string | null;
  /** Goes into the digest of the personal fields, so that it cannot be guessed once they are erased; null then. */
  salt: string | null;
  personalDigest: string;
  prevHash: string;
  hash: string;
  createdAt: Date;
}

export const auditRecord = record<AuditEventDoc>('audit_events', {
  noun: 'audit event',
  list: 'GET /api/audit-events',
  order: '-seq',
  search: ['action', 'actorName', 'targetName', 'detail'],
  lacks: ['updatedAt'],
  rollups: [{ per: { path: 'createdAt', ms: 86_400_000 }, by: ['tenantId'], sums: [] }],
  indexes: [
    { keys: { tenantId: 1, seq: -1 }, unique: true },
    { keys: { tenantId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, actorUserId: 1 } },
    { keys: { tenantId: 1, requestId: 1 } },
  ],
});

/** The newest entry that a chain is known to have had: a chain that ends before it was cut. */
export interface AuditHeadDoc {
  /** The tenant. */
  _id: number;
  seq: number;
  /** The newest entry that was deleted by its age: the chain begins after it. */
  anchor?: { seq: number; hash: string };
}

export const auditHeads = defineCollection<AuditHeadDoc>({ name: 'audit_heads' });
