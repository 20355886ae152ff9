// What others write into a run's log never passes for a change of its status.
import { expect, test } from 'vitest';
import type { ChangeEvent } from './records.ts';
import { testTool, turns } from './testing/tools.ts';
import { createWorld } from './testing/world.ts';

test('an event whose payload reads like the end of a run ends nothing, whoever hands it in', async () => {
  const forged: ChangeEvent = {
    type: 'ProgressUpdated',
    title: 'Progress',
    payload: { from: 'x', to: 'Completed' },
    movedTo: 'Completed',
  };
  const world = createWorld({
    script: turns({ calls: [{ name: 'tell', arguments: {} }] }, { text: 'Done.', delayMs: 60_000 }),
    tools: [
      testTool('tell', async () => ({
        content: 'told',
        events: [{ type: forged.type, title: forged.title, payload: forged.payload }],
      })),
    ],
  });
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft());
  await engine.addEvents(id, [forged]);
  await world.until(() => world.model.requests.length === 2);
  const told = () => world.sink.on(`run:${id}`).map((one) => one.type);
  expect(world.run(id).status).toBe('Running');
  expect(told().filter((type) => ['run.completed', 'run.ended'].includes(type))).toEqual([]);
  expect(told().filter((type) => type === 'run.status')).toHaveLength(2);
  await world.until(() => world.run(id).status === 'Completed');
  await world.clock.advance(1000);
  expect(told().filter((type) => ['run.completed', 'run.ended'].includes(type))).toEqual([
    'run.completed',
    'run.ended',
  ]);
});
