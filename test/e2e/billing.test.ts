// Billing over the whole server: hard limits where work begins, periods that end, and what the payment service says of it.
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';
import { createShiftedClock } from '../support/shifted-clock.ts';
import { registerStranger } from '../support/strangers.ts';
import { type Answer, request } from '../support/test-server.ts';

const secret = 'whsec_a-secret-of-the-payment-service';
const day = 86_400_000;
const clock = createShiftedClock();
let world: ServerWithModel;
beforeAll(async () => {
  world = await startServerWithModel({ RIVULET_PAYMENT_WEBHOOK_SECRET: secret }, clock);
  world.model.otherwise = () => ({ text: ['Done.'] });
  await ok(call('PUT', '/tenant-policy', { ...(await policy()), registrationMode: 'Open' }));
});
afterAll(() => world.close());

const call = (method: string, path: string, body?: unknown) => world.server.call(method, `/api${path}`, body);
const policy = async () => (await call('GET', '/tenant-policy')).body.data;
const ok = async (answer: Promise<Answer>) => {
  const { body } = await answer;
  expect([body.error, body.hint, body.ok]).toEqual([null, null, true]);
  return body.data;
};
const as = (key: string) => (method: string, path: string, body?: unknown) =>
  request(world.server.url, method, `/api${path}`, body, { authorization: `Bearer ${key}` });
let plans = 0;
const plan = (fields: object = {}) =>
  ok(
    call('POST', '/billing/plans', {
      key: `plan-${++plans}`,
      name: `Plan ${plans}`,
      monthlyPriceUsd: 0,
      quotas: [],
      ...fields,
    }),
  );
const choose = async (fields: object = {}) =>
  ok(call('PUT', '/billing/subscription', { planId: (await plan(fields)).id }));
const hard = (meter: string, limit: number) => ({ quotas: [{ meter, included: 0, limit, hardLimit: true }] });
const used = async (meter: string) =>
  (await ok(call('GET', '/billing/usage'))).meters.find((one: { meter: string }) => one.meter === meter).used;
/** What was read of a plan holds for a second. */
const aSecondLater = () => clock.shift(1001);
const code = async (answer: Promise<Answer>) => {
  const { status, body } = await answer;
  return [status, body.errorCode];
};
const refused = [402, 'QUOTA_EXCEEDED'];

describe('without any billing set up', () => {
  it('has the built-in plan, without a price and without limits, and bills nothing', async () => {
    const subscription = await ok(call('GET', '/billing/subscription'));
    expect(subscription).toMatchObject({ id: 0, planId: 0, planName: 'Built-in', status: 'Active' });
    expect(await ok(call('GET', '/billing/plans'))).toEqual([]);
    const usage = await ok(call('GET', '/billing/usage'));
    expect(usage).toMatchObject({ totalCostUsd: 0, projectedTotalUsd: 0 });
    expect(usage.meters.map(({ meter }: { meter: string }) => meter)).not.toContain('ApiRequests');
    clock.shift(40 * day);
    expect((await ok(call('GET', '/billing/invoices'))).totalCount).toBe(0);
  });
});

describe('a hard limit', () => {
  it('refuses a run that goes past it, and not the one that fits', async () => {
    await choose(hard('Runs', (await used('Runs')) + 1));
    aSecondLater();
    const run = await ok(call('POST', '/agent/runs', { goal: 'One.', autoStart: false }));
    expect(await code(call('POST', '/agent/runs', { goal: 'Two.' }))).toEqual(refused);
    expect(await code(call('POST', `/agent/runs/${run.id}/children`, { goal: 'Two.' }))).toEqual(refused);
    aSecondLater();
    expect(await code(call('POST', '/agent/runs', { goal: 'Two.' }))).toEqual(refused);
    await choose();
    aSecondLater();
    await ok(call('POST', '/agent/runs', { goal: 'Two.', autoStart: false }));
  });

  it('refuses model calls: of /v1, of a chat, of a run, and says so to each', async () => {
    await choose(hard('ModelCalls', (await used('ModelCalls')) + 1));
    aSecondLater();
    const complete = () =>
      world.server.call('POST', '/v1/chat/completions', { model: 'auto', messages: [{ role: 'user', content: 'Hi' }] });
    expect((await complete()).status).toBe(200);
    const before = world.model.requests.length;
    const second = await complete();
    expect([second.status, second.body.error.code]).toEqual([429, 'insufficient_quota']);
    const [identity] = (await ok(call('GET', '/identities'))).items;
    const session = await ok(call('POST', '/chat/sessions', { identityId: identity.id, title: 'Talk' }));
    const reply = await call('POST', `/chat/sessions/${session.id}/chat`, { message: 'Hi' });
    expect(JSON.stringify(reply.body)).toContain('QUOTA_EXCEEDED');
    const run = await ok(call('POST', '/agent/runs', { goal: 'Work.', autoStart: true }));
    await expect.poll(async () => (await ok(call('GET', `/agent/runs/${run.id}`))).status).toBe('Failed');
    expect(world.model.requests.length).toBe(before);
    await choose();
    aSecondLater();
    expect((await complete()).status).toBe(200);
  });

  it('refuses further users, identities and memories', async () => {
    const [users, identities] = [await used('ActiveUsers'), await used('ActiveIdentities')];
    const quotas = [hard('ActiveUsers', users), hard('ActiveIdentities', identities), hard('Memories', 1)];
    await choose({ quotas: quotas.flatMap((one) => one.quotas) });
    aSecondLater();
    expect(
      await code(call('POST', '/users', { username: 'ada', password: 'long-enough-words', role: 'Member' })),
    ).toEqual(refused);
    expect(await code(call('POST', '/identities', { name: 'Worker' }))).toEqual(refused);
    const [identity] = (await ok(call('GET', '/identities'))).items;
    const remember = (title: string) =>
      call('POST', `/identities/${identity.id}/memories`, { title, content: `About ${title}`, type: 'Fact' });
    await ok(remember('the first'));
    expect(await code(remember('another thing'))).toEqual(refused);
    aSecondLater();
    expect(await code(remember('another thing'))).toEqual(refused);
    await choose();
    aSecondLater();
    await ok(remember('another thing'));
    await ok(call('POST', '/identities', { name: 'Worker' }));
  });
});

