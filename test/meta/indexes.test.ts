// Indexes as every store that speaks MongoDB's protocol takes them.
import { expect, it } from 'vitest';
import { collections } from '../../src/wiring/storage.ts';

it('no collection has two indexes with the same keys: FerretDB refuses the second, whatever its filter', () => {
  const twice = collections.flatMap(({ name, indexes }) => {
    // Of `_id` alone it takes any number.
    const keys = indexes.map((index) => JSON.stringify(index.keys)).filter((key) => key !== '{"_id":1}');
    return keys.filter((key, at) => keys.indexOf(key) < at).map((key) => `${name} ${key}`);
  });
  expect(twice).toEqual([]);
});
