// The chain of a tenant's audit entries: what is hashed, and how a chain is checked.
import { createHash } from 'node:crypto';
import type { Signer } from '../../kernel/signer.ts';
import type { Db } from '../../ports/db.ts';
import { isSigned } from './anchor.ts';
import { type AuditEventDoc, aboutOf, auditHeads, auditRecord, type Personal } from './record.ts';

/** What the first entry is chained to. */
export const genesis = '0'.repeat(64);
/** The action of entries that move the anchor of their chain. */
export const anchoring = 'AuditEvents_prune';
/** Entries that are read at once. */
const step = 500;

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

export const personalDigestOf = (salt: string, { actorName, targetName, ip, userAgent, detail }: Personal): string =>
  sha256(JSON.stringify([salt, actorName, targetName, ip, userAgent, detail]));

/** SHA-256 over the fields in a fixed order, as JSON, with the hash of the entry before. */
export const hashOf = (entry: Omit<AuditEventDoc, 'hash' | '_id' | keyof Personal | 'salt' | 'about'>): string =>
  sha256(
    JSON.stringify([
      entry.prevHash,
      entry.tenantId,
      entry.seq,
      entry.guid,
      entry.action,
      entry.category,
      entry.outcome,
      entry.actorKind,
      entry.actorId,
      entry.actorUserId,
      entry.targetKind,
      entry.targetId,
      entry.requestId,
      entry.changesJson,
      entry.requestJson,
      entry.personalDigest,
      entry.createdAt.toISOString(),
    ]),
  );

/**
 * Whether an entry is what was written: its hash is right, it is found by what it says, and its personal fields are
 * right unless they were erased.
 */
export const isWhole = (entry: AuditEventDoc): boolean =>
  hashOf(entry) === entry.hash &&
  entry.about === aboutOf(entry) &&
  (entry.salt === null || personalDigestOf(entry.salt, entry) === entry.personalDigest);

interface Deps {
  db: Db;
  signer: Signer;
}

/** Whether an entry stands where it was written: whole, and chained to the entries before and after it. */
export async function isChained({ db, signer }: Deps, entry: AuditEventDoc): Promise<boolean> {
  const entries = db.collection(auditRecord.spec);
  const { tenantId, seq } = entry;
  const [before, after, head] = await Promise.all([
    entries.findOne({ tenantId, seq: seq - 1 }),
    entries.findOne({ tenantId, seq: seq + 1 }),
    db.collection(auditHeads).findOne({ _id: tenantId }),
  ]);
  const { anchor } = head ?? {};
  const isFirst = anchor?.seq === seq - 1 && isSigned(signer, tenantId, anchor);
  const expected = seq === 1 ? genesis : isFirst ? anchor.hash : before?.hash;
  const follows = entry.prevHash === expected;
  const isFollowed = after ? after.prevHash === entry.hash : (head?.seq ?? 0) <= seq;
  return isWhole(entry) && follows && isFollowed;
}

export interface Verdict {
  valid: boolean;
  checked: number;
  /** The first number at which the chain is not what was written; null for a chain that holds. */
  brokenAtSeq: number | null;
  reason: string | null;
}

/**
 * Checks a tenant's chain from its first entry, or its anchor, to its last. An anchor must be signed by the server, and
 * vouched for by an entry.
 */
export async function verifyChain({ db, signer }: Deps, tenantId: number): Promise<Verdict> {
  const entries = db.collection(auditRecord.spec);
  // Read first: what is appended meanwhile is no cut.
  const head = await db.collection(auditHeads).findOne({ _id: tenantId });
  const anchor = head?.anchor ?? { seq: 0, hash: genesis };
  let prevHash = anchor.hash;
  let checked = anchor.seq;
  let isVouchedFor = anchor.seq === 0;
  const broken = (brokenAtSeq: number, reason: string): Verdict => ({
    valid: false,
    checked: checked - anchor.seq,
    brokenAtSeq,
    reason,
  });
  if (head?.anchor && !isSigned(signer, tenantId, head.anchor))
    return broken(anchor.seq + 1, 'The server did not sign that the entries before were deleted.');
  for (;;) {
    const some = await entries.find({ tenantId, seq: { $gt: checked } }, { sort: { seq: 1 }, limit: step }).toArray();
    for (const entry of some) {
      const seq = checked + 1;
      if (entry.seq !== seq) return broken(seq, 'An entry is missing.');
      if (entry.prevHash !== prevHash) return broken(seq, 'The entry does not follow the one before it.');
      if (!isWhole(entry)) return broken(seq, 'The entry was changed.');
      isVouchedFor ||= entry.action === anchoring && entry.changesJson === JSON.stringify({ anchor });
      prevHash = entry.hash;
      checked = seq;
    }
    if (some.length < step) break;
  }
  if (head && head.seq > checked) return broken(checked + 1, 'The newest entries are missing.');
  if (!isVouchedFor) return broken(anchor.seq + 1, 'No entry says that the ones before were deleted.');
  return { valid: true, checked: checked - anchor.seq, brokenAtSeq: null, reason: null };
}
