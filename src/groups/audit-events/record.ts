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
  /** What `q` is looked for in: action, names and detail, together, since the store indexes one text. */
  about: string;
  prevHash: string;
  hash: string;
  createdAt: Date;
}

/** What an entry can be found by; without its personal fields once they were erased. */
export const aboutOf = (entry: Pick<AuditEventDoc, 'action' | 'actorName' | 'targetName' | 'detail'>): string =>
  [entry.action, entry.actorName, entry.targetName, entry.detail].filter(Boolean).join('\n');

export const auditRecord = record<AuditEventDoc>('audit_events', {
  noun: 'audit event',
  list: 'GET /api/audit-events',
  order: '-seq',
  search: ['about'],
  texts: ['about'],
  lacks: ['updatedAt'],
  rollups: [{ per: { path: 'createdAt', ms: 86_400_000 }, by: ['tenantId'], sums: [] }],
  indexes: [
    { keys: { tenantId: 1, seq: -1 }, unique: true },
    { keys: { tenantId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, actorUserId: 1 } },
    { keys: { tenantId: 1, requestId: 1 } },
    // What narrows a list to few; each index is paid for by every audited write.
    { keys: { tenantId: 1, action: 1, seq: -1 } },
    { keys: { tenantId: 1, actorId: 1, seq: -1 } },
    { keys: { tenantId: 1, targetId: 1, seq: -1 } },
  ],
});

/** The newest entry that a chain is known to have had: a chain that ends before it was cut. */
export interface AuditHeadDoc {
  /** The tenant. */
  _id: number;
  seq: number;
  anchor?: Anchor;
}

/** The newest entry that was deleted by its age: the chain begins after it. */
export interface Anchor {
  seq: number;
  hash: string;
  /** By the server's secret; anchors of earlier versions have none, and do not hold any more. */
  signature?: string;
}

export const auditHeads = defineCollection<AuditHeadDoc>({ name: 'audit_heads' });
