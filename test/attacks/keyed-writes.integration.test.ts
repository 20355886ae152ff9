// Requests with an Idempotency-Key on a server that is killed at random moments: each is carried out once.
import { expect, it, onTestFinished } from 'vitest';
import { createChildServer } from '../support/child-server.ts';
import { surviveKills } from '../support/keyed-writes.ts';
import { randomOf, seed } from '../support/seed.ts';

it(`are carried out once through kills (seed ${seed})`, async () => {
  const server = await createChildServer();
  onTestFinished(() => server.close());
  await server.start();
  await surviveKills({ server, keys: 200, atOnce: 16, kills: 2, random: randomOf(seed) });
  expect(server.output).not.toMatch(/"level":50/);
});
