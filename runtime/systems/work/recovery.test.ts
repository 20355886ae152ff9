// What runs of a dead process wait for before they go on.
import { expect, it } from 'vitest';
import { createWorld } from '../../testing/world.ts';

/** Milliseconds until the next process has taken over this many runs, on a store that needs 5 ms for each call. */
async function takeOverMs(count: number): Promise<number> {
  const world = createWorld({ script: () => ({ text: 'late', delayMs: 3_600_000 }) });
  let died = false;
  const first = await world.boot(undefined, () => (died ? new Promise<void>(() => {}) : undefined));
  const ids = await Promise.all(
    Array.from({ length: count }, async () => (await first.engine.create(world.draft())).id),
  );
  await world.until(() => ids.every((id) => world.run(id).status === 'Running'));
  died = true;
  const { owner } = world.run(ids[0] ?? 0);
  const began = world.clock.now();
  await world.boot(undefined, () => world.clock.sleep(5));
  await world.until(() => ids.every((id) => world.run(id).owner !== owner), 600_000, 5);
  return world.clock.now() - began;
}

it('takes over many runs in about the time of one', async () => {
  expect(await takeOverMs(40)).toBeLessThan(2 * (await takeOverMs(1)));
});
