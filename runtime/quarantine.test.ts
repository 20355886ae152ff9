import { expect, test } from 'vitest';
import { judge } from './testing/judge.ts';
import { createWorld } from './testing/world.ts';

test('a run that costs its owner the life three times in a row is quarantined, and its reservation written off', async () => {
  const world = createWorld({ script: () => ({ text: 'never', delayMs: 60_000 }) });
  let node = await world.boot();
  const { id } = await node.engine.create(world.draft());
  for (let kill = 0; kill < 3; kill++) {
    await world.clock.advance(2000);
    expect(world.run(id).status).toBe('Running');
    node.store.die();
    node = await world.boot();
  }
  await world.clock.advance(5000);
  expect(world.run(id)).toMatchObject({ status: 'Failed', failureReason: expect.stringContaining('Quarantined') });
  await world.clock.advance(5000);
  judge(world, [id]);
  await node.engine.restart(id);
  await world.until(() => world.run(id).status === 'Completed');
});

test('a node that was silent too long stops itself and touches nothing any more', async () => {
  const world = createWorld({ script: () => ({ text: 'done', delayMs: 30_000 }), options: { soleOwner: false } });
  const first = await world.boot();
  const { id } = await first.engine.create(world.draft());
  await world.clock.advance(1000);
  const beat = first.store.nodes.beat;
  first.store.nodes.beat = () => Promise.reject(new Error('no network'));
  await world.clock.advance(11_000);
  const second = await world.boot();
  await world.clock.advance(3000);
  expect(world.run(id)).toMatchObject({ crashes: 1, owner: second.engine.stats().node });
  first.store.nodes.beat = beat;
  await world.until(() => world.run(id).status === 'Completed');
  expect(world.run(id).result?.summary).toBe('done');
  await world.clock.advance(5000);
  judge(world, [id]);
});

test('a node whose lease ran out takes up nothing until it is renewed, and its runs go on', async () => {
  const world = createWorld({ script: () => ({ text: 'done', delayMs: 30_000 }) });
  const { engine, store } = await world.boot();
  const beat = store.nodes.beat;
  store.nodes.beat = () => Promise.reject(new Error('asleep'));
  await world.clock.advance(9000);
  const { id } = await engine.create(world.draft());
  await world.clock.advance(20_000);
  expect(world.run(id)).toMatchObject({ status: 'Queued', crashes: 1, owner: null });
  store.nodes.beat = beat;
  await world.until(() => world.run(id).status === 'Completed');
  await world.clock.advance(5000);
  judge(world, [id]);
});

test('a shutdown hands running work back, and the next process goes on with it', async () => {
  const world = createWorld({ script: (request) => ({ text: `answer ${request.messages.length}`, delayMs: 20_000 }) });
  const first = await world.boot();
  const { id } = await first.engine.create(world.draft());
  await world.clock.advance(1000);
  const down = first.engine.shutdown(2000);
  await world.clock.advance(5000);
  await down;
  expect(world.run(id)).toMatchObject({ status: 'Queued', owner: null, crashes: 0 });
  first.store.die();
  await world.boot();
  await world.until(() => world.run(id).status === 'Completed');
  await world.clock.advance(5000);
  judge(world, [id]);
});
