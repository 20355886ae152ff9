// What waits for the events of a tenant, in memory: read once for all events of a moment, and anew after a while.
import { LRUCache } from 'lru-cache';
import type { Clock } from '../kernel/clock.ts';

/** What another node has made is seen after so long, in ms. */
const cacheMs = 2000;
const mostTenants = 5000;

export function createReadyMatchers<Ready>(
  clock: Pick<Clock, 'now'>,
  read: (tenantId: number) => Promise<readonly Ready[]>,
) {
  const known = new LRUCache<number, readonly Ready[]>({
    ...{ max: mostTenants, ttl: cacheMs, perf: { now: () => clock.now() } },
    fetchMethod: read,
    // A read that a change overtakes answers those who wait for it, and is not kept.
    ignoreFetchAbort: true,
  });
  return {
    /** Those of a tenant, where they are in memory. */
    known: (tenantId: number): readonly Ready[] | undefined => known.get(tenantId),
    /** Those of a tenant; who asks while they are read gets the same. */
    read: async (tenantId: number): Promise<readonly Ready[]> => (await known.fetch(tenantId)) ?? [],
    /** Forgets what is known of a tenant; call after it has changed. */
    changed: (tenantId: number): void => void known.delete(tenantId),
  };
}
