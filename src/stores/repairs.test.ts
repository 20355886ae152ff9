import { expect, it } from 'vitest';
import { openTestDb } from '../../test/support/embedded-db.ts';
import { silentLogger } from '../kernel/logger.ts';
import { SimulatedClock } from '../kernel/simulated-clock.ts';
import { defineCollection } from '../ports/db.ts';
import { intentIndex, type WithIntent } from '../ports/repairs.ts';
import { createRepairs } from './repairs.ts';

interface Order extends WithIntent {
  _id: number;
  total: number;
}

const orders = defineCollection<Order>({ name: 'orders', indexes: [intentIndex] });
const ledger = defineCollection<{ _id: number; total: number }>({ name: 'ledger' });

async function setUp() {
  const clock = new SimulatedClock();
  const db = openTestDb();
  await db.ensureIndexes([orders, ledger]);
  const repairs = createRepairs({ db, clock, logger: silentLogger });
  let failures = 0;
  repairs.register<Order, { total: number }>({
    collection: orders,
    kind: 'book',
    complete: async (order, { data }) => {
      if (failures-- > 0) throw new Error('not now');
      await db.collection(ledger).updateOne({ _id: order._id }, { $set: { total: data.total } }, { upsert: true });
    },
  });
  const place = async (id: number): Promise<Order> => {
    const order = { _id: id, total: id * 10, intent: repairs.intent('book', { total: id * 10 }) };
    await db.collection(orders).insertOne(order);
    return order;
  };
  const fail = (times: number) => {
    failures = times;
  };
  return { clock, db, repairs, place, fail };
}

it('a writer settles its own intent', async () => {
  const { db, repairs, place } = await setUp();
  await repairs.settle(orders, await place(1));
  expect(await db.collection(orders).findOne({ _id: 1 })).toEqual({ _id: 1, total: 10 });
  expect(await db.collection(ledger).findOne({ _id: 1 })).toEqual({ _id: 1, total: 10 });
});

it('completes what a dead writer left, once its grace is over', async () => {
  const { clock, db, repairs, place } = await setUp();
  await place(1);
  expect(await repairs.run()).toBe(0);
  await clock.advance(30_000);
  expect(await repairs.run()).toBe(1);
  expect(await repairs.run()).toBe(0);
  expect(await db.collection(ledger).countDocuments()).toBe(1);
});

it('tries a failed repair again, and goes on with the others', async () => {
  const { clock, repairs, place, fail } = await setUp();
  await place(1);
  await place(2);
  await clock.advance(60_000);
  fail(1);
  expect(await repairs.run()).toBe(1);
  expect(await repairs.run()).toBe(1);
});

it('leaves an intent alone that has been replaced meanwhile', async () => {
  const { db, repairs, place } = await setUp();
  const old = await place(1);
  const next = repairs.intent('book', { total: 99 });
  await db.collection(orders).updateOne({ _id: 1 }, { $set: { intent: next } });
  await repairs.settle(orders, old);
  expect(await db.collection(orders).findOne({ _id: 1 })).toMatchObject({ intent: { token: next.token } });
});

it('a document without an intent is settled already; an unknown kind is a mistake', async () => {
  const { repairs } = await setUp();
  await repairs.settle(orders, { _id: 1, total: 0, intent: null });
  const intent = repairs.intent('unknown', {});
  await expect(repairs.settle(orders, { _id: 1, total: 0, intent })).rejects.toThrow('unknown');
});
