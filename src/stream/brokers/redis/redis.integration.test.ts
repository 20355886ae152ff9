// Several nodes on one real Redis: links are cut, messages lost, Redis restarted, nodes killed; readers miss and repeat nothing.
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../kernel/clock.ts';
import { silentLogger } from '../../../kernel/logger.ts';
import type { EventStore } from '../../../ports/event-store.ts';
import { Hub } from '../../hub/hub.ts';
import { createMemoryEventStore } from '../../log/memory-event-store.ts';
import { createStreamMetrics } from '../../log/metrics.ts';
import { check, checkNumbers, type Published } from '../../testing/check.ts';
import { type RedisServer, redisMissing, startRedis } from '../../testing/redis-server.ts';
import { TestClient } from '../../testing/stand.ts';
import type { AnyPublisher } from '../publisher.ts';
import { createPublisher } from '../publisher.ts';
import { RedisBroker } from './broker.ts';
import { createRedisTicketStore } from './open.ts';

const missing = redisMissing();
if (missing) console.warn(`skipped: ${missing}`);

interface Node {
  broker: RedisBroker;
  hub: Hub;
  origin: string;
  publisher: AnyPublisher;
}

const patience = { timeout: 60_000, interval: 20 };
const event = { tenantId: 1, topics: ['run:1', 'runs'], type: 'run.event' };

