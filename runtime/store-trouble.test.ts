// A store that refuses a write, or all of them for a while, keeps no run from ending and no cancel from working.
import { expect, test } from 'vitest';
import { Fault } from '../src/kernel/fault.ts';
import { createWorld, type Node, type World } from './testing/world.ts';

/** Has the store refuse changes of runs while `refuses` says so, as of the change that it would make. */
function refuseChanges({ store }: Node, world: World, refuses: (tokensUsed: number) => boolean): void {
  const { update } = store.runs;
  store.runs.update = (id, decide) =>
    update(id, (now) => {
      const change = decide(now);
      if (refuses(change?.set?.tokensUsed ?? world.run(id).tokensUsed)) throw new Fault('INTERNAL_ERROR', 'Refused.');
      return change;
    });
}

test('an answer that cannot be stored does not leave its run at work for ever', async () => {
  const world = createWorld({ script: () => ({ text: 'Done.', promptTokens: 9_999_999 }) });
  const node = await world.boot();
  refuseChanges(node, world, (tokens) => tokens > 1_000_000);
  const { id } = await node.engine.create(world.draft());
  await world.until(() => world.run(id).status === 'Failed', 60_000);
  expect(world.run(id)).toMatchObject({ owner: null, failureReason: expect.stringContaining('Quarantined') });
});

test('a cancel reaches a run whose answers cannot be stored', async () => {
  const world = createWorld({
    script: () => ({ text: 'Done.', promptTokens: 9_999_999, delayMs: 2000 }),
    options: { maxCrashes: 1000 },
  });
  const node = await world.boot();
  refuseChanges(node, world, (tokens) => tokens > 1_000_000);
  const { id } = await node.engine.create(world.draft());
  await world.clock.advance(10_000);
  await node.engine.cancel(id);
  await world.until(() => world.run(id).status === 'Cancelled', 10_000);
});

test('a store that was out of reach: runs go on by themselves within seconds of its return', async () => {
  let isAway = false;
  const world = createWorld({ script: () => ({ text: 'Done.', delayMs: 1000 }) });
  const node = await world.boot();
  refuseChanges(node, world, () => isAway);
  const { id } = await node.engine.create(world.draft());
  await world.clock.advance(500);
  isAway = true;
  await world.clock.advance(8000);
  isAway = false;
  await world.until(() => world.run(id).status === 'Completed', 5000);
});