describe('plans', () => {
  it('are made by the operator, and chosen by others among those that are active', async () => {
    const other = as(await registerStranger(world.server, 'east'));
    const active = await plan({ monthlyPriceUsd: 5 });
    const retired = await plan({ isActive: false });
    const seen = await ok(other('GET', '/billing/plans?includeInactive=true'));
    expect(seen.map(({ id }: { id: number }) => id)).toContain(active.id);
    expect(seen.map(({ id }: { id: number }) => id)).not.toContain(retired.id);
    const draft = { key: 'mine', name: 'Mine', monthlyPriceUsd: 0, quotas: [] };
    expect(await code(other('POST', '/billing/plans', draft))).toEqual([403, 'FORBIDDEN']);
    const whole = { ...draft, isActive: true, isDefault: true };
    expect(await code(other('PUT', `/billing/plans/${active.id}`, whole))).toEqual([404, 'NOT_FOUND']);
    expect(await code(other('PUT', '/billing/subscription', { planId: retired.id }))).toEqual([404, 'NOT_FOUND']);
    expect(await ok(other('PUT', '/billing/subscription', { planId: active.id }))).toMatchObject({ planId: active.id });
    const trial = { planId: active.id, trialEndsAtUtc: new Date(clock.now() + 900 * day).toISOString() };
    expect(await code(other('PUT', '/billing/subscription', trial))).toEqual([403, 'FORBIDDEN']);
  });

  it('name only what is counted, once, and hold what they say', async () => {
    const quota = { included: 0, hardLimit: false };
    const draft = (quotas: object[]) =>
      call('POST', '/billing/plans', { key: 'x', name: 'X', monthlyPriceUsd: 0, quotas });
    const invalid = [400, 'VALIDATION_FAILED'];
    expect(await code(draft([{ ...quota, meter: 'ApiRequests' }]))).toEqual(invalid);
    expect(
      await code(
        draft([
          { ...quota, meter: 'Runs' },
          { ...quota, meter: 'Runs' },
        ]),
      ),
    ).toEqual(invalid);
    expect(await code(draft([{ ...quota, meter: 'Runs', hardLimit: true }]))).toEqual(invalid);
    expect(await code(draft([{ ...quota, meter: 'Runs', included: 5, limit: 4 }]))).toEqual(invalid);
  });

  it('hold from the next period on where they are cheaper, and at once where they are not', async () => {
    const other = as(await registerStranger(world.server, 'west'));
    const [dear, cheap] = [await plan({ monthlyPriceUsd: 50 }), await plan({ monthlyPriceUsd: 5 })];
    await ok(other('PUT', '/billing/subscription', { planId: cheap.id }));
    expect(await ok(other('PUT', '/billing/subscription', { planId: dear.id }))).toMatchObject({
      planId: dear.id,
      nextPlanId: null,
    });
    expect(await ok(other('PUT', '/billing/subscription', { planId: cheap.id }))).toMatchObject({
      planId: dear.id,
      nextPlanId: cheap.id,
    });
    clock.shift(32 * day);
    expect(await ok(other('GET', '/billing/subscription'))).toMatchObject({ planId: cheap.id, nextPlanId: null });
    const bill = async () => (await ok(other('GET', '/billing/invoices'))).items;
    await expect.poll(async () => (await bill()).map((one: { totalUsd: number }) => one.totalUsd)).toEqual([50]);
  });
});

