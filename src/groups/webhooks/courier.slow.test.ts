// Deliveries over a day of retries, nodes that die, and events that are told twice; the clock is moved by hand.
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { openTestDb } from '../../../test/support/embedded-db.ts';
import type { Caller } from '../../contract/caller.ts';
import type { Answer, Sending } from '../../kernel/http-send.ts';
import { silentLogger } from '../../kernel/logger.ts';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import { createVault } from '../../kernel/vault.ts';
import { newSecret } from '../../outside/deliveries/signing.ts';
import { createKeeper } from '../../ports/keeper.ts';
import { openGate } from '../../ports/queues.ts';
import type { Publication } from '../../ports/stream.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { type Cause, causeNow } from '../agent/routines/cause.ts';
import { createHearing, heardSpec } from '../hearing.ts';
import { requireRoom } from '../room.ts';
import { createWebhookBook } from './book.ts';
import { createWebhookCourier } from './courier.ts';
import { createOutbox } from './outbox.ts';
import { deliveryRecord, type WebhookDoc, webhookRecord } from './record.ts';
import { mostWebhooks } from './service.ts';

const patience = { timeout: 10_000, interval: 5 };
const hour = 3_600_000;

const answered = (statusCode: number): Answer =>
  Object.assign(Readable.from([Buffer.from('said')]), { statusCode, statusMessage: '', rawHeaders: [] });

async function openWorld() {
  const clock = new SimulatedClock();
  const db = openTestDb(undefined, clock);
  await db.ensureIndexes([webhookRecord.spec, deliveryRecord.spec, heardSpec]);
  let last = 0;
  const ids = { next: async () => ++last } as never;
  const vault = createVault({ secret: 'of this test' });
  const told: string[] = [];
  const causes: (Cause | null)[] = [];
  const warned: string[] = [];
  const sent: Sending[] = [];
  const world = { may: true, lineage: [] as number[], answer: async (): Promise<Answer> => answered(500) };
  const publisher = {
    publish: async (one: Publication) => {
      told.push(one.type);
      causes.push(causeNow());
    },
  } as never;
  const keeper = createKeeper(webhookRecord, { db, ids, clock });
  const node = (nodeId: string, alone = true) => {
    const book = createWebhookBook({ db, clock, publisher, signals: null });
    const outbox = createOutbox({
      ...{ book, ids, poke: () => {}, lineageOf: async () => world.lineage },
      makerOf: async () => ({ permissions: new Set(['WebhooksWrite']) }) as unknown as Caller,
      mayFollow: async () => world.may,
    });
    const courier = createWebhookCourier({
      gate: openGate,
      ...{ book, clock, vault, nodeId, alone, log: silentLogger, maySend: outbox.maySend },
      sendOf: () => async (_url, sending) => {
        sent.push(sending);
        return world.answer();
      },
      disabling: async (_webhook, _delivery, why) => void warned.push(why),
    });
    const hearing = createHearing({ db, clock, log: silentLogger, alone });
    hearing.listen(outbox);
    const hear = async (one: Publication) => hearing.hear(one)?.taken;
    return { book, outbox: { ...outbox, hear }, courier };
  };
  const webhook = (more: Partial<WebhookDoc> = {}) =>
    keeper.insert(
      { tenantId: 1 },
      {
        ...{ name: 'one', url: 'http://there.invalid/', description: null, eventTypes: ['task.*'], filterJson: null },
        ...{ projectId: null, identityId: null, headerNames: [], sealedHeaders: null, enabled: true },
        ...{ timeoutMs: 1000, maxAttempts: 9, secretPrefix: '', successCount: 0, failureCount: 0 },
        ...{ consecutiveFailures: 0, lastDeliveryAt: null, lastStatus: null, disabledAt: null, disabledReason: null },
        ...{ secrets: [{ sealed: vault.seal(1, newSecret()), until: null }] },
        ...{ createdByUserId: 1, createdByIdentityId: null },
        ...more,
      },
    );
  const deliveries = () =>
    db
      .collection(deliveryRecord.spec)
      .find({}, { sort: { _id: 1 } })
      .toArray();
  const statuses = async () => (await deliveries()).map(({ status }) => status);
  return { clock, db, world, told, causes, warned, sent, node, webhook, deliveries, statuses };
}

const event = (more: object = {}) =>
  ({ tenantId: 1, topics: ['project:7'], type: 'task.created', data: { id: 3 }, ...more }) as unknown as Publication;

