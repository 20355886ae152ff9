import { expect, test } from 'vitest';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import type { Broker } from '../brokers/broker.ts';
import { createNodes } from '../brokers/nodes.ts';
import { createSignals } from '../brokers/signals.ts';
import { testCaller } from '../testing/server.ts';
import { createPrincipals } from './principals.ts';

function startNodes(names: readonly string[], limit: number) {
  const clock = new SimulatedClock();
  const bus = createSignals();
  let signals = 0;
  bus.listen(({ kind }) => {
    if (kind === 'principals') signals++;
  });
  const start = (nodeId: string) => {
    const broker = { shared: true, signal: bus.send, onSignal: bus.listen } as unknown as Broker;
    const nodes = createNodes({ broker, clock, nodeId });
    return {
      nodes,
      principals: createPrincipals({ subscriptions: 100, topics: 100, limit, broker, nodes, clock, nodeId }),
    };
  };
  return { clock, bus, start, started: names.map(start), signals: () => signals };
}

test('each node counts what the others have, those that came later too', async () => {
  const { clock, start, started } = startNodes(['a', 'b'], 10);
  const [a, b] = started.map(({ principals }) => principals);
  const [one, other] = [testCaller(1), testCaller(2)];
  a?.enter(one);
  a?.enter(one);
  b?.enter(one);
  b?.enter(other);
  expect(a?.count(one)).toBe(2);
  await clock.advance(200);
  expect([a?.count(one), b?.count(one), a?.count(other)]).toEqual([3, 3, 1]);
  const { principals: late } = start('c');
  await clock.advance(200);
  expect([late.count(one), late.count(other)]).toEqual([3, 1]);
  a?.leave(one);
  a?.leave(one);
  await clock.advance(200);
  expect([b?.count(one), late.count(one)]).toEqual([1, 1]);
});

test('a node that is gone takes its connections along', async () => {
  const { clock, started } = startNodes(['a', 'b'], 10);
  const [a, b] = started;
  a?.principals.enter(testCaller(1));
  await clock.advance(200);
  expect(b?.principals.count(testCaller(1))).toBe(1);
  a?.principals.stop();
  a?.nodes.stop();
  await clock.advance(0);
  expect(b?.principals.count(testCaller(1))).toBe(0);
});

test('a node that died before its first beat was heard does not count for ever', async () => {
  const { clock, bus, started } = startNodes(['a'], 10);
  bus.send({ kind: 'principals', nodeId: 'dead', counts: { '1/User/1/1/': 4 }, all: false });
  await clock.advance(200);
  expect(started[0]?.principals.count(testCaller(1))).toBe(4);
  await clock.advance(10_000);
  expect(started[0]?.principals.count(testCaller(1))).toBe(0);
});

test('what is far from the limit is not told', async () => {
  const { clock, started, signals } = startNodes(['a', 'b'], 300);
  const [a, b] = started.map(({ principals }) => principals);
  a?.enter(testCaller(1));
  a?.enter(testCaller(1));
  await clock.advance(60_000);
  expect([signals(), b?.count(testCaller(1))]).toEqual([0, 0]);
  a?.enter(testCaller(1));
  await clock.advance(200);
  expect(b?.count(testCaller(1))).toBe(3);
  a?.leave(testCaller(1));
  await clock.advance(200);
  expect(b?.count(testCaller(1))).toBe(0);
});

test('callers of one key are one object until their rights change', () => {
  const [node] = startNodes(['a'], 10).started;
  const first = node?.principals.enter(testCaller(1));
  expect(node?.principals.enter(testCaller(1))).toBe(first);
  const demoted = testCaller(1, { permissions: new Set() });
  expect(node?.principals.enter(demoted)).toBe(demoted);
});