const signed = (body: string, { at = clock.now(), key = secret } = {}) => {
  const t = Math.floor(at / 1000);
  return `t=${t},v1=${createHmac('sha256', key).update(`${t}.${body}`).digest('hex')}`;
};
let events = 0;
const eventOf = (type: string, object: object, fields: object = {}) =>
  JSON.stringify({
    id: `evt_${++events}`,
    type,
    created: Math.floor(clock.now() / 1000),
    data: { object },
    livemode: true,
    ...fields,
  });
const deliver = (body: string, signature = signed(body)) =>
  request(world.server.url, 'POST', '/api/payment-webhook', body, { 'stripe-signature': signature });

describe('what the payment service says', () => {
  const subscribed = async (slug: string, price: number) => {
    const other = as(await registerStranger(world.server, slug));
    const ids = { externalCustomerId: `cus_${slug}`, externalSubscriptionId: `sub_${slug}` };
    const { id } = await plan({ monthlyPriceUsd: price });
    await ok(other('PUT', '/billing/subscription', { planId: id, ...ids }));
    const status = async () => {
      // What is done every minute is done again: it may have been under way when the time was set.
      clock.shift(0);
      return (await ok(other('GET', '/billing/subscription'))).status;
    };
    return { other, status };
  };

  it('pays an invoice, once, and brings a suspended tenant back; late failures change nothing', async () => {
    const { other, status } = await subscribed('north', 20);
    clock.shift(32 * day);
    const open = async () => (await ok(other('GET', '/billing/invoices?status=Open'))).items;
    await expect.poll(async () => (await open()).length).toBe(1);
    const [invoice] = await open();
    expect(await code(other('POST', `/billing/invoices/${invoice.id}/status`, { status: 'Paid' }))).toEqual([
      403,
      'FORBIDDEN',
    ]);
    clock.shift(15 * day);
    await expect.poll(status).toBe('PastDue');
    clock.shift(8 * day);
    await expect.poll(status).toBe('Suspended');
    aSecondLater();
    expect(await code(other('POST', '/agent/runs', { goal: 'Work.' }))).toEqual(refused);
    await ok(other('GET', '/agent/runs'));
    const failedBefore = eventOf('invoice.payment_failed', { id: 'in_1', customer: 'cus_north' });
    clock.shift(5000);
    const paid = eventOf('invoice.paid', { id: 'in_1', customer: 'cus_north', amount_paid: 2000, currency: 'usd' });
    expect(await ok(deliver(paid))).toMatchObject({ received: true, duplicate: false, handled: true });
    expect(await status()).toBe('Active');
    const now = await ok(other('GET', `/billing/invoices/${invoice.id}`));
    expect(now).toMatchObject({ status: 'Paid', externalReference: 'in_1' });
    expect(await ok(deliver(paid))).toMatchObject({ duplicate: true, handled: true });
    expect(await ok(deliver(failedBefore))).toMatchObject({ duplicate: false, handled: false });
    expect(await status()).toBe('Active');
    aSecondLater();
    await ok(other('POST', '/agent/runs', { goal: 'Work.', autoStart: false }));
  });

  it('moves subscriptions, and lets nothing older undo it', async () => {
    const { other, status } = await subscribed('south', 20);
    const object = { id: 'sub_south', customer: 'cus_south', cancel_at_period_end: false };
    const created = Math.floor(clock.now() / 1000);
    const cancels = async () => (await ok(other('GET', '/billing/subscription'))).cancelAtPeriodEnd;
    const newer = eventOf('customer.subscription.updated', { ...object, cancel_at_period_end: true }, { created });
    expect(await ok(deliver(newer))).toMatchObject({ handled: true });
    const older = eventOf('customer.subscription.updated', object, { created: created - 60 });
    expect(await ok(deliver(older))).toMatchObject({ handled: false });
    expect(await cancels()).toBe(true);
    const deleted = eventOf('customer.subscription.deleted', object, { created: created + 1 });
    expect(await ok(deliver(deleted))).toMatchObject({ handled: true });
    expect(await status()).toBe('Cancelled');
    expect(await ok(deliver(eventOf('charge.refunded', { id: 'ch_1' })))).toMatchObject({ handled: false });
    expect(await ok(deliver(eventOf('invoice.paid', { id: 'in_9', customer: 'cus_nobody' })))).toMatchObject({
      handled: false,
    });
  });

  it('gives an external id to one tenant', async () => {
    const { id } = await plan();
    const other = as(await registerStranger(world.server, 'thief'));
    const stolen = { planId: id, externalCustomerId: 'cus_south' };
    expect(await code(other('PUT', '/billing/subscription', stolen))).toEqual([409, 'DUPLICATE']);
  });

  it('is believed only where it is signed so, and not long ago', async () => {
    const body = eventOf('invoice.paid', { id: 'in_x', customer: 'cus_south' });
    const invalid = [400, 'SIGNATURE_INVALID'];
    expect(await code(request(world.server.url, 'POST', '/api/payment-webhook', body))).toEqual(invalid);
    expect(await code(deliver(body, signed(body, { key: 'another secret' })))).toEqual(invalid);
    expect(await code(deliver(body.replace('in_x', 'in_y'), signed(body)))).toEqual(invalid);
    expect(await code(deliver(body, signed(body, { at: clock.now() - 301_000 })))).toEqual(invalid);
    expect(await code(deliver(body, signed(body, { at: clock.now() + 302_000 })))).toEqual(invalid);
    expect(await code(deliver(body, signed(body).replace('v1=', 'v0=')))).toEqual(invalid);
    expect(await code(deliver(body, signed(body).slice(0, -2)))).toEqual(invalid);
    expect(await code(deliver(body, signed(body).replace(/t=\d+/, `t=${Math.floor(clock.now() / 1000) + 1}`)))).toEqual(
      invalid,
    );
    expect(await code(deliver('no JSON', signed('no JSON')))).toEqual([400, 'BAD_REQUEST']);
    expect(await code(deliver('{"id":"evt_0"}', signed('{"id":"evt_0"}')))).toEqual([400, 'VALIDATION_FAILED']);
    // The secret is exchanged: the event is signed with the old one and the new one.
    const [stamp, right] = signed(body).split(',');
    const both = `${stamp},v1=${'0'.repeat(64)},${right}`;
    expect(await ok(deliver(body, both))).toMatchObject({ received: true, duplicate: false });
  });
});

