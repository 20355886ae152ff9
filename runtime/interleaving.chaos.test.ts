// The same as its slow neighbour, thousands of times.
import { test } from 'vitest';
import { checkInterleavings } from './testing/interleavings.ts';

test('two thousand random scenarios of trees, crashes and commands', { timeout: 3_600_000 }, () =>
  checkInterleavings(2000),
);
