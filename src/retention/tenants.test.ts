import { afterEach, beforeEach, expect, it } from 'vitest';
import { createAuthWorld } from '../../test/support/auth-world.ts';
import { auditHeads, auditRecord } from '../groups/audit-events/record.ts';
import { SimulatedClock } from '../kernel/simulated-clock.ts';
import { createPolicies, defaultPolicy, policySpec, type TenantPolicy } from '../ports/tenant-policy.ts';
import { createDbEventStore, streamCollections } from '../stream/log/db-event-store.ts';
import { topicKey } from '../stream/log/topics.ts';
import { pruneEvents, ruleOfTenants } from './tenants.ts';

const dayMs = 86_400_000;
let world: Awaited<ReturnType<typeof createAuthWorld>>;
beforeEach(async () => {
  world = await createAuthWorld([policySpec, auditRecord.spec, auditHeads, ...streamCollections]);
});
afterEach(() => world.close());

it('prunes events and chats of each tenant by its own policy', async () => {
  const clock = new SimulatedClock();
  const [ours, theirs] = [
    (await world.boot({ adminKey: null })).tenantId,
    (await world.boot({ slug: 'other', adminKey: null })).tenantId,
  ];
  const policies = createPolicies({ ...world, clock });
  await policies.replace(ours, { ...defaultPolicy, eventRetentionDays: 2, chatRetentionDays: 5 }, 'Ada');
  const events = createDbEventStore(world.db);
  const now = clock.now();
  for (const tenantId of [ours, theirs])
    for (const [at, days] of [10, 3, 1].entries()) {
      const event = { key: topicKey(tenantId, 'runs'), gen: 1, seq: at + 1, at: now - days * dayMs };
      await events.append([{ ...event, type: 'run.updated', body: '{}' }], []);
    }
  const pruned: [number, number][] = [];
  const chats = {
    name: 'chats',
    daysOf: ({ chatRetentionDays }: TenantPolicy) => chatRetentionDays,
    async *prune(before: number, tenantId: number) {
      pruned.push([tenantId, (now - before) / dayMs]);
      yield 0;
    },
  };
  const rules = [pruneEvents(world.db), chats].map((one) => ruleOfTenants({ ...world, policies }, one));
  for (const { prune, keptMs } of rules) for await (const _ of prune(clock.now() - (keptMs ?? 0)));
  // Only who wants to keep chats for a time has them pruned.
  expect(pruned).toEqual([[ours, 5]]);
  const left = async (tenantId: number) =>
    (await events.read(topicKey(tenantId, 'runs'), { gen: 0, seq: 0 }, 10)).map(({ seq }) => seq);
  expect(await left(ours)).toEqual([3]);
  expect(await left(theirs)).toEqual([1, 2, 3]);
});
