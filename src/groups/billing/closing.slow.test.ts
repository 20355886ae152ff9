// Periods over months: each is closed and billed once, whatever dies meanwhile and whoever does it at the same time.
import { expect, it } from 'vitest';
import { mortal } from '../../../test/support/mortal-db.ts';
import { authCollections } from '../../auth/collections.ts';
import { beginDefaults } from './defaults.ts';
import { buildInvoice, daysToPay, moveInvoice, plainTerms } from './invoices.ts';
import { settled } from './subscriptions.ts';
import { day, openBillingWorld, tenantId } from './testing/world.ts';

const shownPeriods = (found: readonly { periodStart: Date; periodEnd: Date; number: string }[]) =>
  found.map(
    (one) => `${one.number} ${one.periodStart.toISOString().slice(0, 10)} ${one.periodEnd.toISOString().slice(0, 10)}`,
  );
const calls = { meter: 'ModelCalls' as const, included: 1, overagePriceUsd: 0.5, limit: null, hardLimit: false };

it('closes every period of a long downtime, each once, with numbers without gaps', async () => {
  const world = await openBillingWorld();
  const plan = await world.plan({ quotas: [calls] });
  await world.subscribe(plan._id, 31);
  for (const at of ['2026-01-20', '2026-01-20', '2026-01-20', '2026-02-03', '2026-03-30'])
    await world.call({ createdAt: new Date(`${at}T01:00:00Z`) });
  await world.pass(100 * day);
  await world.look();
  await world.look();
  const invoices = await world.invoices();
  expect(shownPeriods(invoices)).toEqual([
    '2026-0001 2026-01-10 2026-01-31',
    '2026-0002 2026-01-31 2026-02-28',
    '2026-0003 2026-02-28 2026-03-31',
  ]);
  // 21 of 31 days of the price and two calls above; then whole periods with one call, which is included.
  expect(invoices.map((one) => one.totalMicro)).toEqual([20_322_581 + 1_000_000, 30_000_000, 30_000_000]);
  expect(invoices.every((one) => one.status === 'Open')).toBe(true);
  expect((await world.subscription()).periodEnd.toISOString()).toBe('2026-04-30T00:00:00.000Z');
});

it('waits an hour for calls that are still under way', async () => {
  const world = await openBillingWorld(Date.parse('2026-01-01T00:00:00Z'));
  const plan = await world.plan();
  await world.subscribe(plan._id, 1);
  await world.pass(31 * day + 3_599_000);
  await world.look();
  expect(await world.invoices()).toEqual([]);
  await world.pass(1000);
  await world.look();
  expect(await world.invoices()).toHaveLength(1);
});

it('closes once and bills once, wherever a server dies', async () => {
  const clean = await openBillingWorld();
  const plan = await clean.plan();
  await clean.subscribe(plan._id, 1);
  await clean.pass(60 * day);
  const fuse = { left: 1000 };
  await clean.node(mortal(clean.db, fuse)).look();
  const needed = 1000 - fuse.left;
  const expected = shownPeriods(await clean.invoices());
  expect(expected).toHaveLength(2);
  expect(needed).toBeGreaterThan(10);
  for (let left = 0; left < needed; left++) {
    const world = await openBillingWorld();
    const { _id } = await world.plan();
    await world.subscribe(_id, 1);
    await world.pass(60 * day);
    await expect(world.node(mortal(world.db, { left })).look()).rejects.toThrow('killed');
    await world.look();
    expect(shownPeriods(await world.invoices())).toEqual(expected);
    expect(await world.book.periods.countDocuments({})).toBe(2);
  }
}, 60_000);

it('closes once where two nodes do it at the same time', async () => {
  const world = await openBillingWorld();
  const plan = await world.plan();
  await world.subscribe(plan._id, 1);
  await world.pass(120 * day);
  await Promise.all([world.node().look(), world.node().look(), world.node().look()]);
  expect(shownPeriods(await world.invoices()).map((one) => one.slice(0, 9))).toEqual([
    '2026-0001',
    '2026-0002',
    '2026-0003',
    '2026-0004',
  ]);
});

it('bills a period that was void again, once for those who ask together, with the next number', async () => {
  const world = await openBillingWorld();
  const plan = await world.plan();
  await world.subscribe(plan._id, 1);
  await world.pass(120 * day);
  await world.look();
  const [first] = await world.invoices();
  await moveInvoice(world.book, { tenantId }, first?._id as number, { status: 'Void' });
  const closed = await world.book.periods.findOne({ start: first?.periodStart as Date });
  const terms = { ...plainTerms, finalize: true };
  const outcomes = await Promise.allSettled(
    [1, 2, 3].map(() => buildInvoice(world.book, { tenantId }, closed as never, terms)),
  );
  const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  expect(refused).toEqual([1, 2].map(() => expect.objectContaining({ code: 'CONFLICT' })));
  const numbers = (await world.invoices()).map((one) => one.number).sort();
  expect(numbers).toEqual(['2026-0001', '2026-0002', '2026-0003', '2026-0004', '2026-0005']);
});

it('numbers drafts that are issued at the same time without gaps and repeats', async () => {
  const world = await openBillingWorld();
  const plan = await world.plan();
  await world.subscribe(plan._id, 1);
  await world.pass(120 * day);
  await world.look();
  const drafts: number[] = [];
  for (const { _id, periodStart } of await world.invoices()) {
    await moveInvoice(world.book, { tenantId }, _id, { status: 'Void' });
    const closed = await world.book.periods.findOne({ start: periodStart });
    const draft = { ...plainTerms, finalize: false };
    drafts.push((await buildInvoice(world.book, { tenantId }, closed as never, draft))._id);
  }
  await Promise.all(drafts.map((id) => moveInvoice(world.book, { tenantId }, id, { status: 'Open' })));
  const places = (await world.invoices()).map(({ place }) => place).sort((a, b) => a - b);
  expect(places).toEqual(Array.from({ length: 2 * drafts.length }, (_, at) => at + 1));
});

