// Indexes as every store that speaks MongoDB's protocol takes them.
import { expect, it } from 'vitest';
import type { IndexSpec } from '../../src/ports/db.ts';
import { withTieBreak } from '../../src/stores/mongo/db.ts';
import { collections } from '../../src/wiring/storage.ts';

/** The keys that the adapter asks for; none for `_id` alone, which every collection has an index of. */
function keysOf({ keys, ...options }: IndexSpec<never>): string[] {
  const pairs = Object.entries<1 | -1>(keys);
  const isId = pairs.length === 1 && pairs[0]?.[0] === '_id';
  return isId ? [] : [JSON.stringify(withTieBreak(pairs, options))];
}

it('no collection has two indexes with the same keys: FerretDB refuses the second, whatever its filter', () => {
  const twice = collections.flatMap(({ name, indexes }) => {
    const keys = indexes.flatMap((index) => keysOf(index as IndexSpec<never>));
    return keys.filter((key, at) => keys.indexOf(key) < at).map((key) => `${name} ${key}`);
  });
  expect(twice).toEqual([]);
});
