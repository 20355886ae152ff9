// Values that several readers share, so that none of them may change them.

/** The same value, which nobody can change any more, down to its last part. */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}
