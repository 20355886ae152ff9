// Restarts of the server are no circles that a run goes in.
import { expect, test } from 'vitest';
import { testTool, turnOf } from '../../testing/tools.ts';
import { createWorld, type Node, type World } from '../../testing/world.ts';

test('calls that restarts cut off, and that are made again with success, are progress', async () => {
  let node: Node | null = null;
  const died = new Set<unknown>();
  const shell = testTool(
    'shell',
    async (input) => {
      const { value } = input as { value: number };
      if (died.has(value)) return 'done';
      died.add(value);
      await world.clock.sleep(500);
      node?.store.die();
      return new Promise(() => {});
    },
    { whenInterrupted: 'report' },
  );
  const world: World = createWorld({
    // Each step is made twice: the first time the server dies in the middle of it.
    script: (request) => {
      const turn = turnOf(request);
      if (turn >= 10) return { text: 'All steps are done.' };
      return { calls: [{ name: 'shell', arguments: { value: Math.floor(turn / 2) }, id: `c${turn}` }] };
    },
    tools: [shell],
  });
  node = await world.boot();
  const { id } = await node.engine.create(world.draft());
  for (let step = 0; step < 5; step++) {
    await world.until(() => node!.store.dead || world.run(id).status === 'WaitingForDecision');
    node = await world.boot();
  }
  await world.until(() => ['Completed', 'WaitingForDecision'].includes(world.run(id).status));
  expect(world.run(id)).toMatchObject({ status: 'Completed', staleStepCount: 0 });
});

test('a call that fails again and again is still a circle', async () => {
  const world = createWorld({
    script: () => ({ calls: [{ name: 'broken', arguments: {} }] }),
    tools: [
      testTool('broken', async () => {
        throw new Error('It is broken.');
      }),
    ],
  });
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft());
  await world.until(() => world.run(id).status === 'WaitingForDecision');
  expect(world.run(id)).toMatchObject({ iterationsUsed: 6, staleStepCount: 2 });
});
