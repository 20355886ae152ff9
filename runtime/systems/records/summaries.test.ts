// Progress is told to a run's viewers by its event, and to lists of runs once in a while.
import { expect, test } from 'vitest';
import { turns } from '../../testing/tools.ts';
import { createWorld } from '../../testing/world.ts';

test('a run that reports its progress often tells lists its newest summary once, and its viewers no whole run', async () => {
  const reports = Array.from({ length: 9 }, (_, n) => ({
    calls: [{ name: 'run_progress', arguments: { summary: `step ${n}` } }],
  }));
  const ask = { calls: [{ name: 'run_escalate', arguments: { situation: 'Which way?' } }] };
  const world = createWorld({ script: turns(...reports, ask) });
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft());
  await world.until(() => world.run(id).status === 'WaitingForDecision');
  const later = { ...world.run(id), id };
  expect(later.progressSummary).toBe('step 8');
  const updates = (topic: string) => world.sink.on(topic).filter(({ type }) => type === 'run.updated');
  const events = world.sink.on(`run:${id}`).filter(({ type }) => type === 'run.event');
  const progress = events.map(({ data }) => data as { type: string; message: string });
  expect(progress.filter(({ type }) => type === 'ProgressUpdated')).toHaveLength(9);
  expect(updates(`run:${id}`)).toEqual([]);
  expect(updates(`run-tree:${id}`)).toEqual([]);
  expect(updates('runs').length).toBeLessThan(3);
  await engine.addEvents(id, [{ type: 'ProgressUpdated', title: 'Progress', message: 'half' }], {
    progressSummary: 'half',
  });
  await engine.addEvents(id, [{ type: 'ProgressUpdated', title: 'Progress', message: 'more' }], {
    progressSummary: 'more',
  });
  const before = updates('runs').length;
  await world.clock.advance(2000);
  const told = updates('runs').slice(before);
  expect(told.map(({ data }) => (data as { progressSummary: string }).progressSummary)).toEqual(['more']);
});

test('what no event tells comes whole, at once, to everybody', async () => {
  const ask = { calls: [{ name: 'run_escalate', arguments: { situation: 'Which way?' } }] };
  const world = createWorld({ script: turns(ask) });
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft());
  await world.until(() => world.run(id).status === 'WaitingForDecision');
  await engine.addEvents(id, [], { progressSummary: 'set aside' });
  for (const topic of [`run:${id}`, `run-tree:${id}`, 'runs'])
    expect(world.sink.on(topic).at(-1)).toMatchObject({ type: 'run.updated', data: { progressSummary: 'set aside' } });
});
