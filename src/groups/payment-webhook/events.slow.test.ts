// Events of the payment service in any order, twice, and where a server dies between keeping one and working it out.
import { expect, it } from 'vitest';
import { mortal } from '../../../test/support/mortal-db.ts';
import { day, openBillingWorld, tenantId } from '../billing/testing/world.ts';
import { paymentEventSpec } from './record.ts';
import { takeEvent, workOutLeft } from './service.ts';

/** A tenant that owes its first invoice, known to the service. */
async function openOwing() {
  const world = await openBillingWorld(Date.parse('2026-01-01T00:00:00Z'));
  const plan = await world.plan({ monthlyPriceUsd: 20 });
  const { _id } = await world.subscribe(plan._id, 1);
  const ids = { externalCustomerId: 'cus_1', externalSubscriptionId: 'sub_1' };
  await world.book.subscriptions.change({ tenantId }, _id, ids);
  await world.pass(31 * day + 3_600_000);
  await world.look();
  const seen = async () => {
    const { status, cancelAtPeriodEnd, lastPaymentAt } = await world.subscription();
    const [invoice] = await world.invoices();
    return [status, cancelAtPeriodEnd, lastPaymentAt !== null, invoice?.status, invoice?.externalReference];
  };
  const start = Math.floor(world.clock.now() / 1000);
  const event = (id: string, type: string, after: number, object: object) => ({
    ...{ id, type, created: start + after, data: { object: { customer: 'cus_1', ...object } } },
  });
  const sub = { id: 'sub_1' };
  const events = [
    event('evt_failed', 'invoice.payment_failed', 1, { id: 'in_1', subscription: 'sub_1' }),
    event('evt_paid', 'invoice.paid', 2, { id: 'in_1', subscription: 'sub_1', amount_paid: 2000, currency: 'usd' }),
    event('evt_cancels', 'customer.subscription.updated', 3, { ...sub, cancel_at_period_end: true }),
    event('evt_stays', 'customer.subscription.updated', 4, { ...sub, cancel_at_period_end: false, status: 'active' }),
  ] as const;
  return { ...world, seen, events };
}

const settled = ['Active', false, true, 'Paid', 'in_1'];

function ordersOf<T>(all: readonly T[]): T[][] {
  if (all.length < 2) return [[...all]];
  return all.flatMap((one, at) => ordersOf([...all.slice(0, at), ...all.slice(at + 1)]).map((rest) => [one, ...rest]));
}

it('come to the same in every order, and twice', async () => {
  for (const order of ordersOf([0, 1, 2, 3])) {
    const world = await openOwing();
    for (const at of [...order, ...order]) await takeEvent(world.book, world.events[at] as never);
    expect([order, ...(await world.seen())]).toEqual([order, ...settled]);
  }
});

it('change what they are about once, wherever a server dies', async () => {
  const clean = await openOwing();
  const fuse = { left: 1000 };
  await takeEvent(clean.node(mortal(clean.db, fuse)).book, clean.events[1]);
  const needed = 1000 - fuse.left;
  expect(await clean.seen()).toEqual(settled);
  expect(needed).toBeGreaterThan(5);
  for (let left = 0; left < needed; left++) {
    const world = await openOwing();
    await takeEvent(world.book, world.events[0]);
    const dying = takeEvent(world.node(mortal(world.db, { left })).book, world.events[1]);
    await expect(dying).rejects.toThrow('killed');
    const kept = await world.db.collection(paymentEventSpec).findOne({ _id: 'evt_paid' });
    await world.pass(60_001);
    // What was not answered is sent again; by then a look may have worked it out.
    if (kept && left % 2 === 1) await workOutLeft(world.book);
    else await takeEvent(world.book, world.events[1]);
    expect([left, ...(await world.seen())]).toEqual([left, ...settled]);
    expect(await takeEvent(world.book, world.events[1])).toMatchObject({ duplicate: true, handled: true });
  }
});

it('of an earlier subscription of the customer change nothing, and a new one takes its place', async () => {
  const world = await openOwing();
  const told = (id: string, type: string, subscription: string) => ({
    ...{ id, type: `customer.subscription.${type}`, created: Math.floor(world.clock.now() / 1000) },
    data: { object: { id: subscription, customer: 'cus_1', cancel_at_period_end: false } },
  });
  expect(await takeEvent(world.book, told('evt_a', 'deleted', 'sub_0'))).toMatchObject({ handled: false });
  expect(await takeEvent(world.book, told('evt_b', 'created', 'sub_2'))).toMatchObject({ handled: true });
  expect(await world.subscription()).toMatchObject({ status: 'Active', externalSubscriptionId: 'sub_2' });
});