describe.skipIf(missing !== null)('redis broker', () => {
  let redis: RedisServer;
  let store: EventStore;
  const nodes: Node[] = [];
  let runs = 0;

  const boot = async (store: EventStore, waitMs?: number): Promise<Node> => {
    const metrics = createStreamMetrics();
    const [clock, log] = [systemClock, silentLogger];
    const nodeId = `node${nodes.length}-${runs}`;
    const broker = new RedisBroker({
      connect: () => redis.connect(),
      store,
      clock,
      log,
      nodeId,
      prefix: `test${runs}`,
      ...(waitMs === undefined ? {} : { waitMs }),
    });
    const origin = await store.origin();
    const hub = new Hub({ broker, store, clock, log, metrics, origin });
    const node = { broker, hub, origin, publisher: createPublisher({ broker, clock, metrics }) };
    nodes.push(node);
    return node;
  };
  const start = async (count: number) => {
    runs++;
    store = createMemoryEventStore();
    for (let at = 0; at < count; at++) await boot(store);
    return nodes;
  };
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterEach(async () => {
    for (const { broker } of nodes.splice(0)) await broker.close();
  });
  afterAll(async () => {
    await redis.stop();
  });

  const nodeAt = (at: number) => nodes[at % nodes.length] as Node;

  /** Has the nodes look each second, as a server does, whether a message was lost: a read may fail with its link. */
  const sweepEachSecond = () =>
    onTestFinished(
      systemClock.every(1000, () => {
        for (const { broker } of nodes) broker.sweep();
      }),
    );

  class Run {
    readonly published: Published[] = [];
    readonly clients: TestClient[] = [];
    #pending: Promise<void>[] = [];

    publish(durable: boolean): void {
      const n = this.published.length;
      const text = `${n};`;
      this.published.push({ durable, n, text });
      const data = durable ? { n } : { runId: 1, iteration: 0, kind: 'Content', toolCallId: null, delta: text };
      const type = durable ? 'run.event' : 'run.delta';
      // One writer, as a run has one owner: its node may change, its order may not.
      const { publisher } = nodeAt(Math.floor(n / 50));
      this.#pending.push(publisher.publish({ ...event, type, data }));
    }

    async settle(): Promise<void> {
      await Promise.all(this.#pending);
      this.#pending = [];
    }

    async connect(count: number): Promise<void> {
      for (let at = 0; at < count; at++) {
        const client = new TestClient();
        await client.connect(nodeAt(at), 'run:1');
        this.clients.push(client);
      }
    }

    /** Waits until every client has the last event. */
    async arrive(): Promise<void> {
      await this.settle();
      const last = this.published.length - 1;
      await expect.poll(() => this.clients.every((client) => endsWith(client, last)), patience).toBe(true);
    }

    async finish(): Promise<void> {
      await this.settle();
      for (const [at, client] of this.clients.entries()) await client.connect(nodeAt(at + 1), 'run:1');
      await this.arrive();
      for (const client of this.clients) {
        check(client, this.published);
        checkNumbers(client.seen);
      }
    }
  }

  const endsWith = (client: TestClient, n: number) => {
    const data = client.seen.at(-1)?.data;
    return data?.n === n || String(data?.delta ?? '').endsWith(`${n};`);
  };
  const gaps = (run: Run) => run.clients.flatMap(({ seen }) => seen.filter(({ type }) => type === 'stream.gap')).length;

  test('events reach the clients of every node, numbered once', async () => {
    await start(2);
    const run = new Run();
    await run.connect(4);
    for (let n = 0; n < 500; n++) {
      run.publish(n % 3 === 0);
      if (n % 50 === 49) await run.settle();
    }
    await run.finish();
    expect(gaps(run)).toBe(0);
    const stored = await store.read('1/run:1', { gen: 0, seq: 0 }, 1000);
    expect(stored.map(({ seq }) => seq)).toEqual(run.published.filter(({ durable }) => durable).map(({ n }) => n + 1));
  });

  test('cut links, moving clients and lost messages are healed without a gap or a repeat', async () => {
    await start(3);
    sweepEachSecond();
    const run = new Run();
    await run.connect(60);
    for (let round = 0; round < 40; round++) {
      for (let n = 0; n < 50; n++) run.publish(n % 10 === 0);
      if (round % 4 === 1) await redis.admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
      if (round % 4 === 3) await redis.admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      const moved = run.clients[round % run.clients.length] as TestClient;
      moved.cut();
      await run.settle();
      await moved.connect(nodeAt(round), 'run:1');
    }
    await run.finish();
    expect(gaps(run)).toBe(0);
  });

  test('a restart of Redis that keeps its data leaves no gap', async () => {
    await start(2);
    sweepEachSecond();
    const run = new Run();
    await run.connect(6);
    for (let round = 0; round < 3; round++) {
      for (let n = 0; n < 50; n++) run.publish(n % 5 === 0);
      await run.settle();
      await redis.restart({ lose: false });
    }
    for (let n = 0; n < 50; n++) run.publish(true);
    await run.finish();
    expect(gaps(run)).toBe(0);
  });

  test('a restart of Redis that loses its data is told where deltas are missing', async () => {
    await start(2);
    sweepEachSecond();
    const run = new Run();
    await run.connect(6);
    for (let round = 0; round < 3; round++) {
      for (let n = 0; n < 50; n++) run.publish(n % 5 === 0);
      await run.settle();
      await redis.restart({ lose: true });
    }
    for (let n = 0; n < 50; n++) run.publish(true);
    await run.finish();
    expect(gaps(run)).toBeGreaterThan(0);
  });

  test('a Redis that starts again and again from one old dump gives no epoch twice', async () => {
    await start(2);
    sweepEachSecond();
    const run = new Run();
    await run.connect(6);
    for (let n = 0; n < 50; n++) run.publish(n % 5 === 0);
    await run.settle();
    await redis.restart({ lose: false });
    // What is not durable leaves no trace in the store, by which the dump would be known to be old.
    for (let round = 0; round < 3; round++) {
      for (let n = 0; n < 50; n++) run.publish(false);
      await run.arrive();
      await redis.restart({ lose: true });
    }
    for (let n = 0; n < 50; n++) run.publish(true);
    await run.finish();
    expect(gaps(run)).toBeGreaterThan(0);
  });

  test('a node that is gone is followed by another, whose token fences the first', async () => {
    const [first, second] = await start(2);
    const as = (node: Node | undefined, token: number) =>
      node?.publisher.publish({ ...event, data: { n: token }, fence: { scope: 'run:1', token } });
    await as(first, 1);
    await as(second, 2);
    await expect(as(first, 1)).rejects.toMatchObject({ code: 'ALREADY_CLAIMED' });
    await as(second, 2);
  });

  test('what a killed node had appended but not stored is stored by another', async () => {
    const [doomed] = await start(2);
    const { append } = store;
    store.append = () => new Promise(() => undefined);
    doomed?.publisher.publish({ ...event, data: { n: 0 } }).catch(() => undefined);
    const name = `test${runs}:{1}:unstored`;
    await expect.poll(() => redis.admin.zcard(name)).toBe(2);
    store.append = append;
    nodes.shift();
    // As if ten seconds had passed since.
    for (const member of await redis.admin.zrange(name, '0', '-1')) await redis.admin.zadd(name, 1, member);
    nodes[0]?.broker.sweep();
    await nodeAt(0).publisher.publish({ ...event, data: { n: 1 } });
    for (let sweep = 0; sweep < 5; sweep++) nodes[0]?.broker.sweep();
    await expect.poll(() => redis.admin.zcard(name)).toBe(0);
    expect((await store.tail('1/run:1', 5)).map(({ seq }) => seq)).toEqual([1, 2]);
  });

  test('a topic that is taken over has what its dead writer appended', async () => {
    const [doomed] = await start(2);
    const { append } = store;
    store.append = () => new Promise(() => undefined);
    doomed?.publisher.publish({ ...event, data: { n: 0 } }).catch(() => undefined);
    await expect.poll(() => redis.admin.zcard(`test${runs}:{1}:unstored`)).toBe(2);
    store.append = append;
    nodes.shift();
    await nodeAt(0).broker.settle('1/run:1');
    expect((await store.tail('1/run:1', 5)).map(({ seq }) => seq)).toEqual([1]);
  });

  /** Two nodes tell the same events of a run at once, as happens when one takes the other for dead. */
  const tellTwice = () => {
    const told: Promise<void>[] = [];
    for (const order of [1, 2, 3]) {
      const fence = { scope: 'run:1', token: 4, order };
      for (const at of [0, 1]) told.push(nodeAt(at).publisher.publish({ ...event, data: { n: order }, fence }));
    }
    return Promise.all(told);
  };
  const storedNow = async () => (await store.read('1/run:1', { gen: 0, seq: 0 }, 100)).map(({ body }) => body);
  const once = [1, 2, 3].map((n) => JSON.stringify({ n }));

  test('what two nodes tell of a run is there once, also across a frozen Redis', async () => {
    await start(2);
    await nodeAt(0).publisher.publish({ ...event, data: { n: 0 }, fence: { scope: 'run:1', token: 4 } });
    redis.freeze(true);
    const told = tellTwice();
    redis.freeze(false);
    await told;
    expect(await storedNow()).toEqual(['{"n":0}', ...once]);
    await tellTwice();
    expect(await storedNow()).toHaveLength(4);
  });

  test('what two nodes tell while the store stands still is there once', async () => {
    await start(2);
    const { append } = store;
    let goOn = () => {};
    const stands = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    store.append = async (...rows) => {
      await stands;
      return append(...rows);
    };
    const told = tellTwice();
    await expect.poll(() => redis.admin.zcard(`test${runs}:{1}:unstored`), patience).toBe(6);
    goOn();
    await told;
    expect(await storedNow()).toEqual(once);
  });

  test('events with an order outlast the time for which others wait for Redis, in their order', async () => {
    runs++;
    store = createMemoryEventStore();
    await boot(store, 200);
    await nodeAt(0).publisher.publish({ ...event, data: { n: 0 } });
    let comeBack = () => {};
    const back = new Promise<void>((resolve) => {
      comeBack = resolve;
    });
    const restarted = redis.restart({ lose: false, back });
    await expect.poll(() => redis.admin.status, patience).not.toBe('ready');
    const plain = nodeAt(0).publisher.publish({ ...event, data: { n: 9 } });
    const ordered = [1, 2, 3].map((order) =>
      nodeAt(0).publisher.publish({ ...event, data: { n: order }, fence: { scope: 'run:1', token: 1, order } }),
    );
    await expect(plain).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    comeBack();
    await restarted;
    await Promise.all(ordered);
    expect((await storedNow()).slice(-3)).toEqual(once);
  });

  test('a ticket works once, on whichever node', async () => {
    const [first, second] = [createRedisTicketStore(redis.admin), createRedisTicketStore(redis.admin)];
    await first.put('name', 'value', 30_000);
    expect(await Promise.all([first.take('name'), second.take('name')]).then((got) => got.filter(Boolean))).toEqual([
      'value',
    ]);
  });

  test('signals reach every node', async () => {
    await start(2);
    const heard = nodes.map(({ broker }) => {
      const messages: unknown[] = [];
      broker.onSignal((message) => messages.push(message));
      return messages;
    });
    const message = { kind: 'recheck', match: { keyId: 1 } };
    // A node that has just started may not be listening yet, and signals may be lost.
    const tryAgain = () => {
      nodeAt(0).broker.signal(message);
      return heard.map(([first]) => first);
    };
    await expect.poll(tryAgain, patience).toEqual([message, message]);
  });
});
