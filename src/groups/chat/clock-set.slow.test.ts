// A reply that is made while the machine's clock is set.
import { expect, it, onTestFinished } from 'vitest';
import { createChatWorld } from './testing/world.ts';

it.each([-86_400_000, 86_400_000])('a reply took the time that passed, the clock set by %d ms', async (jump) => {
  const world = await createChatWorld();
  onTestFinished(() => world.close());
  const { id } = await world.create();
  await world.start(id, 'How are you?');
  const call = await world.model.nth(0);
  world.clock.jump(jump);
  call.text('Fine');
  call.finish();
  await world.settled();
  expect((await world.session(id)).messages[1]).toMatchObject({ content: 'Fine', responseTimeMs: 0 });
});
