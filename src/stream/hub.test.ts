// Passes over many subscribers: they yield to the event loop and to other topics, and leave nobody out.
import { expect, test } from 'vitest';
import type { Batch } from './batch.ts';
import type { Outlet, Place } from './outlet.ts';
import { createStand, type Stand, settle, TestClient } from './testing/stand.ts';

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
