import { expect, test } from 'vitest';
import { testTool, turnOf } from '../../testing/tools.ts';
import { createWorld, type World } from '../../testing/world.ts';

const marks = (world: World, id: number) =>
  (world.memory.disk.events.get(id) ?? [])
    .filter((event) => event.type === 'BudgetWarning' || event.type === 'DeadlineWarning')
    .map((event) => event.title);

/** A run whose every turn takes `tokens` and uses a tool, until its tokens, turns or pool are spent. */
async function spend(tokens: number, limits: object) {
  const world = createWorld({
    script: (request) => ({
      calls: [{ name: 'step', arguments: { value: turnOf(request) } }],
      promptTokens: tokens - 10,
      completionTokens: 10,
    }),
    tools: [testTool('step', async () => 'on')],
    limits: { contextTokens: 1_000_000, maxOutputTokens: 50 },
  });
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft({ contextBudgetTokens: 1_000_000, ...limits }));
  await world.until(() => world.run(id).status === 'BudgetExhausted');
  return { world, engine, id };
}

test('at 75 and 90 % of its turns a run is warned, once each', async () => {
  const { world, id } = await spend(100, { maxIterations: 20, maxTokens: 1_000_000 });
  expect(marks(world, id)).toEqual(['75 % of the iterations are used', '90 % of the iterations are used']);
});

test('at 75 and 90 % of its tokens a run is warned, once each, and anew when it has more', async () => {
  const { world, engine, id } = await spend(1000, { maxTokens: 20_500, maxIterations: 1000 });
  const both = ['75 % of the tokens are used', '90 % of the tokens are used'];
  expect(marks(world, id)).toEqual(both);
  await engine.restart(id, {});
  await world.until(() => world.run(id).restarts === 1 && world.run(id).status === 'BudgetExhausted');
  expect(marks(world, id)).toEqual([...both, ...both]);
});

test.each([
  ['tokens', { poolTokenBudget: 20_500 }],
  ['turns', { poolIterationBudget: 20 }],
])(
  'at 75 and 90 %% of the %s of its pool the root of a tree is warned, once each, and anew after a top-up',
  async (_, pool) => {
    const { world, engine, id } = await spend(1000, { maxTokens: 1_000_000, maxIterations: 500, ...pool });
    const both = ["75 % of the tree's pool is used", "90 % of the tree's pool is used"];
    expect(marks(world, id)).toEqual(both);
    await engine.changePool(id, { addTokens: 20_000, addIterations: 20, resume: true });
    await world.until(() => world.run(id).status !== 'BudgetExhausted');
    await world.until(() => world.run(id).status === 'BudgetExhausted');
    expect(marks(world, id)).toEqual([...both, ...both]);
  },
);

test('at 75 and 90 % of its time a run is warned at the end of the turn, once each', async () => {
  const world = createWorld({
    script: (request) => ({ calls: [{ name: 'step', arguments: { value: turnOf(request) } }], delayMs: 1000 }),
    tools: [testTool('step', async () => 'on')],
  });
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft({ maxWallClockMs: 20_500, maxIterations: 100 }));
  await world.until(() => world.run(id).status === 'TimedOut');
  expect(marks(world, id)).toEqual(['75 % of the time is used', '90 % of the time is used']);
});
