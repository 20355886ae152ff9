import { expect, it } from 'vitest';
import { createActivity } from './activity.ts';

const run = (id: number, status: 'Running' | 'WaitingForDecision' = 'Running') => ({
  id,
  parentRunId: null,
  status,
  startedAtUtc: '2026-01-01T00:00:00Z',
  createdAtUtc: '2026-01-01T00:00:00Z',
});
const begin = Date.parse('2026-01-01T00:00:00Z');

it('draws a step for each turn that the stream of the list tells of', () => {
  const activity = createActivity();
  for (const [iterationsUsed, second] of [
    [1, 5],
    [1, 6],
    [2, 7],
    [3, 20],
  ] as const)
    activity.note({ runId: 1, iterationsUsed }, begin + second * 1000);
  const { blocks } = activity.of(run(1));
  expect(blocks.map(({ from, to }) => [from - begin, (to ?? 0) - begin])).toEqual([
    [4500, 7000],
    [17_500, 20_000],
  ]);
});

it('shows a gate while a decision is awaited, and nothing of what it was not told', () => {
  const activity = createActivity();
  expect(activity.of(run(1)).blocks).toEqual([]);
  expect(activity.of(run(1, 'WaitingForDecision')).gates).toHaveLength(1);
});
