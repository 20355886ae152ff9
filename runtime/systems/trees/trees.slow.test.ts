import { expect, test } from 'vitest';
import type { ModelMessage } from '../../model.ts';
import { hasEnded } from '../../state/run.ts';
import { byGoal, testTool } from '../../testing/tools.ts';
import { createWorld, type World } from '../../testing/world.ts';

const spawn = (goal: string, more: object = {}) => ({ name: 'run_spawn', arguments: { goal, ...more } });
const allEnded = (world: World) => [...world.memory.disk.runs.values()].every((run) => hasEnded(run.status));
const logOf = (world: World, id: number): ModelMessage[] =>
  (world.memory.disk.messages.get(id) ?? []).map((one) => one.message);
const toolResults = (world: World, id: number) =>
  logOf(world, id).flatMap((one) => (one.role === 'tool' ? [one.content] : []));

test('a parent waits for its child and reads its result as the result of the call', async () => {
  const world = createWorld({
    script: byGoal({
      parent: [{ calls: [spawn('child', { wait: true })] }, { text: 'thanks' }],
      child: [{ text: 'found it', delayMs: 3000 }],
    }),
  });
  const { engine } = await world.boot();
  const parent = await engine.create(world.draft({ goal: 'parent' }));
  await world.clock.advance(1000);
  expect(world.run(parent.id)).toMatchObject({ status: 'WaitingForChildren', owner: null });
  await world.until(() => allEnded(world));
  expect(JSON.parse(toolResults(world, parent.id)[0]!)).toEqual({ runId: 2, status: 'Completed', summary: 'found it' });
  expect(logOf(world, parent.id).filter((one) => one.role === 'user')).toEqual([]);
  const view = await engine.view(world.run(parent.id));
  expect(view).toMatchObject({ childRunCount: 1, totalTokensWithChildren: 360, poolIterationsUsed: 3, spawnDepth: 0 });
  expect(view.totalCostWithChildren).toBeCloseTo(0.00036);
});

test('join takes all, any or the first few; results that nobody joined come by themselves, once', async () => {
  const world = createWorld({
    script: byGoal({
      all: [
        { calls: [spawn('slow'), spawn('quick')] },
        { calls: [{ name: 'run_join', arguments: {} }] },
        { text: 'ok' },
      ],
      any: [
        { calls: [spawn('slow'), spawn('quick')] },
        { calls: [{ name: 'run_join', arguments: { mode: 'any' } }] },
        { text: 'ok' },
      ],
      none: [{ calls: [spawn('quick')] }, { text: 'I wait for it' }, { text: 'ok' }],
      slow: [{ text: 'slow result', delayMs: 8000 }],
      quick: [{ text: 'quick result', delayMs: 1000 }],
    }),
  });
  const { engine } = await world.boot();
  const [all, any, none] = await Promise.all(
    ['all', 'any', 'none'].map((goal) => engine.create(world.draft({ goal }))),
  );
  await world.until(() => allEnded(world));
  const text = (id: number) =>
    logOf(world, id)
      .map((one) => JSON.stringify(one))
      .join('\n');
  expect(text(all!.id).match(/slow result/g)).toHaveLength(1);
  expect(text(all!.id).match(/quick result/g)).toHaveLength(1);
  expect(toolResults(world, any!.id).at(-1)).toContain('still running');
  expect(text(any!.id).match(/quick result/g)).toHaveLength(1);
  expect(text(any!.id)).toContain('slow result');
  expect(text(none!.id)).toContain('[Result of a child run]');
  expect(text(none!.id).match(/quick result/g)).toHaveLength(1);
});

test('depth and ceiling refuse with a clear error that the model can act on', async () => {
  const world = createWorld({
    script: byGoal({
      deep: [{ calls: [spawn('deep', { wait: true })] }, { text: 'end' }],
      wide: [{ calls: ['a', 'b', 'c', 'd'].map((goal, at) => ({ ...spawn(goal), id: `s${at}` })) }, { text: 'end' }],
      ...Object.fromEntries(['a', 'b', 'c', 'd'].map((goal) => [goal, [{ text: goal, delayMs: 5000 }]])),
    }),
    options: { maxSpawnDepth: 2, maxTreeRuns: 4 },
  });
  const { engine } = await world.boot();
  const deep = await engine.create(world.draft({ goal: 'deep' }));
  const wide = await engine.create(world.draft({ goal: 'wide' }));
  await world.until(() => allEnded(world));
  const runs = [...world.memory.disk.runs.values()].filter((run) => run.rootRunId === deep.id);
  expect(runs.map((run) => run.spawnDepth)).toEqual([0, 1, 2]);
  expect(toolResults(world, runs[2]!.id)[0]).toContain('SPAWN_DEPTH_EXCEEDED');
  const refused = toolResults(world, wide.id).filter((one) => one.includes('SWARM_CEILING_REACHED'));
  expect(refused).toHaveLength(1);
  expect((await engine.events(wide.id, { limit: 100 })).filter((one) => one.type === 'SpawnRefused')).toHaveLength(1);
  await expect(engine.spawn(deep.id, { goal: 'late' })).rejects.toMatchObject({ code: 'INVALID_TRANSITION' });
});