describe('a delivery', () => {
  it('that fails is tried nine times within a day under one id, and then has failed', async () => {
    const { clock, node, webhook, sent, deliveries } = await openWorld();
    const { outbox, courier } = node('a');
    await webhook();
    await outbox.hear(event());
    const start = clock.now();
    for (let attempt = 1; attempt <= 9; attempt++) {
      await courier.round();
      const status = attempt < 9 ? 'Retrying' : 'Failed';
      const now = async () => (await deliveries())[0];
      await expect.poll(now, patience).toMatchObject({ attempt, status, responseStatus: 500 });
      const one = await now();
      await courier.round();
      // Not before it is due.
      expect(sent).toHaveLength(attempt);
      if (one?.due) clock.jump(one.due.getTime() - clock.now());
    }
    expect(clock.now() - start).toBeGreaterThan(21 * hour);
    expect(clock.now() - start).toBeLessThan(27 * hour);
    expect(new Set(sent.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(sent.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(9);
  });

  it('whose sender died is made again, at once by who is alone, else when the lease is over, and says so', async () => {
    for (const alone of [true, false]) {
      const { clock, node, webhook, world, sent, deliveries, statuses } = await openWorld();
      const dead = node('a', alone);
      await webhook();
      await dead.outbox.hear(event());
      world.answer = () => new Promise(() => {});
      void dead.courier.round();
      await expect.poll(() => sent.length, patience).toBe(1);
      world.answer = async () => answered(204);
      const next = node('b', alone);
      await next.courier.takeUp();
      await next.courier.round();
      if (!alone) {
        expect(await statuses()).toEqual(['Delivering']);
        clock.jump(17_000);
        await next.courier.round();
        await expect.poll(statuses, patience).not.toEqual(['Delivering']);
        await next.courier.round();
      }
      await expect.poll(statuses, patience).toEqual(['Delivered']);
      expect(sent.map(({ headers }) => headers['webhook-id'])).toEqual(Array(2).fill(sent[0]?.headers['webhook-id']));
      const note = { mayBeRepeated: true, error: expect.stringContaining('may have arrived more than once') };
      expect((await deliveries())[0]).toMatchObject({ attempt: 1, sender: null, ...note });
    }
  });

  it('is one, however often the event is told after a crash, and on however many nodes', async () => {
    const { node, webhook, deliveries } = await openWorld();
    const nodes = [node('a'), node('b')];
    await webhook();
    for (const { outbox } of [...nodes, ...nodes]) await outbox.hear(event({ key: 'run.ended:7:3' }));
    expect(await deliveries()).toHaveLength(1);
    await nodes[0]?.outbox.hear(event({ key: 'run.ended:7:4' }));
    await nodes[0]?.outbox.hear(event());
    await nodes[0]?.outbox.hear(event());
    expect(await deliveries()).toHaveLength(4);
  });

  it('is not made of what its owner may not see, nor sent when that is so by then', async () => {
    const { node, webhook, world, sent, deliveries } = await openWorld();
    const { outbox, courier } = node('a');
    await webhook();
    world.may = false;
    await outbox.hear(event());
    expect(await deliveries()).toEqual([]);
    world.may = true;
    await outbox.hear(event());
    await outbox.hear(event({ tenantId: 2 }));
    await outbox.hear(event({ topics: ['me@user:3'] }));
    world.may = false;
    await courier.round();
    await expect.poll(async () => (await deliveries()).map(({ status }) => status), patience).toEqual(['Dropped']);
    expect(sent).toEqual([]);
  });

  it('is told as caused by the routine that led to its event, so that it wakes nobody in a circle', async () => {
    const { node, webhook, world, causes, statuses } = await openWorld();
    const { outbox, courier } = node('a');
    await webhook();
    world.lineage = [7];
    world.answer = async () => answered(204);
    await outbox.hear(event());
    await courier.round();
    await expect.poll(statuses, patience).toEqual(['Delivered']);
    await expect.poll(() => causes, patience).toEqual([{ lineage: [7] }]);
  });

  it('of webhooks themselves, of another type, project or filter is not made', async () => {
    const { node, webhook, deliveries } = await openWorld();
    const { outbox } = node('a');
    await webhook({ eventTypes: ['*'], projectId: 7, filterJson: '{"id":3}' });
    await outbox.hear(event({ type: 'webhook.delivery' }));
    await outbox.hear(event({ topics: ['project:8'] }));
    await outbox.hear(event({ data: { id: 4 } }));
    expect(await deliveries()).toEqual([]);
    await outbox.hear(event());
    expect(await deliveries()).toHaveLength(1);
  });
});

describe('a webhook', () => {
  it('has four deliveries under way at once, and does not hold up another one', async () => {
    const { node, webhook, world, sent } = await openWorld();
    const { book, outbox, courier } = node('a');
    await webhook();
    world.answer = () => new Promise(() => {});
    for (let at = 0; at < 50; at++) await outbox.hear(event());
    await courier.round();
    await expect.poll(() => sent.length, patience).toBe(4);
    await webhook({ eventTypes: ['run.*'] });
    book.changed(1);
    await outbox.hear(event({ type: 'run.ended' }));
    await courier.round();
    await expect.poll(() => sent.length, patience).toBe(5);
  });

  it('is matched, however many there are, and one too many is refused with what to do', async () => {
    const { db, node, webhook } = await openWorld();
    const { _id, ...one } = await webhook();
    const { book } = node('a');
    const more = Array.from({ length: mostWebhooks }, (_, at) => ({ ...one, _id: _id + 1 + at, guid: `g${at}` }));
    await db.collection(webhookRecord.spec).insertMany(more);
    expect(await book.read(1)).toHaveLength(mostWebhooks + 1);
    const refused = requireRoom(perTenant(book.webhooks)(1), mostWebhooks, 'webhooks', 'Delete one.');
    await expect(refused).rejects.toMatchObject({ code: 'CONFLICT', hint: 'Delete one.', message: /1,000 webhooks/ });
    await requireRoom(perTenant(book.webhooks)(2), mostWebhooks, 'webhooks', 'Delete one.');
  });

  it('is switched off after five failures in a row: what waits is dropped, and its owner told before', async () => {
    const { node, webhook, db, warned, statuses } = await openWorld();
    const { outbox, courier } = node('a');
    const { _id } = await webhook({ maxAttempts: 1 });
    for (let at = 0; at < 9; at++) await outbox.hear(event());
    await courier.round();
    await expect.poll(async () => (await statuses()).includes('Pending'), patience).toBe(false);
    await expect
      .poll(async () => (await statuses()).filter((one) => one === 'Dropped').length, patience)
      .toBeGreaterThan(0);
    expect(warned[0]).toBe('5 deliveries in a row failed with all their attempts.');
    expect(await db.collection(webhookRecord.spec).findOne({ _id })).toMatchObject({ enabled: false });
    await outbox.hear(event());
    expect(await statuses()).toHaveLength(9);
  });
});
