// Exact money: amounts are whole micro-dollars, and each is rounded once, half to even.

/** A number as it is written: `digits` by ten to the power of `scale`. */
interface Decimal {
  digits: bigint;
  scale: number;
}

const micro = 1_000_000n;

/** The decimal that a number is shown as, which is what its writer meant: 0.1 is a tenth. */
function decimalOf(value: number): Decimal {
  const [mantissa = '0', exponent = '0'] = String(value).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

/** A quotient as an integer; of two that are equally near the even one. The denominator is above 0. */
export function halfEven(numerator: bigint, denominator: bigint): bigint {
  const isNegative = numerator < 0n;
  const size = isNegative ? -numerator : numerator;
  const floor = size / denominator;
  const twice = (size % denominator) * 2n;
  const isUp = twice > denominator || (twice === denominator && floor % 2n === 1n);
  const rounded = isUp ? floor + 1n : floor;
  return isNegative ? -rounded : rounded;
}

/** What a quantity costs at a price in US dollars, in micro-dollars. */
export function amountOf(quantity: number, priceUsd: number): number {
  const [a, b] = [decimalOf(quantity), decimalOf(priceUsd)];
  return Number(halfEven(a.digits * b.digits * micro, 10n ** BigInt(a.scale + b.scale)));
}

/** A price for a part of what it is for, in micro-dollars: `part` of `whole`, both whole numbers. */
export function shareOf(priceUsd: number, part: number, whole: number): number {
  const { digits, scale } = decimalOf(priceUsd);
  return Number(halfEven(digits * micro * BigInt(part), 10n ** BigInt(scale) * BigInt(whole)));
}

/** A percentage of micro-dollars. */
export function percentOf(amountMicro: number, percent: number): number {
  const { digits, scale } = decimalOf(percent);
  return Number(halfEven(BigInt(amountMicro) * digits, 100n * 10n ** BigInt(scale)));
}

export const toMicro = (usd: number): number => amountOf(usd, 1);
export const toUsd = (amountMicro: number): number => amountMicro / 1_000_000;

/** Six decimals: quantities that are no whole numbers (minutes, dollars) are exact from there on. */
export const rounded = (quantity: number): number => toUsd(toMicro(quantity));

/**
 * Divides a quantity among shares in their proportion, in millionths, by largest remainders: the parts add up to it
 * exactly, and the same shares are given the same parts. Shares that are all 0 are given nothing.
 */
export function divided(quantity: number, shares: readonly number[]): number[] {
  const whole = BigInt(toMicro(quantity));
  const sizes = shares.map((share) => BigInt(toMicro(share)));
  const sum = sizes.reduce((all, one) => all + one, 0n);
  if (sum === 0n) return shares.map(() => 0);
  const parts = sizes.map((size) => (whole * size) / sum);
  const remainders = sizes.map((size, at) => ({ at, rest: (whole * size) % sum }));
  remainders.sort((a, b) => (a.rest === b.rest ? a.at - b.at : a.rest < b.rest ? 1 : -1));
  const left = Number(whole - parts.reduce((all, one) => all + one, 0n));
  for (const { at } of remainders.slice(0, left)) parts[at] = (parts[at] ?? 0n) + 1n;
  return parts.map((part) => toUsd(Number(part)));
}
