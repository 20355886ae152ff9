import { expect, it } from 'vitest';
import { heapAdvice, heapFlags } from './memory-limit.ts';

const megabytes = (count: number) => count * 2 ** 20;

it.each([
  [null, '--max-semi-space-size=64'],
  [megabytes(4096), '--max-semi-space-size=64'],
  [megabytes(1024), '--max-semi-space-size=64'],
  [megabytes(768), '--max-old-space-size=384 --max-semi-space-size=16'],
  [megabytes(512), '--max-old-space-size=256 --max-semi-space-size=16'],
  [megabytes(384), '--max-old-space-size=192 --max-semi-space-size=8'],
])('leaves room beside the heap in %d bytes', (bytes, flags) => {
  expect(heapFlags(bytes).join(' ')).toBe(flags);
});

// Limits of the heap as Node 20 has them with --max-semi-space-size=64, and without, in a container of so much.
it.each([
  [256, 448, true],
  [384, 448, true],
  [512, 448, true],
  [1024, 704, false],
  [256, 259, true],
  [384, 259, false],
])('of %d MiB tells whether a heap of %d MiB is too large', (memory, heap, isTooLarge) => {
  const advice = heapAdvice(megabytes(memory), megabytes(heap));
  if (isTooLarge) expect(advice).toContain(`node ${heapFlags(megabytes(memory)).join(' ')}`);
  else expect(advice).toBeNull();
});

it('says nothing where there is no limit', () => {
  expect(heapAdvice(null, megabytes(4096))).toBeNull();
});
