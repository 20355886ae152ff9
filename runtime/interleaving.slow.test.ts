import { test } from 'vitest';
import { checkInterleavings } from './testing/interleavings.ts';

test(
  'no interleaving of children, crashes, stops and budgets overspends, loses, repeats or strands anything',
  {
    timeout: 600_000,
  },
  () => checkInterleavings(Number(process.env.FUZZ_RUNS ?? 10)),
);
