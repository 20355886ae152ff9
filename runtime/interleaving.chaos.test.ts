// The same as its slow neighbour, as often as a minute allows; RIVULET_INTERLEAVING_MINUTES gives it more.
import { expect, test } from 'vitest';
import { checkInterleavings } from './testing/interleavings.ts';

const minutes = Number(process.env.RIVULET_INTERLEAVING_MINUTES ?? 1);

test('random scenarios of trees, crashes and commands', { timeout: (minutes + 5) * 60_000 }, async () => {
  const played = await checkInterleavings(400 * minutes, minutes * 60_000);
  console.log(`${played} scenarios played`);
  expect(played).toBeGreaterThan(0);
});
