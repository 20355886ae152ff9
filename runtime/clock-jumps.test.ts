// Somebody sets the machine's clock: limits count the time that passed, deadlines mean the wall clock.
import { expect, test } from 'vitest';
import { testTool, turns } from './testing/tools.ts';
import { createWorld } from './testing/world.ts';

const hour = 3_600_000;

test.each([hour, -hour, 365 * 24 * hour])(
  'a jump of the wall clock by %i ms times out nothing and takes no lease',
  async (ms) => {
    const world = createWorld({
      shared: true,
      script: turns(
        { calls: [{ name: 'wait', arguments: {} }] },
        { calls: [{ name: 'run_escalate', arguments: { situation: 'Which?' } }] },
        { text: 'Done.', delayMs: 20_000 },
      ),
      tools: [testTool('wait', () => world.clock.sleep(20_000).then(() => 'waited'), { timeoutMs: 60_000 })],
    });
    const one = await world.boot();
    const other = await world.boot();
    const limits = { maxWallClockMs: 600_000 };
    const ids = [
      (await one.engine.create(world.draft(limits))).id,
      (await other.engine.create(world.draft(limits))).id,
    ];
    await world.clock.advance(5000);
    world.clock.jump(ms);
    await world.until(() => ids.every((id) => world.run(id).status === 'WaitingForDecision'), 60_000);
    world.clock.jump(ms);
    await world.clock.advance(30_000);
    const third = await world.boot();
    await world.clock.advance(30_000);
    expect(ids.map((id) => world.run(id))).toMatchObject(ids.map(() => ({ status: 'WaitingForDecision', crashes: 0 })));
    for (const asked of world.memory.disk.escalations.values())
      await third.engine.resolveEscalation(asked.id, { decision: 'this one', by: 'Ann' });
    await world.clock.advance(5000);
    world.clock.jump(-3 * ms);
    await world.until(() => ids.every((id) => world.run(id).status === 'Completed'), 60_000);
    for (const id of ids) {
      expect(world.run(id)).toMatchObject({ fence: 2, crashes: 0 });
      expect(world.run(id).activeMs).toBeGreaterThan(60_000);
      expect(world.run(id).activeMs).toBeLessThan(200_000);
    }
  },
);

test('a limit ends a run when so much time has passed, whatever the wall clock says', async () => {
  const world = createWorld({ script: () => ({ text: 'Done.', delayMs: 10 * 60_000 }) });
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft({ maxWallClockMs: 60_000 }));
  await world.clock.advance(30_000);
  world.clock.jump(-hour);
  await world.clock.advance(29_000);
  expect(world.run(id).status).toBe('Running');
  await world.clock.advance(2000);
  expect(world.run(id)).toMatchObject({ status: 'TimedOut', activeMs: 60_000 });
});

test('the deadline of a tree is a time of the wall clock', async () => {
  const world = createWorld({ script: () => ({ text: 'Done.', delayMs: 10 * 60_000 }) });
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft({ treeDeadlineAt: world.clock.now() + 60_000 }));
  await world.clock.advance(30_000);
  world.clock.jump(-hour);
  await world.clock.advance(60_000);
  expect(world.run(id).status).toBe('Running');
  world.clock.jump(hour);
  await world.clock.advance(1000);
  await engine.pause(id);
  await world.until(() => world.run(id).status === 'TimedOut', 20_000);
});