test('cancel of a tree of fifty names every descendant, and none of them calls a model any more', async () => {
  const goals = Array.from({ length: 49 }, (_, at) => `c${at}`);
  const world = createWorld({
    script: byGoal({
      root: [
        { calls: goals.map((goal, at) => ({ ...spawn(goal), id: `s${at}` })) },
        { calls: [{ name: 'run_join', arguments: {} }] },
      ],
      ...Object.fromEntries(
        goals.map((goal) => [
          goal,
          Array.from({ length: 50 }, (_, at) => ({
            calls: [{ name: 'step', arguments: { value: at } }],
            delayMs: 700,
          })),
        ]),
      ),
    }),
    tools: [testTool('step', async () => 'on')],
  });
  const { engine } = await world.boot();
  const root = await engine.create(world.draft({ goal: 'root' }));
  await world.clock.advance(5000);
  const answer = await engine.cancel(root.id, { reason: 'stop all' });
  const calls = world.model.requests.length;
  expect([...answer.affectedRunIds].sort((a, b) => a - b)).toEqual(
    [...world.memory.disk.runs.keys()].sort((a, b) => a - b),
  );
  expect(answer.affectedRunIds).toHaveLength(50);
  await world.clock.advance(3000);
  expect(world.model.requests.length).toBe(calls);
  expect([...world.memory.disk.runs.values()].every((run) => run.status === 'Cancelled')).toBe(true);
  expect(world.sink.emissions.filter((one) => one.type === 'tree.quiesced')).toHaveLength(1);
});

test('pause stops a tree and resume brings it back; a child may be stopped alone', async () => {
  const world = createWorld({
    script: byGoal({
      root: [
        { calls: [spawn('one'), { ...spawn('two'), id: 's2' }] },
        { calls: [{ name: 'run_join', arguments: {} }] },
        { text: 'end' },
      ],
      one: [
        { calls: [{ name: 'step', arguments: {} }], delayMs: 1000 },
        { text: 'one', delayMs: 1000 },
      ],
      two: [
        { calls: [{ name: 'step', arguments: {} }], delayMs: 1000 },
        { text: 'two', delayMs: 1000 },
      ],
    }),
    tools: [testTool('step', async () => 'on')],
  });
  const { engine } = await world.boot();
  const root = await engine.create(world.draft({ goal: 'root' }));
  await world.clock.advance(500);
  await engine.pause(root.id);
  await world.clock.advance(30_000);
  const states = () => [...world.memory.disk.runs.values()].map((run) => run.status);
  expect(states()).toEqual(['Paused', 'Paused', 'Paused']);
  expect(world.sink.emissions.filter((one) => one.type === 'tree.quiesced')).toHaveLength(1);
  const resumed = await engine.resume(root.id);
  expect(resumed.affectedRunIds).toHaveLength(3);
  await engine.cancel(2, { cascade: true });
  await world.until(() => allEnded(world));
  expect(states()).toEqual(['Completed', 'Cancelled', 'Completed']);
});

test('a child that is spawned below a paused run is paused too, and resumed with it', async () => {
  const world = createWorld({
    script: byGoal({
      root: [{ calls: [{ name: 'run_escalate', arguments: { situation: 'Which way?' } }] }, { text: 'end' }],
      late: [{ text: 'done' }],
    }),
  });
  const { engine } = await world.boot();
  const root = await engine.create(world.draft({ goal: 'root' }));
  await world.clock.advance(500);
  await engine.pause(root.id);
  const late = await engine.spawn(root.id, { goal: 'late' });
  await world.clock.advance(1000);
  expect(world.run(late.id)).toMatchObject({ status: 'Paused', iterationsUsed: 0 });
  const { version } = world.run(late.id);
  await world.clock.advance(10_000);
  expect(world.run(late.id).version).toBe(version);
  expect((await engine.resume(root.id)).affectedRunIds).toEqual([root.id, late.id]);
  await world.until(() => world.run(late.id).status === 'Completed');
});

