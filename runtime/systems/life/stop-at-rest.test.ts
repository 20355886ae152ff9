// A stop that is asked for at the moment at which a run comes to rest is obeyed: nobody at work would do so later.
import { expect, test } from 'vitest';
import type { Ports } from '../../ports.ts';
import { testTool, turns } from '../../testing/tools.ts';
import { createWorld, type WorldOptions } from '../../testing/world.ts';

function gate() {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open: () => open() };
}

/** Starts a run, and asks it to stop in such a way that its next write waits behind the request. */
async function stoppedAtRest(options: WorldOptions, kind: 'cancel' | 'pause', letRest: () => void) {
  const world = createWorld(options);
  const store = gate();
  let id = 0;
  // The tree says that the run is to stop; the request itself is on its way to the store.
  const isAsked = () => Boolean(world.memory.disk.trees.get(id)?.members.get(id)?.stop);
  const { engine } = await world.boot(undefined, () => (isAsked() ? store.passed : undefined));
  ({ id } = await engine.create(world.draft()));
  await world.clock.advance(1000);
  const asked = engine[kind](id, { reason: 'Enough.' });
  await world.clock.advance(100);
  letRest();
  await world.clock.advance(100);
  store.open();
  await asked;
  await world.clock.advance(10_000);
  return world.run(id);
}

test.each([
  ['cancel', 'Cancelled'],
  ['pause', 'Paused'],
] as const)('a run that is to wait for a decision when it is asked to %s is %s', async (kind, status) => {
  const work = gate();
  const run = await stoppedAtRest(
    {
      script: turns(
        {
          calls: [
            { name: 'deploy', arguments: {} },
            { name: 'look', arguments: {} },
          ],
        },
        { text: 'end' },
      ),
      tools: [
        testTool('deploy', async () => 'deployed', { requiresApproval: true, risk: 'Dangerous' }),
        testTool('look', () => work.passed.then(() => 'seen'), { local: true }),
      ],
    },
    kind,
    work.open,
  );
  expect(run).toMatchObject({ status, control: null, owner: null });
});

test('a briefing that is never done keeps no run from being cancelled', async () => {
  const briefings: Ports['briefings'] = { prepare: () => new Promise(() => {}) };
  const world = createWorld({ ports: { briefings } });
  const { engine } = await world.boot();
  const { id } = await engine.create(world.draft());
  await world.clock.advance(1000);
  await engine.cancel(id);
  await world.clock.advance(100);
  expect(world.run(id).status).toBe('Cancelled');
});