describe('an invoice', () => {
  it('is built by hand of a period that has ended, issued, downloaded the same ever after, and void once it is wrong', async () => {
    const evil = '=HYPERLINK("http://x.invalid","<script>alert(1)</script>")';
    await ok(
      call('PUT', '/billing/subscription', {
        planId: (await plan({ name: evil, monthlyPriceUsd: 31 })).id,
        billingAnchorDay: 1,
      }),
    );
    const { periodStartUtc } = await ok(call('GET', '/billing/subscription'));
    expect(await code(call('POST', '/billing/invoices', { periodStartUtc }))).toEqual([409, 'CONFLICT']);
    clock.shift(65 * day);
    const issued = async () => (await ok(call('GET', '/billing/invoices'))).items;
    await expect.poll(async () => (await issued()).length).toBeGreaterThan(0);
    const [{ id, periodStartUtc: billed }] = await issued();
    expect(await code(call('POST', '/billing/invoices', { periodStartUtc: billed }))).toEqual([409, 'CONFLICT']);
    await ok(call('POST', `/billing/invoices/${id}/status`, { status: 'Void', notes: 'Wrong tax.' }));
    const terms = { periodStartUtc: billed, taxPercent: 19, creditsUsd: 1, notes: '<b>Thanks</b>' };
    const draft = await ok(call('POST', '/billing/invoices', terms));
    expect(draft).toMatchObject({ status: 'Draft', number: 'Draft', creditsUsd: 1 });
    const open = await ok(call('POST', `/billing/invoices/${draft.id}/status`, { status: 'Open' }));
    expect(open.number).toMatch(/^20\d\d-\d{4}$/);
    const file = async (format: string) => {
      const answer = await fetch(`${world.server.url}/api/billing/invoices/${draft.id}/download?format=${format}`, {
        headers: { authorization: `Bearer ${world.server.key}` },
      });
      expect(answer.status).toBe(200);
      return answer.text();
    };
    const before = await Promise.all(['Html', 'Csv', 'Json'].map(file));
    const [html = '', csv = '', json = '{}'] = before;
    expect(html).not.toMatch(/<script|<b>Thanks/);
    expect(html).toContain('&lt;b&gt;Thanks');
    expect(csv).toMatch(/,"?Plan =HYPERLINK/);
    expect(JSON.parse(json)).toMatchObject({ number: open.number, totalUsd: open.totalUsd });
    const paid = await ok(
      call('POST', `/billing/invoices/${draft.id}/status`, {
        status: 'Paid',
        externalReference: 'bank',
        notes: 'By bank.',
      }),
    );
    expect(paid).toMatchObject({ status: 'Paid', number: open.number });
    expect(await Promise.all(['Html', 'Csv', 'Json'].map(file))).toEqual(before);
    expect(await code(call('POST', `/billing/invoices/${draft.id}/status`, { status: 'Void' }))).toEqual([
      409,
      'INVALID_TRANSITION',
    ]);
  });
});
