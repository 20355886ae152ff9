import { expect, it } from 'vitest';
import { SimulatedClock } from '../kernel/simulated-clock.ts';
import { createRateLimiter } from './rate-limit.ts';
import { type LetThrough, shareLimiter } from './shared-limiter.ts';

/** Two nodes that hear each other. */
function twoNodes(floor: number) {
  const clock = new SimulatedClock();
  const handlers: ((message: LetThrough) => void)[] = [];
  const sent: LetThrough[] = [];
  const nodes = [0, 1].map((self) => {
    handlers.push(() => {});
    const signals = {
      send: (message: LetThrough) => {
        sent.push(message);
        handlers[1 - self]?.(message);
      },
      listen: (handler: (message: LetThrough) => void) => {
        handlers[self] = handler;
        return () => {};
      },
    };
    const limiter = createRateLimiter({ limit: { perSecond: 10, burst: 10 }, clock });
    return shareLimiter({ name: 'requests', limiter, signals, clock, floor: () => floor });
  });
  const passes = (node: number, key = 'a') => {
    try {
      nodes[node]?.limiter.take(key);
      return true;
    } catch {
      return false;
    }
  };
  return { clock, sent, nodes, passes };
}

it('a caller of two nodes gets what one would give', async () => {
  const { clock, passes } = twoNodes(1);
  let passed = 0;
  for (let tenth = 0; tenth < 100; tenth++) {
    for (let tries = 0; tries < 10; tries++) passed += Number(passes(0)) + Number(passes(1));
    await clock.advance(100);
  }
  // Ten seconds at 10 a second, and the burst of both before they heard of each other.
  expect(passed).toBeGreaterThanOrEqual(100);
  expect(passed).toBeLessThanOrEqual(125);
});

it('small counts are not told, nor anything after the end', async () => {
  const { clock, passes, sent, nodes } = twoNodes(3);
  for (let i = 0; i < 4; i++) passes(0, 'busy');
  passes(0, 'quiet');
  await clock.advance(1000);
  expect(sent).toEqual([{ limiter: 'requests', counts: { busy: 4 } }]);
  nodes[0]?.stop();
  for (let i = 0; i < 4; i++) passes(0, 'busy');
  await clock.advance(1000);
  expect(sent).toHaveLength(1);
});
