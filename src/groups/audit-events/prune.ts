// Deletes the oldest entries of a tenant's audit log so that the rest can still be verified: the chain then begins at an
// anchor, the last deleted entry's number and hash, signed by the server, and a later entry of the chain itself says that it was put there.
import type { Clock } from '../../kernel/clock.ts';
import type { Signer } from '../../kernel/signer.ts';
import type { Db } from '../../ports/db.ts';
import type { Ids } from '../../ports/ids.ts';
import { anchorAt } from './anchor.ts';
import { anchoring } from './chain.ts';
import type { Draft } from './entry.ts';
import { createAuditLog } from './log.ts';
import { type Anchor, auditHeads, auditRecord } from './record.ts';

interface Deps {
  db: Db;
  ids: Ids;
  clock: Clock;
  signer: Signer;
}

/** Entries of one write. */
const step = 200;
/** An anchor is moved once a day at most, since each move is an entry. */
const dayMs = 86_400_000;

/** Deletes what is older than `before` (ms since 1970 UTC); yields how many entries went, step by step. */
export async function* pruneChain(deps: Deps, tenantId: number, before: number): AsyncGenerator<number> {
  const entries = deps.db.collection(auditRecord.spec);
  const heads = deps.db.collection(auditHeads);
  const anchored = (await heads.findOne({ _id: tenantId }))?.anchor?.seq ?? 0;
  const [oldest] = await entries.find({ tenantId, seq: { $gt: anchored } }, { sort: { seq: 1 }, limit: 1 }).toArray();
  if (oldest && oldest.createdAt.getTime() < before - dayMs) {
    const [kept] = await entries
      .find({ tenantId, createdAt: { $gte: new Date(before) } }, { sort: { createdAt: 1 }, limit: 1 })
      .toArray();
    const newest = (await entries.find({ tenantId }, { sort: { seq: -1 }, limit: 1 }).toArray())[0];
    const last = (kept ?? newest)?.seq ?? 0;
    const cut = await entries.findOne({ tenantId, seq: last - 1 });
    if (cut && cut.seq > anchored) {
      const anchor = anchorAt(deps.signer, tenantId, cut);
      await createAuditLog({ ...deps, stored: () => undefined })(entryOf(tenantId, anchor));
      await heads.updateOne({ _id: tenantId }, { $set: { anchor } }, { upsert: true });
    }
  }
  const { anchor } = (await heads.findOne({ _id: tenantId })) ?? {};
  for (let removed = 1; anchor && removed > 0; ) {
    const old = await entries
      .find({ tenantId, seq: { $lte: anchor.seq } }, { sort: { seq: 1 }, limit: step })
      .toArray();
    removed = old.length;
    await entries.deleteMany({ _id: { $in: old.map(({ _id }) => _id) } });
    yield removed;
  }
}

const entryOf = (tenantId: number, anchor: Anchor): Draft => ({
  tenantId,
  action: anchoring,
  category: 'System',
  outcome: 'Success',
  actorKind: 'System',
  actorId: null,
  actorName: null,
  actorUserId: null,
  targetKind: 'audit event',
  targetId: null,
  targetName: null,
  ip: null,
  userAgent: null,
  requestId: null,
  detail: null,
  changesJson: JSON.stringify({ anchor }),
  requestJson: null,
});
