import { expect, test } from 'vitest';
import { createWorld } from '../../testing/world.ts';

test('a tree goes with the last of its runs, and not before', async () => {
  const world = createWorld({ script: () => ({ text: 'never', delayMs: 60_000 }) });
  const { engine, store } = await world.boot();
  const { id } = await engine.create({ ...world.draft(), autoStart: false });
  const child = await engine.spawn(id, { goal: 'A child.', autoStart: false });
  await expect(engine.remove(id)).resolves.toBeUndefined();
  expect(await engine.view(child)).toMatchObject({ parentRunId: id });
  expect(await store.trees.get(id)).not.toBeNull();
  await engine.remove(child.id);
  expect(await store.trees.get(id)).toBeNull();
  await expect(engine.tree(id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a removal waits for what the run is still telling people', async () => {
  let arrived = () => {};
  const isArrived = new Promise<void>((done) => (arrived = done));
  let tell = () => {};
  const isTold = new Promise<void>((done) => (tell = done));
  const notifier = {
    escalationRaised: async () => {
      arrived();
      await isTold;
      return { state: 'Sent' as const, detail: null };
    },
  };
  const ask = { calls: [{ name: 'run_escalate', arguments: { situation: 'Which way?' } }] };
  const world = createWorld({ script: () => ask, ports: { notifier } });
  const { engine, store } = await world.boot();
  const { id } = await engine.create(world.draft());
  await world.until(() => world.run(id).status === 'WaitingForDecision');
  await isArrived;
  await engine.cancel(id);
  const order: string[] = [];
  const removed = engine.remove(id, async () => void order.push('removed'));
  // As long as anything else of it takes.
  await store.runs.get(id);
  await world.clock.advance(1);
  order.push('told');
  tell();
  await removed;
  expect(order).toEqual(['told', 'removed']);
  expect(await store.runs.get(id)).toBeNull();
});
