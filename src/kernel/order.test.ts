// Keys of an order: always between their neighbours, and short enough after thousands of moves.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { orderKeyAt, orderKeyBetween } from './order.ts';

it('keeps an order however things are moved', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50), { minLength: 1, maxLength: 60 }), (positions) => {
      const keys: string[] = [];
      for (const position of positions) {
        const key = orderKeyAt(keys, position);
        keys.splice(Math.min(position, keys.length), 0, key);
      }
      expect([...keys].sort()).toEqual(keys);
      expect(new Set(keys).size).toBe(keys.length);
    }),
  );
});

it('stays short when everything is put at the end', () => {
  let last: string | null = null;
  for (let count = 0; count < 10_000; count++) last = orderKeyBetween(last, null);
  expect((last as unknown as string).length).toBeLessThan(8);
});
