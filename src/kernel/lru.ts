// Cache of the values that were used last.
import { LRUCache } from 'lru-cache';
import type { Clock } from './clock.ts';

interface Options<K extends NonNullable<unknown>, V extends NonNullable<unknown>>
  extends Pick<
    LRUCache.OptionsBase<K, V, unknown>,
    'ttl' | 'ttlAutopurge' | 'dispose' | 'updateAgeOnGet' | 'fetchMethod' | 'ignoreFetchAbort'
  > {
  /** Counts the time of entries; the system's steady clock unless given. */
  clock?: Pick<Clock, 'steady'>;
}

/**
 * Makes a cache of at most `most` entries that takes no room before it is filled: with its option `max` the library
 * allocates room for all of them at once, 2.5 ms and 0.2 MB for 10,000. The time is asked for at each look-up: the
 * library would keep it until a timer of the real clock fires, whatever clock it is given.
 */
export function createLru<K extends NonNullable<unknown>, V extends NonNullable<unknown>>(
  most: number,
  { clock, ...options }: Options<K, V> = {},
): LRUCache<K, V> {
  return new LRUCache<K, V>({
    ...options,
    ...(clock && { perf: { now: () => clock.steady() } }),
    ttlResolution: 0,
    maxSize: most,
    sizeCalculation: () => 1,
  } as LRUCache.Options<K, V, unknown>);
}
