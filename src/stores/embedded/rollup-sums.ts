// Sums in whole numbers: what is taken out of one leaves nothing behind, as it would with fractions.

/** Parts of 1 that fractions are counted in. */
export const partsOfOne = 1e12;

const isNumber = (column: string) => `typeof(${column}) IN ('integer', 'real') AND ${column} > -1e300`;

/** SQL for the whole part of a number; 0 for all else. */
export const whole = (column: string) => `CASE WHEN ${isNumber(column)} THEN CAST(${column} AS INTEGER) ELSE 0 END`;
/** SQL for the rest of a number; 0 for all else. */
export const fraction = (column: string) =>
  `CASE WHEN ${isNumber(column)} THEN CAST(round((${column} - CAST(${column} AS INTEGER)) * ${partsOfOne}) AS INTEGER) ELSE 0 END`;

/** SQL for the sum of numbers that are kept in two parts. */
export const total = (wholes: string, fractions: string) => `sum(${wholes}) + sum(${fractions}) / ${partsOfOne}.0`;

/** The start of the bucket, ms since 1970, that a time lies in; null where there is none. */
export function bucketOf(value: unknown, ms: number): number | null {
  const at = value instanceof Date ? value.getTime() : value;
  return typeof at === 'number' ? Math.floor(at / ms) * ms : null;
}
