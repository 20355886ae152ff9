// Two engines on one store: what is asked of one is done by the other at once, not when it next looks.
import { expect, test } from 'vitest';
import { Fault } from '../src/kernel/fault.ts';
import type { ModelRequest } from './model.ts';
import { hasEnded } from './state/run.ts';
import { byGoal, testTool, turns } from './testing/tools.ts';
import { createWorld } from './testing/world.ts';

const step = { calls: [{ name: 'step', arguments: {} }], delayMs: 1000 };

/** A run at work on node B while node A takes the commands; neither looks into the store by itself for a minute. */
async function openTwo(...script: Parameters<typeof turns>) {
  const world = createWorld({
    script: turns(...script),
    shared: true,
    options: { reconcileMs: 60_000, leaseMs: 300_000 },
    tools: [testTool('step', async () => 'on')],
  });
  const b = await world.boot();
  const { id } = await b.engine.create(world.draft({ maxIterations: 5 }));
  const a = await world.boot();
  await world.clock.advance(500);
  expect(b.engine.stats().running).toBe(1);
  return { world, a: a.engine, b: b.engine, id };
}

const texts = (request: ModelRequest | undefined) => JSON.stringify(request?.messages ?? []);

test('a run is cancelled by another node than its own', async () => {
  const { world, a, id } = await openTwo(step);
  await a.cancel(id, { reason: 'enough' });
  await world.clock.advance(10);
  expect(world.run(id)).toMatchObject({ status: 'Cancelled', failureReason: 'enough' });
  const calls = world.model.requests.length;
  await world.clock.advance(5000);
  expect(world.model.requests).toHaveLength(calls);
});

test('a message to another node is read at the very next turn, and keeps the run from ending', async () => {
  const { world, a, id } = await openTwo({ text: 'done', delayMs: 1000 });
  await a.deliverMessage(id, { text: 'mind the step' });
  await world.until(() => hasEnded(world.run(id).status));
  expect(world.model.requests).toHaveLength(2);
  expect(texts(world.model.requests[1])).toContain('mind the step');
});

test.each(['same', 'other'])('a message that comes during a call is read at the next turn (%s node)', async (node) => {
  const local = { calls: [{ name: 'run_progress', arguments: { summary: 'on' } }], delayMs: 1000 };
  const { world, a, b, id } = await openTwo(local, local, { text: 'done' });
  await (node === 'same' ? b : a).deliverMessage(id, { text: 'mind the step' });
  await world.until(() => hasEnded(world.run(id).status));
  expect(texts(world.model.requests[1])).toContain('mind the step');
});

test('a pause that is taken back before it is obeyed does not stop the run', async () => {
  const { world, a, b, id } = await openTwo(step, step, { text: 'done', delayMs: 100 });
  await a.pause(id);
  await world.clock.advance(10);
  await a.resume(id);
  await world.until(() => hasEnded(world.run(id).status));
  expect(world.run(id).status).toBe('Completed');
  expect((await b.events(id, { limit: 100, types: ['RunPaused'] })).length).toBe(0);
});

test('a pause that comes late to a child, through a slow node, does not stop what was resumed meanwhile', async () => {
  const world = createWorld({
    script: byGoal({
      parent: [{ calls: [{ name: 'run_spawn', arguments: { goal: 'child', wait: true } }] }, { text: 'done' }],
      child: [step, step, { text: 'done', delayMs: 100 }],
    }),
    shared: true,
    options: { reconcileMs: 60_000, leaseMs: 300_000 },
    tools: [testTool('step', async () => 'on')],
  });
  const b = await world.boot();
  const { id } = await b.engine.create(world.draft({ goal: 'parent' }));
  let reach = () => {};
  const held = new Promise<void>((resolve) => {
    reach = resolve;
  });
  // The slow node hangs from when it has paused the parent until it is let go on.
  const a = await world.boot(undefined, () => (world.memory.disk.runs.get(id)?.status === 'Paused' ? held : undefined));
  await world.clock.advance(500);
  expect(world.run(id).status).toBe('WaitingForChildren');
  void a.engine.pause(id);
  await world.clock.advance(10);
  expect([world.run(id).status, world.run(id + 1).control]).toEqual(['Paused', null]);
  expect((await b.engine.resume(id)).affectedRunIds).toEqual([id]);
  reach();
  await world.until(() => hasEnded(world.run(id).status));
  expect(world.run(id).status).toBe('Completed');
  expect((await b.engine.events(id + 1, { limit: 100, types: ['RunPaused'] })).length).toBe(0);
  expect(world.memory.disk.trees.get(id)?.stopping).toEqual([]);
});

