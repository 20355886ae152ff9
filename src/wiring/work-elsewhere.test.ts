import { expect, it } from 'vitest';
import { SimulatedClock } from '../kernel/simulated-clock.ts';
import { type AtWork, createWorkElsewhere } from './work-elsewhere.ts';

/** Nodes that hear each other until they are cut off. */
function nodesOf(names: readonly string[]) {
  const clock = new SimulatedClock();
  const handlers = new Map<string, (message: AtWork) => void>();
  let sent = 0;
  const nodes = names.map((nodeId) =>
    createWorkElsewhere({
      clock,
      nodeId,
      signals: {
        send: (message) => {
          sent++;
          for (const [name, handler] of handlers) if (name !== nodeId && handlers.has(nodeId)) handler(message);
        },
        listen: (handler) => {
          handlers.set(nodeId, handler);
          return () => handlers.delete(nodeId);
        },
      },
    }),
  );
  return { clock, nodes, cutOff: (name: string) => handlers.delete(name), sent: () => sent };
}

it('adds up what the other nodes have at work, and wakes who waits for room', async () => {
  const { clock, nodes } = nodesOf(['a', 'b', 'c']);
  const [a, b, c] = nodes as [(typeof nodes)[0], (typeof nodes)[0], (typeof nodes)[0]];
  let woken = 0;
  c.onLess(() => woken++);
  a.tell(7, 2);
  b.tell(7, 1);
  b.tell(8, 1);
  await clock.advance(100);
  expect([c.of(7), c.of(8), a.of(7), b.of(7)]).toEqual([3, 1, 1, 2]);
  a.tellUnit(7, 5);
  await clock.advance(100);
  expect([c.ofUnit(7), c.of(7), a.ofUnit(7)]).toEqual([5, 3, 0]);
  const before = woken;
  a.tell(7, 0);
  expect(c.of(7)).toBe(1);
  expect(woken).toBeGreaterThan(before);
});

it('forgets a node that is silent, and says little while much changes', async () => {
  const { clock, nodes, cutOff, sent } = nodesOf(['a', 'b']);
  const [a, b] = nodes as [(typeof nodes)[0], (typeof nodes)[0]];
  a.tell(7, 1);
  await clock.advance(60_000);
  expect(b.of(7)).toBe(1);
  cutOff('a');
  await clock.advance(6000);
  expect(b.of(7)).toBe(0);
  const before = sent();
  for (let i = 0; i < 1000; i++) a.tell(7, i);
  expect(sent() - before).toBeLessThanOrEqual(2);
});
