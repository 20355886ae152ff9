import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createInOrder } from './in-order.ts';

/** An `InOrder` that notes what it applied, task by task; each pause ends a task. */
function noted(atOnce: number) {
  const tasks: number[][] = [[]];
  const order = createInOrder<{ seq: number }>({
    apply: ({ seq }) => tasks.at(-1)?.push(seq),
    pause: async () => {
      await null;
      tasks.push([]);
    },
    atOnce,
  });
  return { order, tasks };
}

const events = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => ({ seq: from + index }));

describe('events in order', () => {
  it('applies a live event at once', () => {
    const { order, tasks } = noted(250);
    order.add(...events(1, 3));
    expect(tasks).toEqual([[1, 2, 3]]);
    expect(order).toMatchObject({ last: 3, waiting: 0, hasHole: false });
  });

  it('applies what waited for an earlier event in parts, never more than so many in a task', async () => {
    const { order, tasks } = noted(250);
    order.add(...events(2, 50_000));
    expect(order).toMatchObject({ last: 0, waiting: 49_999, hasHole: true });
    order.add({ seq: 1 });
    expect(order.last).toBe(250);
    await order.settled();
    expect(order).toMatchObject({ last: 50_000, waiting: 0 });
    expect(Math.max(...tasks.map((task) => task.length))).toBe(250);
  });

  it('applies a page that is in order in parts, too', async () => {
    const { order, tasks } = noted(250);
    order.add(...events(1, 500));
    expect(order.last).toBe(250);
    await order.settled();
    expect(tasks.map((task) => task.length)).toEqual([250, 250]);
  });

  it('takes events that come while it applies others behind those', async () => {
    const { order, tasks } = noted(2);
    order.add(...events(2, 7));
    order.add({ seq: 1 });
    order.add({ seq: 8 });
    expect(order.last).toBe(2);
    await order.settled();
    expect(tasks.flat()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('applies each event once, whatever the order in which they come', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(events(1, 40), { minLength: 40 }),
        fc.integer({ min: 1, max: 9 }),
        async (all, n) => {
          const { order, tasks } = noted(n);
          for (const event of [...all, ...all]) order.add(event);
          await order.settled();
          expect(tasks.flat()).toEqual(events(1, 40).map(({ seq }) => seq));
          expect(Math.max(...tasks.slice(1).map((task) => task.length), 0)).toBeLessThanOrEqual(n);
        },
      ),
    );
  });
});
