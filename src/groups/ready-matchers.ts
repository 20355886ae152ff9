// What waits for the events of a tenant or of one thing, in memory: read once for all events of a moment, and anew after a while.
import type { Clock } from '../kernel/clock.ts';
import { createLru } from '../kernel/lru.ts';

/** What another node has made is seen after so long, in ms. */
const cacheMs = 2000;
const mostOwners = 5000;

export function createReadyMatchers<Ready>(
  clock: Pick<Clock, 'now'>,
  read: (ownerId: number) => Promise<readonly Ready[]>,
) {
  const known = createLru<number, readonly Ready[]>(mostOwners, {
    ...{ ttl: cacheMs, perf: { now: () => clock.now() } },
    fetchMethod: read,
    // A read that a change overtakes answers those who wait for it, and is not kept.
    ignoreFetchAbort: true,
  });
  return {
    /** Matchers of an owner, where they are in memory. */
    known: (ownerId: number): readonly Ready[] | undefined => known.get(ownerId),
    /** Matchers of an owner; concurrent reads share one. */
    read: async (ownerId: number): Promise<readonly Ready[]> => (await known.fetch(ownerId)) ?? [],
    /** Forgets what is known of an owner; call after it has changed. */
    changed: (ownerId: number): void => void known.delete(ownerId),
  };
}
