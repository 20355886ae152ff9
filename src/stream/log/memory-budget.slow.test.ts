// What streams take in memory: counted exactly, kept to a limit, and given back; replays stay whole.
import { expect, test } from 'vitest';
import { createQuota } from '../connections/quota.ts';
import { createStand, type Stand, settle, TestClient } from '../testing/stand.ts';

const megabyte = 1_000_000;
const text = 'x'.repeat(500);

const publish = (stand: Stand, run: number, type: string, data: object = { text }) => {
  const topics = [...(type === 'tree.quiesced' ? [] : [`run:${run}`]), `run-tree:${run}`, 'runs'];
  return stand.publisher.publish({ tenantId: 1, topics, type, data });
};

/** A run with events and deltas that comes to its end. */
async function play(stand: Stand, run: number): Promise<void> {
  const delta = { runId: run, iteration: 1, kind: 'Content', toolCallId: null, delta: text };
  await publish(stand, run, 'run.created');
  for (let n = 0; n < 5; n++) {
    await publish(stand, run, 'run.event', { n, text });
    await publish(stand, run, 'run.delta', delta);
  }
  await publish(stand, run, 'run.ended');
  await publish(stand, run, 'tree.quiesced');
}

test('thousands of runs pass, and memory stays within its limit', async () => {
  const stand = await createStand(undefined, undefined, megabyte);
  let most = 0;
  let topics = 0;
  for (let run = 1; run <= 600; run++) {
    await play(stand, run);
    most = Math.max(most, stand.memory.used);
    topics = Math.max(topics, stand.broker.size);
  }
  expect(most).toBeLessThan(1.2 * megabyte);
  expect(topics).toBeLessThan(500);
  const client = new TestClient();
  await client.connect(stand, 'run:1', '0');
  await settle();
  const events = client.seen.filter(({ type }) => type === 'run.event');
  expect(events.map(({ data }) => data.n)).toEqual([0, 1, 2, 3, 4]);
  expect(client.seen.at(-1)?.type).toBe('run.ended');
});

test('what has ended leaves before what goes on, however old that is', async () => {
  const stand = await createStand(undefined, undefined, megabyte);
  await publish(stand, 1, 'run.created');
  for (let run = 2; run <= 300; run++) await play(stand, run);
  const reads: string[] = [];
  const { tail } = stand.store;
  stand.store.tail = (key, limit) => {
    reads.push(key);
    return tail(key, limit);
  };
  await publish(stand, 1, 'run.event');
  await publish(stand, 2, 'run.status');
  expect(reads).not.toContain('1/run:1');
  expect(reads).toContain('1/run:2');
});

test('a topic that left and comes back keeps its epoch and numbers', async () => {
  const stand = await createStand(undefined, undefined, megabyte);
  await play(stand, 1);
  const client = new TestClient();
  await client.connect(stand, 'run:1', '0');
  await settle();
  client.cut();
  const last = client.seen.at(-1);
  for (let run = 2; run <= 300; run++) await play(stand, run);
  await settle();
  await client.connect(stand, 'run:1');
  await publish(stand, 1, 'run.status');
  await settle();
  expect(client.seen.at(-1)).toMatchObject({ type: 'run.status', epoch: last?.epoch, seq: (last?.seq ?? 0) + 1 });
});

test('of topics that are read each keeps a share: durable events come from the store, lost deltas are told', async () => {
  const stand = await createStand(undefined, undefined, megabyte);
  const behind = new TestClient();
  await behind.connect(stand, 'run:1', null);
  behind.writable = false;
  const readers = Array.from({ length: 20 }, () => new TestClient());
  for (const [at, reader] of readers.entries()) await reader.connect(stand, `run:${at + 1}`, null);
  const delta = (run: number) => ({ runId: run, iteration: 1, kind: 'Content', toolCallId: null, delta: text });
  for (let n = 0; n < 100; n++) {
    for (let run = 1; run <= 20; run++) {
      await publish(stand, run, 'run.event', { n, text });
      await publish(stand, run, 'run.delta', delta(run));
    }
    expect(stand.memory.used).toBeLessThan(1.3 * megabyte);
  }
  await settle();
  expect(readers[5]?.seen.filter(({ type }) => type === 'run.event')).toHaveLength(100);
  behind.drain();
  await settle(200);
  const events = behind.seen.filter(({ type }) => type === 'run.event').map(({ data }) => data.n);
  expect(events).toEqual(Array.from({ length: 100 }, (_, n) => n));
  expect(behind.seen.some(({ type }) => type === 'stream.gap')).toBe(true);
});

test('topics that were only looked at leave nothing behind', async () => {
  const stand = await createStand();
  const before = stand.memory.used;
  for (let id = 1; id <= 1000; id++) {
    const client = new TestClient();
    await client.connect(stand, `project:${id}`, '0');
    client.cut();
  }
  await settle();
  expect(stand.broker.size).toBe(0);
  expect(stand.memory.used).toBe(before);
});

test('subscriptions beyond what memory allows are refused, and taken again when others go', async () => {
  const stand = await createStand(undefined, undefined, megabyte / 10);
  const clients: TestClient[] = [];
  const open = async () => {
    const client = new TestClient();
    clients.push(client);
    await client.connect(stand, `project:${clients.length}`, null);
  };
  await expect(
    (async () => {
      for (let n = 0; n < 1000; n++) await open();
    })(),
  ).rejects.toMatchObject({ code: 'CONCURRENCY_LIMITED' });
  expect(stand.memory.used).toBeLessThan(megabyte / 10);
  for (const client of clients) client.cut();
  await settle();
  await open();
  expect(stand.broker.size).toBe(1);
});

test('a quota counts a topic once, and gives back what is closed', () => {
  const quota = createQuota({ subscriptions: 4, topics: 2 });
  quota.take('a');
  quota.take('a');
  quota.take('b');
  expect(() => quota.take('c')).toThrow('2 different topics');
  quota.take('a');
  expect(() => quota.take('a')).toThrow('4 subscriptions');
  quota.give('b');
  quota.take('c');
});
