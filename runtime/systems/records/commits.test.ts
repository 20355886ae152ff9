import { expect, it } from 'vitest';
import { testTool, turns } from '../../testing/tools.ts';
import { createWorld } from '../../testing/world.ts';

it('tells of each turn by its own number, also where its end and the next beginning are one write', async () => {
  const note = testTool('note', async () => 'noted', { local: true });
  const call = { calls: [{ name: 'note', arguments: {} }] };
  const world = createWorld({ script: turns(call, call, { text: 'end' }), tools: [note] });
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft());
  await world.until(() => world.run(id).status === 'Completed');
  const told = (await engine.events(id, { limit: 100 })).filter((event) => /^(ModelCall|ToolCall)/.test(event.type));
  const turn = (n: number) =>
    ['ModelCallStarted', 'ModelCallCompleted', 'ToolCallStarted', 'ToolCallCompleted'].map((type) => [n, type]);
  expect(told.map((event) => [event.iteration, event.type])).toEqual([...turn(1), ...turn(2), ...turn(3).slice(0, 2)]);
});