test('what is resumed below a pause under way leaves the others in it', async () => {
  const world = createWorld({
    script: byGoal({
      parent: [
        { calls: ['one', 'two'].map((goal) => ({ name: 'run_spawn', arguments: { goal } })) },
        { calls: [{ name: 'run_join', arguments: {} }] },
        { text: 'done' },
      ],
      one: [{ text: 'done', delayMs: 2000 }],
      two: [{ text: 'done', delayMs: 2000 }],
    }),
  });
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft({ goal: 'parent' }));
  await world.clock.advance(1000);
  void engine.pause(id);
  await world.clock.advance(10);
  await engine.resume(id + 1, { cascade: false });
  await world.clock.advance(30_000);
  expect([id, id + 1, id + 2].map((one) => world.run(one).status)).toEqual(['Paused', 'Completed', 'Paused']);
});

test('a store that stands still for longer than a lease has no call made twice', async () => {
  const world = createWorld({
    script: turns({ text: 'done', delayMs: 20_000 }),
    shared: true,
    options: { leaseMs: 10_000 },
  });
  let frozen: Promise<void> | undefined;
  const { engine } = await world.boot(undefined, () => frozen);
  const { id } = await engine.create(world.draft());
  await world.clock.advance(1000);
  let thaw = () => {};
  frozen = new Promise((resolve) => {
    thaw = resolve;
  });
  await world.clock.advance(14_000);
  frozen = undefined;
  thaw();
  await world.until(() => hasEnded(world.run(id).status));
  expect([world.run(id).status, world.model.requests.length]).toEqual(['Completed', 1]);
});

test('new limits hold from the next turn on', async () => {
  const { world, a, id } = await openTwo(step);
  await a.patch(id, { maxIterations: 2 });
  await world.until(() => world.run(id).status === 'BudgetExhausted');
  expect(world.model.requests).toHaveLength(2);
});

test('who waits on another node hears of the end at once', async () => {
  const { world, a, id } = await openTwo({ text: 'done', delayMs: 1000 });
  let heard: string | null = null;
  void a.wait(id, 60_000).then((run) => {
    heard = run.status;
  });
  await world.clock.advance(501);
  expect(heard).toBe('Completed');
});

test('a run of a node that dies is at work on another one within fifteen seconds', async () => {
  const world = createWorld({ script: turns({ ...step, delayMs: 60_000 }), shared: true });
  const dying = await world.boot();
  const { id } = await dying.engine.create(world.draft());
  await world.clock.advance(500);
  const { owner, fence } = world.run(id);
  await world.boot();
  await world.clock.advance(20_000);
  expect(world.run(id)).toMatchObject({ status: 'Running', owner, fence });
  dying.store.die();
  const diedAt = world.clock.now();
  await world.until(() => world.run(id).fence > fence && world.run(id).status === 'Running');
  expect(world.clock.now() - diedAt).toBeLessThanOrEqual(15_000);
  expect(world.run(id).owner).not.toBe(owner);
});

test('a node that knows an old state of the pool sees in one step that another node has spent it', async () => {
  const world = createWorld({
    script: (_, call) => (call === 0 ? { error: new Fault('RATE_LIMITED', 'Slow.', { retryAfterSeconds: 5 }) } : {}),
    shared: true,
  });
  const a = await world.boot();
  const { id } = await a.engine.create(world.draft());
  const b = await world.boot();
  await world.clock.advance(1000);
  expect(world.model.requests).toHaveLength(1);
  await b.engine.changePool(id, { poolTokenBudget: 20 });
  const told = a.store.runs.update;
  let writes = 0;
  a.store.runs.update = (...args) => {
    if (++writes > 100) a.store.die();
    return told(...args);
  };
  await world.clock.advance(10_000);
  expect(world.run(id)).toMatchObject({ status: 'BudgetExhausted', exhausted: 'pool' });
  expect(world.model.requests).toHaveLength(1);
});

test('a node that was taken for dead is alive under its new name before anything is taken under that', async () => {
  const world = createWorld({ shared: true });
  const [a, b] = [await world.boot(), await world.boot()];
  const before = await a.engine.holdLease();
  const { beat } = a.store.nodes;
  // Its beats do not arrive, as when it is too slow to send them.
  a.store.nodes.beat = async () => {
    throw new Error('no way');
  };
  await world.clock.advance(5000);
  expect(await a.engine.holdLease()).toBe(before);
  await world.clock.advance(20_000);
  expect(await b.engine.aliveNodes()).not.toContain(before);
  await expect(a.engine.holdLease()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  a.store.nodes.beat = beat;
  const after = await a.engine.holdLease();
  expect(after).not.toBe(before);
  expect(await b.engine.aliveNodes()).toContain(after);
});