test('a spent pool stops the tree until it is topped up; the reservations never exceed it', async () => {
  const world = createWorld({
    script: byGoal({
      root: [
        { calls: [spawn('one'), { ...spawn('two'), id: 's2' }] },
        { calls: [{ name: 'run_join', arguments: {} }] },
        { text: 'end' },
      ],
      one: Array.from({ length: 8 }, (_, at) => ({
        calls: [{ name: 'step', arguments: { value: at } }],
        delayMs: 100,
        promptTokens: 1800,
      })).concat([{ text: 'one' } as never]),
      two: Array.from({ length: 8 }, (_, at) => ({
        calls: [{ name: 'step', arguments: { value: at } }],
        delayMs: 100,
        promptTokens: 1800,
      })).concat([{ text: 'two' } as never]),
    }),
    tools: [testTool('step', async () => 'on')],
    limits: { contextTokens: 100_000, maxOutputTokens: 200 },
  });
  const { engine } = await world.boot();
  const root = await engine.create(world.draft({ goal: 'root', poolTokenBudget: 24_000, maxTokens: 100_000 }));
  await world.clock.advance(20_000);
  const states = [...world.memory.disk.runs.values()].map((run) => run.status);
  expect(states).toEqual(['BudgetExhausted', 'BudgetExhausted', 'BudgetExhausted']);
  const tree = await engine.tree(root.id);
  expect(tree.tokensUsed).toBeLessThanOrEqual(24_000);
  expect(world.model.spent.tokens).toBe(tree.tokensUsed);
  const warnings = (await engine.events(root.id, { limit: 100, types: ['BudgetWarning'] })).map((one) => one.title);
  expect(warnings).toContain("75 % of the tree's pool is used");
  await engine.changePool(root.id, { addTokens: 100_000, resume: true });
  await world.until(() => allEnded(world));
  expect([...world.memory.disk.runs.values()].map((run) => run.status)).toEqual([
    'Completed',
    'Completed',
    'Completed',
  ]);
  await expect(engine.changePool(root.id, { poolTokenBudget: 10 })).rejects.toMatchObject({
    code: 'VALIDATION_FAILED',
  });
});

test('the deadline of the tree ends all of it, paused runs too', async () => {
  const world = createWorld({
    script: byGoal({
      root: [{ calls: [spawn('one'), { ...spawn('two'), id: 's2' }] }, { text: 'x', delayMs: 90_000 }],
      one: [{ text: 'x', delayMs: 90_000 }],
      two: [{ text: 'x', delayMs: 90_000 }],
    }),
  });
  const { engine } = await world.boot();
  await engine.create(world.draft({ goal: 'root', treeDeadlineAt: world.clock.now() + 20_000 }));
  await world.clock.advance(1000);
  await engine.pause(3);
  await world.clock.advance(25_000);
  expect([...world.memory.disk.runs.values()].map((run) => run.status)).toEqual(['TimedOut', 'TimedOut', 'TimedOut']);
});

test('a child that fails can take its parent with it, and a parent that ends stops its children', async () => {
  const world = createWorld({
    script: byGoal({
      strict: [
        { calls: [spawn('bad', { onFailure: 'fail-parent' }), { ...spawn('long'), id: 's2' }] },
        { calls: [{ name: 'run_join', arguments: {} }] },
        { text: 'never' },
      ],
      bad: [{ calls: [{ name: 'run_fail', arguments: { reason: 'no way' } }], delayMs: 1000 }],
      long: [{ text: 'x', delayMs: 60_000 }],
    }),
  });
  const { engine } = await world.boot();
  const root = await engine.create(world.draft({ goal: 'strict' }));
  await world.clock.advance(10_000);
  expect(world.run(root.id)).toMatchObject({ status: 'Failed', failureReason: expect.stringContaining('Failed') });
  expect([...world.memory.disk.runs.values()].map((run) => run.status).sort()).toEqual([
    'Cancelled',
    'Failed',
    'Failed',
  ]);
});

test('a tree cannot starve another: slots go to the tree with the fewest at work', async () => {
  const goals = Array.from({ length: 20 }, (_, at) => `c${at}`);
  const world = createWorld({
    script: byGoal({
      big: [
        { calls: goals.map((goal, at) => ({ ...spawn(goal), id: `s${at}` })) },
        { calls: [{ name: 'run_join', arguments: {} }] },
        { text: 'end' },
      ],
      small: [{ text: 'small', delayMs: 100 }],
      ...Object.fromEntries(goals.map((goal) => [goal, [{ text: goal, delayMs: 5000 }]])),
    }),
    options: { slots: 4 },
  });
  const { engine } = await world.boot();
  await engine.create(world.draft({ goal: 'big' }));
  await world.clock.advance(1000);
  const small = await engine.create(world.draft({ goal: 'small' }));
  await world.clock.advance(6000);
  expect(world.run(small.id).status).toBe('Completed');
  await world.until(() => allEnded(world));
});
