// Means of scores with 95 % confidence intervals.

/** Standard score of a two-sided 95 % interval. */
const z = 1.959964;

/** Two-sided 95 % quantiles of Student's t for 1 to 30 degrees of freedom. */
const student = [
  ...[12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228],
  ...[2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11, 2.101, 2.093, 2.086],
  ...[2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042],
];

export interface Interval {
  low: number;
  high: number;
}

/** Wilson's score interval of a rate (Wilson, 1927): sound for few cases and near 0 and 1. */
export function wilson(passed: number, count: number): Interval {
  const rate = passed / count;
  const zz = z * z;
  const middle = (rate + zz / (2 * count)) / (1 + zz / count);
  const half = (z / (1 + zz / count)) * Math.sqrt((rate * (1 - rate)) / count + zz / (4 * count * count));
  // Exactly there, whatever rounding makes of it.
  return { low: passed === 0 ? 0 : middle - half, high: passed === count ? 1 : middle + half };
}

/** Student's interval of a mean, cut to the range of scores; null for fewer than two. */
export function studentInterval(values: readonly number[]): Interval | null {
  const count = values.length;
  if (count < 2) return null;
  const mean = meanOf(values) ?? 0;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (count - 1);
  // Beyond the table the quantile nears the normal one by Fisher's first term.
  const freedom = count - 1;
  const t = student[freedom - 1] ?? z + (z ** 3 + z) / (4 * freedom);
  const half = t * Math.sqrt(variance / count);
  return { low: Math.max(0, mean - half), high: Math.min(1, mean + half) };
}

export const meanOf = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
