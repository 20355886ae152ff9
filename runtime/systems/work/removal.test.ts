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
