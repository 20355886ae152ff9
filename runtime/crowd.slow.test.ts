import { expect, test } from 'vitest';
import { hasEnded } from './state/run.ts';
import { turns } from './testing/tools.ts';
import { createWorld } from './testing/world.ts';

test('a thousand runs are at work at once in one process', async () => {
  const world = createWorld({ script: turns({ text: 'done', delayMs: 5000 }) });
  const { engine } = await world.boot();
  await Promise.all(Array.from({ length: 1000 }, (_, at) => engine.create(world.draft({ tenantId: at % 7 }))));
  await world.clock.advance(1000);
  expect(engine.stats().running).toBe(1000);
  expect(world.model.spent).toMatchObject({ calls: 1000, tokens: 0 });
  await world.clock.advance(10_000);
  expect([...world.memory.disk.runs.values()].every((run) => hasEnded(run.status))).toBe(true);
  expect(engine.stats().running).toBe(0);
});
