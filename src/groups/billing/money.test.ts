import fc from 'fast-check';
import { expect, it } from 'vitest';
import { amountOf, divided, halfEven, percentOf, rounded, shareOf, toMicro } from './money.ts';

it.each([
  [5n, 2n, 2n],
  [7n, 2n, 4n],
  [-5n, 2n, -2n],
  [-7n, 2n, -4n],
  [1n, 3n, 0n],
  [2n, 3n, 1n],
])('rounds %s/%s half to even', (numerator, denominator, expected) => {
  expect(halfEven(numerator, denominator)).toBe(expected);
});

it('multiplies the decimals that people write, not the binary fractions nearest to them', () => {
  // In binary 1.005 * 1e6 is 1004999.9999999999.
  expect(toMicro(1.005)).toBe(1_005_000);
  expect(amountOf(3, 0.1)).toBe(300_000);
  expect(amountOf(5, 1e-7)).toBe(0);
  expect(amountOf(15, 1e-7)).toBe(2);
  expect(amountOf(25, 1e-7)).toBe(2);
  expect(amountOf(1_234_567_890, 2.5e-6)).toBe(3_086_419_725);
  expect(rounded(0.1 + 0.2)).toBe(0.3);
});

it('takes shares and percentages exactly', () => {
  expect(shareOf(10, 10, 31)).toBe(3_225_806);
  expect(shareOf(29.99, 31, 31)).toBe(29_990_000);
  expect(percentOf(10_000_001, 19)).toBe(1_900_000);
  expect(percentOf(50, 7)).toBe(4);
});

it('divides without losing a millionth, whatever the shares', () => {
  const share = fc.double({ min: 0, max: 1e9, noNaN: true });
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1e12 }),
      fc.array(share, { minLength: 1, maxLength: 30 }),
      (micro, shares) => {
        const parts = divided(micro / 1e6, shares);
        const sum = parts.reduce((all, one) => all + toMicro(one), 0);
        expect(sum).toBe(shares.some((one) => toMicro(one) > 0) ? micro : 0);
        expect(parts.every((one) => one >= 0)).toBe(true);
      },
    ),
  );
});
