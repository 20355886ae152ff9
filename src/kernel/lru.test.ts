import { expect, it } from 'vitest';
import { createLru } from './lru.ts';

it('forgets by the clock that it is given, at once', () => {
  let now = 1000;
  const cache = createLru<string, number>(10, { ttl: 500, clock: { steady: () => now } });
  cache.set('a', 1);
  expect(cache.get('a')).toBe(1);
  now += 501;
  expect(cache.get('a')).toBeUndefined();
});

it('keeps what was used last', () => {
  const cache = createLru<string, number>(2);
  cache.set('a', 1).set('b', 2);
  cache.get('a');
  cache.set('c', 3);
  expect([...cache.keys()]).toEqual(['c', 'a']);
});
