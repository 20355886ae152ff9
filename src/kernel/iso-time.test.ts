import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isoTime } from './iso-time.ts';

const limit = 8.64e15;

test('a time is written as Date writes it', () => {
  const times = fc.integer({ min: -limit, max: limit });
  fc.assert(
    fc.property(times, fc.integer({ min: -90_000_000, max: 90_000_000 }), (at, more) => {
      for (const time of [at, at + more, at].filter((one) => Math.abs(one) <= limit))
        expect(isoTime(time)).toBe(new Date(time).toISOString());
    }),
  );
});

test('what is no time is refused', () => {
  expect(() => isoTime(Number.NaN)).toThrow(RangeError);
});
