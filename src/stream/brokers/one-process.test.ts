// The single-process broker: durable before seen, one commit for many, the epoch over stops and crashes, fences.
import { expect, test } from 'vitest';
import { Fault } from '../../kernel/fault.ts';
import { createStand, settle, TestClient } from '../testing/stand.ts';

const event = { tenantId: 1, topics: ['run:1'], type: 'run.event', data: {} };
const delta = {
  ...event,
  type: 'run.delta',
  data: { runId: 1, iteration: 1, kind: 'Content', toolCallId: null, delta: 'x' },
};

test('nobody sees a durable event before it is stored', async () => {
  const stand = await createStand();
  const client = new TestClient();
  await client.connect(stand, 'run:1');
  let release = () => {};
  const { append } = stand.store;
  stand.store.append = async (...rows) => {
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    return append(...rows);
  };
  const published = stand.publisher.publish(event);
  await settle();
  expect(client.seen).toEqual([]);
  release();
  await published;
  await settle();
  expect(client.seen).toHaveLength(1);
});

test('what is published together shares a commit and keeps its order', async () => {
  const stand = await createStand();
  const sizes: number[] = [];
  const { append } = stand.store;
  stand.store.append = (events, records) => {
    sizes.push(events.length);
    return append(events, records);
  };
  const client = new TestClient();
  await client.connect(stand, 'run:1');
  await Promise.all(Array.from({ length: 500 }, (_, n) => stand.publisher.publish({ ...event, data: { n } })));
  await settle();
  expect(sizes).toEqual([500]);
  expect(client.seen.map(({ data, seq }) => [data.n, seq])).toEqual(Array.from({ length: 500 }, (_, n) => [n, n + 1]));
});

test('each topic numbers an event for itself, in one commit', async () => {
  const stand = await createStand();
  const [one, all] = [new TestClient(), new TestClient()];
  await one.connect(stand, 'run:2');
  await all.connect(stand, 'runs');
  await stand.publisher.publish({ ...event, topics: ['run:1', 'runs'] });
  await stand.publisher.publish({ ...event, topics: ['run:2', 'runs', 'runs'] });
  await settle();
  expect(one.seen.map(({ topic, seq }) => [topic, seq])).toEqual([['run:2', 1]]);
  expect(all.seen.map(({ topic, seq }) => [topic, seq])).toEqual([
    ['runs', 1],
    ['runs', 2],
  ]);
});

test('a failed commit shows nothing, refuses its events and leaves the numbering whole', async () => {
  const stand = await createStand();
  const client = new TestClient();
  await client.connect(stand, 'run:1');
  const { append } = stand.store;
  stand.store.append = () => Promise.reject(new Error('disk full'));
  await expect(stand.publisher.publish(event)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  stand.store.append = append;
  await stand.publisher.publish(event);
  await settle();
  expect(client.seen.map(({ seq }) => seq)).toEqual([1]);
});

test('a commit that was kept although it failed is not numbered again', async () => {
  const stand = await createStand();
  const client = new TestClient();
  await client.connect(stand, 'run:1');
  const { append } = stand.store;
  stand.store.append = async (...rows) => {
    await append(...rows);
    throw new Error('connection lost after the write');
  };
  await expect(stand.publisher.publish(event)).rejects.toBeInstanceOf(Fault);
  stand.store.append = append;
  await stand.publisher.publish(event);
  await settle();
  expect(client.seen.map(({ seq }) => seq)).toEqual([1, 2]);
});

test.each([
  ['a clean stop keeps the epoch', true, [delta], true],
  ['a crash keeps the epoch of a topic without deltas', false, [event], true],
  ['a crash after deltas starts an epoch', false, [delta], false],
])('%s', async (_name, clean, published, same) => {
  const stand = await createStand();
  const client = new TestClient();
  await client.connect(stand, 'run:1');
  for (const one of [event, ...published]) await stand.publisher.publish(one);
  await settle();
  await stand.restart(clean);
  await client.connect(stand, 'run:1');
  await stand.publisher.publish(event);
  await settle();
  const [before, after] = [client.seen[1], client.seen.at(-1)];
  expect(after?.epoch === before?.epoch).toBe(same);
  expect(after?.seq).toBe(same ? 3 : 1);
  expect(client.seen.filter(({ type }) => type === 'stream.gap')).toHaveLength(same ? 0 : 1);
});

test('an idle topic leaves memory and comes back with its numbers', async () => {
  const stand = await createStand(undefined, 1000);
  const client = new TestClient();
  await client.connect(stand, 'run:1');
  await stand.publisher.publish(event);
  await stand.publisher.publish(delta);
  await settle();
  client.cut();
  await settle();
  await stand.clock.advance(5000);
  stand.broker.sweep();
  await settle();
  expect(await stand.store.topic('1/run:1')).toEqual({ key: '1/run:1', gen: 1, head: 2, dirty: false });
  await stand.publisher.publish(event);
  await client.connect(stand, 'run:1');
  await settle();
  expect(client.seen.map(({ seq, type }) => [seq, type])).toEqual([
    [1, 'run.event'],
    [2, 'run.delta'],
    [3, 'run.event'],
  ]);
});

test('a store that is out of reach keeps idle topics in memory, and troubles nobody', async () => {
  const stand = await createStand(undefined, 1000);
  await stand.publisher.publish(event);
  await stand.publisher.publish(delta);
  await stand.clock.advance(5000);
  const { append } = stand.store;
  stand.store.append = () => Promise.reject(new Error('out of reach'));
  stand.broker.sweep();
  await settle();
  stand.store.append = append;
  stand.broker.sweep();
  await settle();
  expect(await stand.store.topic('1/run:1')).toMatchObject({ head: 2, dirty: false });
});

test('a writer whose token was superseded is refused', async () => {
  const { publisher } = await createStand();
  const as = (token: number) => publisher.publish({ ...event, fence: { scope: 'run:1', token } });
  await as(3);
  await as(3);
  await as(4);
  await expect(as(3)).rejects.toMatchObject({ code: 'ALREADY_CLAIMED' });
});

test('a closed broker refuses events', async () => {
  const { publisher, broker } = await createStand();
  await broker.close();
  await expect(publisher.publish(event)).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
});

test('no delta overtakes one that came while its topic was being loaded', async () => {
  const ticks = async (count: number) => {
    for (let tick = 0; tick < count; tick++) await Promise.resolve();
  };
  for (let between = 0; between < 60; between++) {
    const stand = await createStand();
    const publish = (text: string) => stand.publisher.publish({ ...delta, data: { ...delta.data, delta: text } });
    const first = publish('a');
    // The first is being committed, and its topic not there yet.
    await ticks(2);
    const second = publish('b');
    await ticks(between);
    await Promise.all([first, second, publish('c')]);
    const client = new TestClient();
    await client.connect(stand, 'run:1', '0');
    await settle();
    expect(client.seen.map(({ data }) => data.delta).join('')).toBe('abc');
  }
});
