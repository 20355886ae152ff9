import { afterEach, beforeEach, expect, it } from 'vitest';
import { createAuthWorld } from '../../../test/support/auth-world.ts';
import { createSigner } from '../../kernel/signer.ts';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import { anchorAt } from './anchor.ts';
import { isChained, verifyChain } from './chain.ts';
import type { Draft } from './entry.ts';
import { createAuditLog } from './log.ts';
import { pruneChain } from './prune.ts';
import { type AuditEventDoc, auditHeads, auditRecord } from './record.ts';

const dayMs = 86_400_000;
const tenantId = 1;
const signer = createSigner({ secret: 'a secret of a test' });
const verdict = () => verifyChain({ db: world.db, signer }, tenantId);
/** A clock that nothing else hangs on. */
let clock: SimulatedClock;
let world: Awaited<ReturnType<typeof createAuthWorld>>;
beforeEach(async () => {
  clock = new SimulatedClock();
  world = await createAuthWorld([auditRecord.spec, auditHeads]);
});
afterEach(() => world.close());

const entries = () => world.db.collection(auditRecord.spec);
const append = () => createAuditLog({ ...world, clock, stored: () => undefined });
const draft = (action: string): Draft => ({
  tenantId,
  action,
  category: 'Data',
  outcome: 'Success',
  actorKind: 'System',
  actorId: null,
  actorUserId: null,
  actorName: null,
  targetKind: null,
  targetId: null,
  targetName: null,
  ip: null,
  userAgent: null,
  requestId: null,
  detail: null,
  changesJson: null,
  requestJson: null,
});
/** Ten entries a day for five days. */
async function fill(): Promise<void> {
  for (let day = 0; day < 5; day++) {
    for (let at = 0; at < 10; at++) await append()(draft(`day-${day}`));
    await clock.advance(dayMs);
  }
}
const prune = async (days: number) => {
  let removed = 0;
  for await (const count of pruneChain({ ...world, clock, signer }, tenantId, clock.now() - days * dayMs))
    removed += count;
  return removed;
};

it('deletes the oldest entries, and the rest is verified from its anchor', async () => {
  await fill();
  expect(await prune(3)).toBe(20);
  expect(await verdict()).toMatchObject({ valid: true, checked: 31 });
  await append()(draft('later'));
  expect(await prune(3)).toBe(0);
  await clock.advance(2 * dayMs);
  expect(await prune(3)).toBe(20);
  expect(await verdict()).toMatchObject({ valid: true, brokenAtSeq: null });
});

it('keeps the newest entry, whatever its age', async () => {
  await fill();
  await clock.advance(100 * dayMs);
  expect(await prune(1)).toBe(49);
  expect(await verdict()).toMatchObject({ valid: true });
});

it('tells a cut that nobody has entered from one that was', async () => {
  await fill();
  const cut = await entries().findOne({ tenantId, seq: 20 });
  await entries().deleteMany({ tenantId, seq: { $lte: 20 } });
  expect(await verdict()).toMatchObject({ valid: false, brokenAtSeq: 1 });
  const anchor = { seq: 20, hash: cut?.hash ?? '' };
  await world.db.collection(auditHeads).updateOne({ _id: tenantId }, { $set: { anchor } }, { upsert: true });
  expect(await verdict()).toMatchObject({ valid: false, brokenAtSeq: 21 });
});

it('finds an anchor that somebody put there who can write to the database but has no secret of the server', async () => {
  await fill();
  const cut = (await entries().findOne({ tenantId, seq: 20 })) as AuditEventDoc;
  const forged = { seq: 20, hash: cut.hash };
  const forger = createSigner({ secret: 'another secret' });
  for (const anchor of [forged, { ...forged, signature: 'x' }, anchorAt(forger, tenantId, forged)]) {
    // The entry that vouches for it is easily made: its hash needs no secret.
    await append()({ ...draft('AuditEvents_prune'), changesJson: JSON.stringify({ anchor }) });
    await world.db.collection(auditHeads).updateOne({ _id: tenantId }, { $set: { anchor } }, { upsert: true });
    expect(await verdict()).toMatchObject({ valid: false, brokenAtSeq: 21 });
    const first = (await entries().findOne({ tenantId, seq: 21 })) as AuditEventDoc;
    await entries().updateOne({ tenantId, seq: 20 }, { $set: { hash: 'x' } });
    expect(await isChained({ db: world.db, signer }, first)).toBe(false);
    await entries().updateOne({ tenantId, seq: 20 }, { $set: { hash: cut.hash } });
  }
});

it('goes on where a process died between the anchor and the deletion', async () => {
  await fill();
  const pruning = pruneChain({ ...world, clock, signer }, tenantId, clock.now() - 3 * dayMs);
  await pruning.next();
  expect(await verdict()).toMatchObject({ valid: true });
  await pruning.return(undefined);
  await prune(3);
  expect(await entries().countDocuments({ tenantId, seq: { $lte: 20 } })).toBe(0);
  expect(await verdict()).toMatchObject({ valid: true });
});