it('says the same of a period twice, whatever has happened to its calls and its plan since', async () => {
  const world = await openBillingWorld();
  const plan = await world.plan({ quotas: [calls] });
  await world.subscribe(plan._id, 1);
  for (let n = 0; n < 5; n++) await world.call({ projectId: n % 2 });
  await world.pass(40 * day);
  await world.look();
  const [first] = await world.invoices();
  await world.book.planKeeper.change({ tenantId }, plan._id, { monthlyPriceUsd: 99, name: 'Dear', quotas: [] });
  await world.db.collection('ai_calls').deleteMany({});
  await moveInvoice(world.book, { tenantId }, first?._id as number, { status: 'Void' });
  const closed = await world.book.periods.findOne({ start: first?.periodStart as Date });
  const second = await buildInvoice(world.book, { tenantId }, closed as never, { ...plainTerms, finalize: true });
  const said = ({ lines, subtotalMicro, taxMicro, totalMicro, planName, periodStart, periodEnd }: typeof second) =>
    JSON.stringify({ lines, subtotalMicro, taxMicro, totalMicro, planName, periodStart, periodEnd });
  expect(said(second)).toBe(said(first as never));
});

it('is past due, then suspended, and active again once it is paid', async () => {
  const world = await openBillingWorld(Date.parse('2026-01-01T00:00:00Z'));
  const plan = await world.plan();
  await world.subscribe(plan._id, 1);
  const statusAfter = async (ms: number) => {
    await world.pass(ms);
    await world.look();
    return (await world.subscription()).status;
  };
  expect(await statusAfter(32 * day)).toBe('Active');
  expect(await statusAfter((daysToPay - 1) * day)).toBe('Active');
  await world.quotas.require(tenantId, { ModelCalls: 1 });
  expect(await statusAfter(day)).toBe('PastDue');
  await world.quotas.require(tenantId, { ModelCalls: 1 });
  expect(await statusAfter(7 * day - 1)).toBe('PastDue');
  expect(await statusAfter(1)).toBe('Suspended');
  await expect(world.quotas.require(tenantId, { ModelCalls: 1 })).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
  const [overdue] = await world.invoices();
  await moveInvoice(world.book, { tenantId }, overdue?._id as number, { status: 'Paid' });
  await settled(world.book, tenantId, new Date(world.clock.now()));
  expect(await statusAfter(1001)).toBe('Active');
  await world.quotas.require(tenantId, { ModelCalls: 1 });
});

it('is active again where a server died right after the payment', async () => {
  const world = await openBillingWorld(Date.parse('2026-01-01T00:00:00Z'));
  const plan = await world.plan();
  await world.subscribe(plan._id, 1);
  await world.pass(32 * day);
  await world.look();
  await world.pass(daysToPay * day);
  await world.look();
  expect((await world.subscription()).status).toBe('PastDue');
  const [overdue] = await world.invoices();
  await moveInvoice(world.book, { tenantId }, overdue?._id as number, { status: 'Paid' });
  await world.look();
  expect((await world.subscription()).status).toBe('Active');
});

it('begins for every tenant that has chosen nothing once there is a default plan, and leaves the others', async () => {
  const world = await openBillingWorld();
  const { tenants } = authCollections(world.db);
  const tenant = { guid: 'g', secretCheck: '', setupCompletedAt: null, createdAt: new Date(0) };
  for (const _id of [1, 2, 3]) await tenants.insertOne({ ...tenant, _id, slug: `t${_id}`, name: `T${_id}` });
  await beginDefaults(world.book, tenants);
  expect(await world.book.subscriptionOf(2)).toBeNull();
  const own = await world.plan();
  await world.subscribe(own._id);
  const usual = await world.plan({ isDefault: true });
  await Promise.all([beginDefaults(world.book, tenants), beginDefaults(world.node().book, tenants)]);
  const plans = await Promise.all([1, 2, 3].map(async (of) => (await world.book.subscriptionOf(of))?.planId));
  expect(plans).toEqual([own._id, usual._id, usual._id]);
});

it('ends with its period where that was asked for, and bills that one', async () => {
  const world = await openBillingWorld(Date.parse('2026-01-01T00:00:00Z'));
  const plan = await world.plan();
  const { _id } = await world.subscribe(plan._id, 1);
  await world.book.subscriptions.change({ tenantId }, _id, { cancelAtPeriodEnd: true });
  await world.pass(31 * day + 1);
  await world.look();
  expect((await world.subscription()).status).toBe('Cancelled');
  await world.pass(90 * day);
  await world.look();
  expect(await world.invoices()).toHaveLength(1);
});

it('begins with a trial that costs nothing, and bills whole periods after it', async () => {
  const world = await openBillingWorld(Date.parse('2026-01-01T00:00:00Z'));
  const plan = await world.plan();
  await world.subscribe(plan._id, null, Date.parse('2026-01-14T10:00:00Z'));
  expect((await world.subscription()).status).toBe('Trialing');
  await world.pass(14 * day);
  await world.look();
  expect((await world.subscription()).status).toBe('Active');
  await world.pass(32 * day);
  await world.look();
  expect(shownPeriods(await world.invoices())).toEqual(['2026-0001 2026-01-15 2026-02-15']);
  expect((await world.invoices())[0]?.totalMicro).toBe(30_000_000);
});
