// The same as its slow neighbour, as often as five minutes allow: two thousand times on an idle machine.
import { expect, test } from 'vitest';
import { checkInterleavings } from './testing/interleavings.ts';

test('random scenarios of trees, crashes and commands', async () => {
  const played = await checkInterleavings(2000, 300_000);
  console.log(`${played} scenarios played`);
  expect(played).toBeGreaterThan(0);
});
