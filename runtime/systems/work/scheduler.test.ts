import { expect, test } from 'vitest';
import { Fault } from '../../../src/kernel/fault.ts';
import type { ModelRequest } from '../../model.ts';
import { hasEnded } from '../../state/run.ts';
import { turns } from '../../testing/tools.ts';
import { createWorld, type World } from '../../testing/world.ts';

const allEnded = (world: World) => [...world.memory.disk.runs.values()].every((run) => hasEnded(run.status));
const many = <T>(count: number, make: (at: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, at) => make(at)));

test('a tenant with many runs leaves room for others', async () => {
  const world = createWorld({
    script: turns({ text: 'done', delayMs: 5000 }),
    options: { slots: 6, slotsPerTenant: 4 },
  });
  const { engine } = await world.boot();
  const crowd = await many(40, () => engine.create(world.draft({ tenantId: 1 })));
  await world.clock.advance(1000);
  const atWork = () => crowd.filter(({ id }) => world.run(id).status === 'Running').length;
  expect(atWork()).toBe(4);
  const guest = await engine.create(world.draft({ tenantId: 2 }));
  await world.clock.advance(100);
  expect(world.run(guest.id).status).toBe('Running');
  expect(atWork()).toBe(4);
  await world.until(() => allEnded(world));
});

test('with all slots taken by one tenant the next free one goes to another', async () => {
  const world = createWorld({ script: turns({ text: 'done', delayMs: 5000 }), options: { slots: 4 } });
  const { engine } = await world.boot();
  await many(40, () => engine.create(world.draft({ tenantId: 1 })));
  await world.clock.advance(1000);
  const guest = await engine.create(world.draft({ tenantId: 2 }));
  await world.clock.advance(10_000);
  expect(world.run(guest.id).status).toBe('Completed');
});

test('a refusal for the rate limit holds back every run on that model, and no other', async () => {
  let refusedAt = 0;
  const late: number[] = [];
  const world: World = createWorld({
    script: (request: ModelRequest, call) => {
      if (request.modelId === 'm:other') return { text: 'done', delayMs: 10 };
      if (call === 0) {
        refusedAt = world.clock.now();
        return { error: new Fault('RATE_LIMITED', 'Slow down.', { retryAfterSeconds: 20 }) };
      }
      late.push(world.clock.now() - refusedAt);
      return { text: 'done', delayMs: 10 };
    },
  });
  const { engine } = await world.boot();
  await engine.create(world.draft({ modelId: 'm:busy' }));
  await world.clock.advance(100);
  const busy = await many(50, () => engine.create(world.draft({ modelId: 'm:busy' })));
  const other = await engine.create(world.draft({ modelId: 'm:other' }));
  await world.clock.advance(15_000);
  expect(late).toEqual([]);
  expect(world.run(other.id).status).toBe('Completed');
  await world.until(() => allEnded(world));
  expect(late).toHaveLength(51);
  expect(Math.min(...late)).toBeGreaterThanOrEqual(20_000);
  expect(busy.every(({ id }) => world.run(id).status === 'Completed' && world.run(id).modelFailures === 0)).toBe(true);
});
