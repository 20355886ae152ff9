import { describe, expect, it } from 'vitest';
import { studentInterval, wilson } from './statistics.ts';

describe('intervals of 95 %', () => {
  // By Newcombe (1998), table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('of a rate: %i of %i', (passed, count, low, high) => {
    const found = wilson(passed, count);
    expect(found.low).toBeCloseTo(low, 4);
    expect(found.high).toBeCloseTo(high, 4);
  });

  it('of a mean: t of n − 1', () => {
    const found = studentInterval([0.4, 0.5, 0.6]);
    // 0.5 ± 4.303 × 0.1 / √3
    expect(found?.low).toBeCloseTo(0.2516, 4);
    expect(found?.high).toBeCloseTo(0.7484, 4);
    const many = studentInterval(Array.from({ length: 61 }, (_, at) => (at % 2 === 0 ? 0.4 : 0.6)));
    // t of 60 degrees is 2.000.
    expect(((many?.high ?? 0) - (many?.low ?? 0)) / 2).toBeCloseTo(
      2.0003 * 0.1 * Math.sqrt((61 * 0.9997) / 60 / 61),
      4,
    );
  });

  it('is none for one score, and stays between 0 and 1', () => {
    expect(studentInterval([1])).toBeNull();
    expect(studentInterval([0, 1])).toEqual({ low: 0, high: 1 });
  });
});
