// A run that came up against a limit says which, takes a top-up, and goes on; its clock stands meanwhile.
import { expect, test } from 'vitest';
import { testTool, turns } from './testing/tools.ts';
import { createWorld } from './testing/world.ts';

/** A tool whose description alone takes about 2,600 tokens. */
const wordy = testTool('wordy', async () => 'done', { description: 'word '.repeat(1800) });

test('tokens that do not suffice for the first call: the run says what it needs, a top-up lets it go on', async () => {
  const world = createWorld({ script: () => ({ text: 'Done.' }), tools: [wordy] });
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft({ maxTokens: 2000 }));
  await world.until(() => world.run(id).status === 'BudgetExhausted');
  const spent = (await engine.view(world.run(id))).exhaustedBy!;
  expect(spent).toMatchObject({ limit: 'maxTokens', max: 2000, used: 0 });
  expect(spent.missing).toBe(spent.needed - 2000);
  expect(spent.message).toBe(`Its next call needs about ${spent.needed} tokens; 2000 of 2000 of its own are left.`);
  const [event] = await engine.events(id, { types: ['BudgetExhausted'], limit: 1 });
  expect(event?.message).toBe(spent.message);

  const tooLittle = { code: 'INVALID_TRANSITION', hint: expect.stringContaining(`"addTokens": ${spent.missing} or`) };
  await expect(engine.resume(id)).rejects.toMatchObject(tooLittle);
  await expect(engine.changePool(id, { addTokens: spent.missing - 1, resume: true })).rejects.toMatchObject(tooLittle);
  expect(world.run(id)).toMatchObject({ status: 'BudgetExhausted', maxTokens: 2000 });
  const { activeMs } = world.run(id);
  await world.clock.advance(3_600_000);
  expect(await engine.view(world.run(id))).toMatchObject({ activeMs, activeSinceUtc: null });

  await engine.changePool(id, { addTokens: 5000 });
  expect(await engine.view(world.run(id))).toMatchObject({ maxTokens: 7000, exhaustedBy: { missing: 0 } });
  await engine.resume(id);
  await world.until(() => world.run(id).status === 'Completed');
  const after = await engine.view(world.run(id));
  expect(after.exhaustedBy).toBeNull();
  expect(after.activeMs - activeMs).toBeLessThan(60_000);
});

test('turns are topped up in one step, and no further than the cap of the role', async () => {
  const script = turns(...[1, 2, 3].map((value) => ({ calls: [{ name: 'look', arguments: { value } }] })), {
    text: 'Done.',
  });
  const world = createWorld({ script, tools: [testTool('look', async () => 'seen')] });
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft({ maxIterations: 1, hardIterationCap: 3 }));
  await world.until(() => world.run(id).status === 'BudgetExhausted');
  await engine.changePool(id, { addIterations: 1, resume: true });
  await world.until(() => world.run(id).iterationsUsed === 2 && world.run(id).status === 'BudgetExhausted');
  await engine.patch(id, { maxIterations: 3 });
  await engine.resume(id);
  await world.until(() => world.run(id).iterationsUsed === 3 && world.run(id).status === 'BudgetExhausted');
  await expect(engine.changePool(id, { addIterations: 5, resume: true })).rejects.toMatchObject({
    code: 'INVALID_TRANSITION',
    hint: expect.stringContaining('no more than 3 turns'),
  });
});

test('a spent pool says which of its limits, and a resume without a top-up is refused', async () => {
  const world = createWorld({ script: () => ({ text: 'Done.' }), tools: [wordy] });
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft({ poolTokenBudget: 1000, maxTokens: 100_000 }));
  await world.until(() => world.run(id).status === 'BudgetExhausted');
  const { exhaustedBy } = await engine.view(world.run(id));
  expect(exhaustedBy).toMatchObject({ limit: 'poolTokenBudget', max: 1000, used: 0 });
  await expect(engine.resume(id)).rejects.toMatchObject({ code: 'INVALID_TRANSITION' });
  await engine.changePool(id, { addTokens: exhaustedBy!.missing, resume: true });
  await world.until(() => world.run(id).status === 'Completed');
});

test('a tree that has cost what it may takes a top-up in dollars, and goes on', async () => {
  const world = createWorld({ script: () => ({ text: 'Done.' }), tools: [wordy] });
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft({ poolCostBudgetUsd: 0.0001 }));
  await world.until(() => world.run(id).status === 'BudgetExhausted');
  const { exhaustedBy } = await engine.view(world.run(id));
  expect(exhaustedBy).toMatchObject({ limit: 'poolCostBudgetUsd', max: 0.0001, used: 0 });
  const { missing } = exhaustedBy!;
  await expect(engine.resume(id)).rejects.toMatchObject({
    code: 'INVALID_TRANSITION',
    hint: expect.stringContaining(`/api/agent/runs/${id}/pool {"addCostUsd": ${missing} or more`),
  });
  await engine.changePool(id, { addCostUsd: missing, resume: true });
  await world.until(() => world.run(id).status === 'Completed');
  expect((await engine.view(world.run(id))).poolCostBudgetUsd).toBeCloseTo(0.0001 + missing, 9);
  await expect(engine.changePool(id, { poolCostBudgetUsd: 0 })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  // What may cost anything has no limit that could be raised.
  const free = await engine.create(world.draft({}));
  await engine.changePool(free.id, { addCostUsd: 1 });
  expect((await engine.view(world.run(free.id))).poolCostBudgetUsd).toBeNull();
});
