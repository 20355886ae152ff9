// Passes over many subscribers: they yield to the event loop and to other topics, and leave nobody out.
import { expect, test } from 'vitest';
import type { Batch } from '../log/batch.ts';
import { createStand, type Stand, settle, TestClient } from '../testing/stand.ts';
import type { Outlet, Place } from './outlet.ts';
import type { Subscription } from './subscription.ts';

const delta = (n: number, topic = 'run:1') => ({
  tenantId: 1,
  topics: [topic],
  type: 'run.budget',
  data: { n },
});
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Clients of one topic, past its first event, with what they have seen since. */
async function follow(stand: Stand, topic: string, count: number): Promise<TestClient[]> {
  const clients = Array.from({ length: count }, () => new TestClient());
  for (const client of clients) await client.connect(stand, topic);
  await stand.publisher.publish(delta(0, topic));
  await settle();
  for (const client of clients) client.seen.length = 0;
  return clients;
}
const numbers = ({ seen }: TestClient) => seen.map(({ data }) => data.n);
const served = (clients: readonly TestClient[]) => clients.filter(({ seen }) => seen.length > 0).length;

test('a pass over thousands takes several turns, and what is published meanwhile goes with the rest', async () => {
  const stand = await createStand();
  const clients = await follow(stand, 'run:1', 2000);
  void stand.publisher.publish(delta(1));
  await turn();
  const first = served(clients);
  expect(first).toBeGreaterThan(0);
  expect(first).toBeLessThan(1000);
  void stand.publisher.publish(delta(2));
  await turn();
  expect(numbers(clients[first] as TestClient)).toEqual([1, 2]);
  expect(numbers(clients[0] as TestClient)).toEqual([1]);
  await settle(40);
  for (const client of clients) expect(numbers(client)).toEqual([1, 2]);
});

test('a topic with one subscriber does not wait for the pass of a large one', async () => {
  const stand = await createStand();
  const [many, [one]] = [await follow(stand, 'run:1', 2000), await follow(stand, 'run:2', 1)];
  void stand.publisher.publish(delta(1));
  await turn();
  void stand.publisher.publish(delta(1, 'run:2'));
  await turn();
  expect(numbers(one as TestClient)).toEqual([1]);
  expect(served(many)).toBeLessThan(1500);
  await settle(60);
  expect(served(many)).toBe(2000);
});

test('who comes and goes during a pass is neither forgotten nor written to', async () => {
  const stand = await createStand();
  const clients = await follow(stand, 'run:1', 600);
  void stand.publisher.publish(delta(1));
  await turn();
  const gone = clients.at(-1) as TestClient;
  gone.cut();
  const late = new TestClient();
  await late.connect(stand, 'run:1');
  void stand.publisher.publish(delta(2));
  await settle();
  expect(numbers(gone)).toEqual([]);
  expect(numbers(late)).toEqual([2]);
  for (const client of clients.slice(0, -1)) expect(numbers(client)).toEqual([1, 2]);
});

test('topics with news at once reach a connection in one write', async () => {
  const stand = await createStand();
  const topics = Array.from({ length: 300 }, (_, at) => `run:${at}`);
  const corks: number[] = [];
  let sent = 0;
  const outlet: Outlet = {
    writable: true,
    send: (_place: Place, { entries }: Batch) => {
      sent += entries.length;
    },
    cork: (run) => {
      const before = sent;
      run();
      corks.push(sent - before);
    },
    fail: (error) => {
      throw error;
    },
  };
  const viewer = stand.hub.attach(outlet);
  for (const topic of topics) await viewer.subscribe({ key: `1/${topic}`, cursor: null });
  viewer.start();
  for (const topic of topics) await stand.publisher.publish(delta(0, topic));
  await settle();
  corks.length = 0;
  for (const topic of topics) void stand.publisher.publish(delta(1, topic));
  await settle();
  expect(corks.reduce((sum, one) => sum + one, 0)).toBe(300);
  expect(corks.length).toBeLessThanOrEqual(2);
});

test('who is megabytes behind gets them in turns, and the others their news in between', async () => {
  const stand = await createStand();
  const [reader] = await follow(stand, 'run:1', 1);
  const long = 'x'.repeat(30_000);
  const missed = 100;
  for (let n = 1; n <= missed; n++) await stand.publisher.publish({ ...delta(n), data: { n, long } });
  await settle();
  const behind = new TestClient();
  await behind.connect(stand, 'run:1', '0');
  await turn();
  await stand.publisher.publish(delta(missed + 1));
  await turn();
  await turn();
  expect(numbers(reader as TestClient).at(-1)).toBe(missed + 1);
  expect(behind.seen.length).toBeGreaterThan(0);
  expect(behind.seen.length).toBeLessThan(missed);
  await settle(60);
  expect(numbers(behind)).toEqual(Array.from({ length: missed + 2 }, (_, n) => n));
});

test('clients that take nothing are not looked at, and get everything when they do again', async () => {
  const stand = await createStand();
  const [reader, ...stuck] = (await follow(stand, 'run:1', 300)) as [TestClient, ...TestClient[]];
  for (const client of stuck) client.patience = 1;
  const listeners = () => (reader.subscription as Subscription).channel.listeners.size;
  for (let n = 1; n <= 3; n++) {
    await stand.publisher.publish(delta(n));
    await settle(4);
  }
  expect(listeners()).toBe(1);
  for (const client of stuck) expect(numbers(client)).toEqual([1]);
  for (const client of stuck) {
    client.patience = 0;
    client.drain();
  }
  await settle();
  expect(listeners()).toBe(300);
  await stand.publisher.publish(delta(4));
  await settle(4);
  for (const client of [reader, ...stuck]) expect(numbers(client)).toEqual([1, 2, 3, 4]);
  for (const client of stuck) client.cut();
  expect(listeners()).toBe(1);
});
