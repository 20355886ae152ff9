// The chain of audit entries: whatever is done to it afterwards is found and located; writers on several nodes share it.
import { expect, it, onTestFinished } from 'vitest';
import { createAuthWorld } from '../../../test/support/auth-world.ts';
import { createSigner } from '../../kernel/signer.ts';
import type { AuditedOperation } from '../../ports/audit.ts';
import { createIds } from '../../stores/ids.ts';
import { isChained, verifyChain } from './chain.ts';
import { draftOf } from './entry.ts';
import { createAuditLog } from './log.ts';
import { type AuditEventDoc, auditHeads, auditRecord } from './record.ts';

const operation: AuditedOperation = {
  id: 'Roles_patch',
  group: 'Roles',
  caller: null,
  outcome: 'Success',
  fault: null,
  params: { id: 7 },
  body: { name: 'hush-name', password: 'hush-password' },
  writes: [{ kind: 'role', how: 'changed', id: 7, name: 'Baker', fields: ['name'], before: 'a', after: 'b' }],
  account: null,
  requestId: 'r1',
  ip: '127.0.0.1',
  userAgent: 'test',
};
const tenantId = 1;
const signer = createSigner({ secret: 'a secret of a test' });

async function openLog(nodes = 1) {
  const world = await createAuthWorld([auditRecord.spec, auditHeads]);
  onTestFinished(() => world.close());
  const { db, clock } = world;
  const logs = Array.from({ length: nodes }, () =>
    createAuditLog({ db, ids: createIds({ db }), clock, stored: () => undefined }),
  );
  const entries = db.collection(auditRecord.spec);
  const at = async (seq: number) => (await entries.findOne({ tenantId, seq })) as AuditEventDoc;
  const verdict = () => verifyChain({ db, signer }, tenantId);
  const write = (count: number) =>
    Promise.all(Array.from({ length: count }, (_, i) => logs[i % nodes]?.(draftOf(operation, tenantId))));
  return { ...world, entries, at, verdict, write };
}

it('chains what several nodes write at the same time, without gaps', async () => {
  const { write, verdict, entries, at, db } = await openLog(3);
  for (let round = 0; round < 5; round++) await write(60);
  expect(await verdict()).toEqual({ valid: true, checked: 300, brokenAtSeq: null, reason: null });
  expect(await entries.countDocuments({ tenantId })).toBe(300);
  for (const seq of [1, 150, 300]) expect(await isChained({ db, signer }, await at(seq))).toBe(true);
});

it('says who did what to what, with names of fields and digests alone', async () => {
  const { write, at } = await openLog();
  await write(1);
  const entry = await at(1);
  expect(entry).toMatchObject({ action: 'Roles_patch', category: 'Roles', targetKind: 'role', targetId: 7 });
  expect(JSON.parse(entry.requestJson ?? '')).toEqual({ params: { id: 7 }, fields: ['name', 'password'] });
  expect(JSON.parse(entry.changesJson ?? '')).toMatchObject([{ kind: 'role', id: 7, before: 'a', after: 'b' }]);
  expect(JSON.stringify(entry)).not.toContain('hush');
});

const attacks: Record<
  string,
  { brokenAt: number; on: (log: Awaited<ReturnType<typeof openLog>>) => Promise<unknown> }
> = {
  'a changed entry': {
    brokenAt: 4,
    on: ({ entries }) => entries.updateOne({ tenantId, seq: 4 }, { $set: { outcome: 'Denied' } }),
  },
  'a changed name': {
    brokenAt: 4,
    on: ({ entries }) => entries.updateOne({ tenantId, seq: 4 }, { $set: { targetName: 'Somebody else' } }),
  },
  'a changed text that it is found by': {
    brokenAt: 4,
    on: ({ entries }) => entries.updateOne({ tenantId, seq: 4 }, { $set: { about: 'nothing' } }),
  },
  'a missing entry': { brokenAt: 4, on: ({ entries }) => entries.deleteOne({ tenantId, seq: 4 }) },
  'entries that were swapped': {
    brokenAt: 4,
    on: async ({ entries }) => {
      await entries.updateOne({ tenantId, seq: 4 }, { $set: { seq: 99 } });
      await entries.updateOne({ tenantId, seq: 5 }, { $set: { seq: 4 } });
      await entries.updateOne({ tenantId, seq: 99 }, { $set: { seq: 5 } });
    },
  },
  'an entry that was put in': {
    brokenAt: 9,
    on: async ({ entries, at }) => entries.insertOne({ ...(await at(8)), _id: 999, seq: 9 }),
  },
  'an end that was cut off': { brokenAt: 7, on: ({ entries }) => entries.deleteMany({ tenantId, seq: { $gte: 7 } }) },
};

it.each(Object.entries(attacks))('finds %s, and where', async (_, { brokenAt, on }) => {
  const log = await openLog();
  await log.write(8);
  await expect.poll(() => log.db.collection(auditHeads).findOne({ _id: tenantId })).toMatchObject({ seq: 8 });
  expect((await log.verdict()).valid).toBe(true);
  await on(log);
  expect(await log.verdict()).toMatchObject({ valid: false, brokenAtSeq: brokenAt });
});

it('stands when the fields about a person are erased', async () => {
  const { write, entries, verdict } = await openLog();
  await write(3);
  const erased = { actorName: null, targetName: null, ip: null, userAgent: null, detail: null, salt: null };
  await entries.updateMany({ tenantId }, { $set: { ...erased, about: operation.id } });
  expect((await verdict()).valid).toBe(true);
});
