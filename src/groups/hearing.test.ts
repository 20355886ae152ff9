// Events stay until all who wait for them have them: through failures, a closing server, and the death of a node.
import { expect, it } from 'vitest';
import { openTestDb } from '../../test/support/embedded-db.ts';
import { silentLogger } from '../kernel/logger.ts';
import { SimulatedClock } from '../kernel/simulated-clock.ts';
import type { Publication } from '../ports/stream.ts';
import { createHearing, type Ear, type Heard, heardSpec } from './hearing.ts';

async function openWorld() {
  const clock = new SimulatedClock();
  const db = openTestDb(undefined, clock);
  await db.ensureIndexes([heardSpec]);
  const taken: Heard[] = [];
  const world = { take: async (event: Heard): Promise<void> => void taken.push(event), wants: true as boolean | null };
  const ear: Ear = {
    takes: () => world.wants,
    ready: async () => {
      world.wants = true;
    },
    take: (event) => world.take(event),
  };
  const node = (alone = false) => {
    const hearing = createHearing({ db, clock, log: silentLogger, alone });
    hearing.listen(ear);
    return hearing;
  };
  const left = () => db.collection(heardSpec).countDocuments({});
  return { clock, taken, world, node, left };
}

const event = (more: object = {}) =>
  ({ tenantId: 1, topics: ['tasks'], type: 'task.created', data: { id: 3 }, ...more }) as unknown as Publication;

it('keeps an event before it is told, and no longer than until it is taken', async () => {
  const { world, node, left, taken } = await openWorld();
  let done = () => {};
  world.take = () => new Promise((resolve) => (done = resolve));
  const heard = node().hear(event());
  await heard?.kept;
  expect(await left()).toBe(1);
  done();
  await heard?.taken;
  expect([await left(), taken.length]).toEqual([0, 0]);
});

it('reads what is not in memory first, and keeps nothing that nobody waits for', async () => {
  const { world, node, left, taken } = await openWorld();
  world.wants = false;
  expect(node().hear(event())).toBeNull();
  world.wants = null;
  await node().hear(event())?.taken;
  expect([await left(), taken.length]).toEqual([0, 1]);
});

it('tries again what could not be taken, later each time, and gives it up after a day', async () => {
  const { world, node, left, clock } = await openWorld();
  const hearing = node();
  let tries = 0;
  world.take = async () => {
    tries++;
    throw new Error('down');
  };
  await hearing.hear(event())?.taken;
  await hearing.look();
  expect(tries).toBe(1);
  clock.jump(16_000);
  await hearing.look();
  await hearing.look();
  expect(tries).toBe(2);
  clock.jump(16_000);
  await hearing.look();
  expect(tries).toBe(2);
  clock.jump(90_000_000);
  await hearing.look();
  expect([tries, await left()]).toEqual([2, 0]);
});

it('leaves to the next start what comes while it closes', async () => {
  const { node, left, taken } = await openWorld();
  const old = node(true);
  await old.close();
  await old.hear(event({ key: 'one' }))?.taken;
  expect([await left(), taken.length]).toEqual([1, 0]);
  await node(true).takeUp();
  expect(taken).toMatchObject([{ key: 'one', isAgain: true, data: { id: 3 }, topics: ['tasks'] }]);
  expect(await left()).toBe(0);
});

it('is taken by one other node when who heard it has died, and not before', async () => {
  const { world, node, clock, taken } = await openWorld();
  const take = world.take;
  world.take = () => new Promise(() => {});
  await node().hear(event())?.kept;
  world.take = take;
  const others = [node(), node()];
  for (const other of others) await other.takeUp();
  expect(taken).toEqual([]);
  clock.jump(16_000);
  await Promise.all(others.map((other) => other.look()));
  expect(taken).toHaveLength(1);
});
