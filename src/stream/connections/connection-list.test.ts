import { expect, test } from 'vitest';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import type { ConnectionQuery } from '../../ports/stream.ts';
import type { Broker } from '../brokers/broker.ts';
import { createNodes } from '../brokers/nodes.ts';
import { createSignals } from '../brokers/signals.ts';
import { testCaller } from '../testing/server.ts';
import type { Connection } from './connection.ts';
import { createConnectionList } from './connection-list.ts';
import type { Connections } from './connections.ts';

const query: ConnectionQuery = { tenantId: 1, sortBy: 'connectedAtUtc', descending: false, skip: 0, take: 50 };

/** A node with connections that were made at these seconds. */
function startNodes(nodes: Record<string, number[]>) {
  const clock = new SimulatedClock();
  const bus = createSignals();
  const broker = { shared: true, signal: bus.send, onSignal: bus.listen } as unknown as Broker;
  const started = Object.entries(nodes).map(([nodeId, seconds]) => {
    const all = seconds.map((second) => ({
      id: `${nodeId}-${second}`,
      transport: second % 2 ? 'Sse' : 'WebSocket',
      caller: testCaller(second),
      link: { bufferedBytes: 0 },
      topics: [`run:${second}`],
      connectedAt: second * 1000,
      lastSeenAt: -second * 1000,
    })) as unknown as Connection[];
    const connections = { list: () => all } as unknown as Connections;
    const roster = createNodes({ broker, clock, nodeId });
    return { roster, list: createConnectionList({ connections, broker, nodes: roster, clock, nodeId }) };
  });
  return { clock, started };
}

test('a page is cut from the connections of all nodes', async () => {
  const { clock, started } = startNodes({ a: [1, 4, 7], b: [2, 5], c: [3, 6] });
  await clock.advance(0);
  const ids = async (change: Partial<ConnectionQuery>) => {
    const page = await started[1]?.list.page({ ...query, ...change });
    return [page?.total, page?.items.map(({ id }) => id).join(' ')];
  };
  expect(await ids({})).toEqual([7, 'a-1 b-2 c-3 a-4 b-5 c-6 a-7']);
  expect(await ids({ skip: 2, take: 3 })).toEqual([7, 'c-3 a-4 b-5']);
  expect(await ids({ descending: true, take: 2 })).toEqual([7, 'a-7 c-6']);
  expect(await ids({ sortBy: 'lastSeenAtUtc', take: 1 })).toEqual([7, 'a-7']);
  expect(await ids({ transport: 'Sse', nodeId: 'c' })).toEqual([1, 'c-3']);
  expect(await ids({ topic: 'run:5' })).toEqual([1, 'b-5']);
  expect(await ids({ userId: 4 })).toEqual([1, 'a-4']);
  expect(await ids({ tenantId: 2 })).toEqual([0, '']);
});

test('a node that does not answer is left out', async () => {
  const { clock, started } = startNodes({ a: [1], b: [2] });
  await clock.advance(0);
  started[1]?.list.stop();
  const page = started[0]?.list.page(query);
  await clock.advance(1000);
  expect((await page)?.items.map(({ id }) => id)).toEqual(['a-1']);
});
