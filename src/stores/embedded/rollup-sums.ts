// Sums in whole numbers: subtracting leaves no rounding error, as it would with fractions.

/** Denominator of fractions. */
export const partsOfOne = 1e12;

const isNumber = (column: string) => `typeof(${column}) IN ('integer', 'real') AND ${column} > -1e300`;

/** SQL for the whole part of a number; 0 for all else. */
export const whole = (column: string) => `CASE WHEN ${isNumber(column)} THEN CAST(${column} AS INTEGER) ELSE 0 END`;
/** SQL for the rest of a number; 0 for all else. */
export const fraction = (column: string) =>
  `CASE WHEN ${isNumber(column)} THEN CAST(round((${column} - CAST(${column} AS INTEGER)) * ${partsOfOne}) AS INTEGER) ELSE 0 END`;

/** SQL for the sum of numbers that are kept in two parts. */
export const total = (wholes: string, fractions: string) => `sum(${wholes}) + sum(${fractions}) / ${partsOfOne}.0`;

/** Start of a time's bucket in ms since 1970; null for what is no time. */
export function bucketOf(value: unknown, ms: number): number | null {
  const at = value instanceof Date ? value.getTime() : value;
  return typeof at === 'number' ? Math.floor(at / ms) * ms : null;
}
