// Generations of a topic, which several nodes number: a reader follows its window, whatever the store holds already.
import { beforeEach, expect, test } from 'vitest';
import { silentLogger } from '../../kernel/logger.ts';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import type { EventStore, Position } from '../../ports/event-store.ts';
import type { Broker } from '../brokers/broker.ts';
import { createMemoryEventStore } from '../log/memory-event-store.ts';
import { createStreamMetrics } from '../log/metrics.ts';
import { defaultWindowLimits, Window } from '../log/window.ts';
import { settle, TestClient } from '../testing/stand.ts';
import { Hub } from './hub.ts';

const key = '1/run:1';
const clock = new SimulatedClock();
/** Reads of the store after which a reader counts as one that never stops. */
const mostReads = 50;

let store: EventStore;
let window: Window;
let node: { hub: Hub; origin: string };

beforeEach(async () => {
  const memory = createMemoryEventStore();
  let reads = 0;
  store = {
    ...memory,
    read: async (...args) => {
      if (++reads > mostReads) throw new Error('the store is read again and again');
      return memory.read(...args);
    },
  };
  const origin = await store.origin();
  window = new Window(key, origin, { gen: 1, head: 0, now: clock.now() }, defaultWindowLimits);
  const broker = { open: async () => window, release: () => {}, refresh: async () => {} } as unknown as Broker;
  node = { origin, hub: new Hub({ broker, store, clock, log: silentLogger, metrics: createStreamMetrics(), origin }) };
});

const event = ({ gen, seq }: Position) => ({ type: 'run.event', at: clock.now(), body: JSON.stringify({ gen, seq }) });
const keep = (...places: Position[]) =>
  store.append(
    places.map((place) => ({ key, ...place, ...event(place) })),
    [],
  );
const publish = ({ gen, seq }: Position) => window.append({ ...event({ gen, seq }), durable: true, mergeKey: null });
const seen = (client: TestClient) =>
  client.seen.map(({ type, data }) => (type === 'stream.gap' ? 'gap' : `${data.gen}.${data.seq}`));

test('what is stored in a generation that the window has yet to enter is sent once, by the window', async () => {
  await keep({ gen: 1, seq: 1 }, { gen: 3, seq: 1 }, { gen: 3, seq: 2 });
  window.reset(2, 0);
  const client = new TestClient();
  await client.connect(node, 'run:1', '0');
  await settle();
  expect(client.failed).toBeNull();
  expect(seen(client)).toEqual(['1.1']);
  window.reset(3, 0);
  for (const seq of [1, 2]) publish({ gen: 3, seq });
  await settle();
  expect(seen(client).filter((one) => one !== 'gap')).toEqual(['1.1', '3.1', '3.2']);
  expect(client.failed).toBeNull();
});

test('a reader of a generation that the window has left for an earlier one is told a gap, and goes on', async () => {
  const client = new TestClient();
  window.reset(2, 0);
  await client.connect(node, 'run:1');
  publish({ gen: 2, seq: 1 });
  await settle();
  window.reset(1, 7);
  await settle();
  publish({ gen: 1, seq: 8 });
  await settle();
  expect(client.failed).toBeNull();
  expect(seen(client)).toEqual(['2.1', 'gap', '1.8']);
});
