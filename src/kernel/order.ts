// Keys of an order that people arrange by hand: a new key fits between any two, so that a move writes one document.
import { generateKeyBetween } from 'fractional-indexing';

/**
 * A key after `before` and before `after`; null for the beginning and the end. Two writers who ask for the same place get
 * the same key: a unique index tells the second one, which looks again.
 *
 * @example orderKeyBetween(null, null) // 'a0'
 */
export const orderKeyBetween = (before: string | null, after: string | null): string =>
  generateKeyBetween(before, after);

/** The key that puts something at a position among the keys of others, which are in order; the end where there is no such position. */
export function orderKeyAt(keys: readonly string[], position: number): string {
  const at = Math.max(0, Math.min(position, keys.length));
  return orderKeyBetween(keys[at - 1] ?? null, keys[at] ?? null);
}
