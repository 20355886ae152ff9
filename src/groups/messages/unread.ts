// How many unread messages an identity has: every answer of the server says it, so it is counted once and remembered.
import type { Clock } from '../../kernel/clock.ts';
import { createLru } from '../../kernel/lru.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import type { EntryDoc } from './documents.ts';

/** Milliseconds a count may be reused; bounds how long another node's change stays unseen. */
const cacheMs = 1000;

export interface UnreadCounts {
  /** At once when it is known, else counted. Exact within this process, at most a second old across processes. */
  of(tenantId: number, identityId: number): number | Promise<number>;
  /** Call after every write that may change the count. */
  changed(identityId: number): void;
}

export function createUnreadCounts({ entries, clock }: { entries: PerTenant<EntryDoc>; clock: Clock }): UnreadCounts {
  const known = createLru<number, number | Promise<number>>(20_000, {
    ttl: cacheMs,
    clock,
  });
  return {
    of(tenantId, identityId) {
      const cached = known.get(identityId);
      if (cached !== undefined) return cached;
      const counting = entries(tenantId).countDocuments({ identityId, unread: true });
      known.set(identityId, counting);
      counting.then(
        // A count that was overtaken by a change is no longer the one that is kept.
        (count) => known.peek(identityId) === counting && known.set(identityId, count),
        () => known.peek(identityId) === counting && known.delete(identityId),
      );
      return counting;
    },
    changed: (identityId) => void known.delete(identityId),
  };
}
