// Events of runs as one list, while the machine's clock is set.
import { expect, it } from 'vitest';
import { inOrder } from './in-order.ts';

const event = (runId: number, seq: number, createdAt: number) => ({ runId, seq, createdAt, id: 100 * runId + seq });
const named = (events: { runId: number; seq: number }[]) => events.map(({ runId, seq }) => `${runId}.${seq}`);
/** The clock goes back by 1000 after the second event of the first run. */
const runs = [
  [event(1, 1, 2000), event(1, 2, 2010), event(1, 3, 1020), event(1, 4, 1030)],
  [event(2, 1, 2005), event(2, 2, 1025)],
];

it('keeps the order of each run where the clock was set back', () => {
  expect(named(inOrder(runs.slice(0, 1), false))).toEqual(['1.1', '1.2', '1.3', '1.4']);
  const all = named(inOrder(runs, false));
  expect(all.filter((name) => name.startsWith('1'))).toEqual(['1.1', '1.2', '1.3', '1.4']);
  expect(all.filter((name) => name.startsWith('2'))).toEqual(['2.1', '2.2']);
  expect(all.slice(0, 2)).toEqual(['1.1', '2.1']);
});

it('tells the newest first in the opposite order, however they were read', () => {
  const read = runs.map((events) => events.toReversed());
  expect(named(inOrder(read, true))).toEqual(named(inOrder(runs, false)).toReversed());
});
