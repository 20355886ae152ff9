// What windows take of the heap: an event's payload once for all of its topics, and little for each of them.
import { expect, test } from 'vitest';
import { collectOnce } from '../../../test/support/garbage.ts';
import { costs } from './memory-budget.ts';
import { defaultWindowLimits, Window } from './window.ts';

function heapUsed(): number {
  collectOnce();
  collectOnce();
  return process.memoryUsage().heapUsed;
}

test('an event takes its payload once, and in each topic no more than is counted for an entry', () => {
  const events = 4000;
  const topics = ['runs', 'run:1', 'run-tree:1', 'project:1'];
  const place = { gen: 1, head: 0, now: 0 };
  const payload = (n: number) => JSON.stringify({ id: n, status: 'Running', text: `${n} `.repeat(120), none: null });
  const windows = topics.map((topic) => new Window(`1/${topic}`, 'origin-of-a-node', place, defaultWindowLimits));
  const before = heapUsed();
  let characters = 0;
  for (let n = 0; n < events; n++) {
    const body = payload(n);
    characters += body.length;
    for (const window of windows) {
      window.append({ type: 'run.updated', at: 1_790_000_000_000 + n, body, durable: true, mergeKey: null });
    }
  }
  const taken = heapUsed() - before;
  expect(windows.map(({ size }) => size.entries)).toEqual(topics.map(() => events));
  expect(taken).toBeLessThan(characters + topics.length * events * costs.entry);
});
