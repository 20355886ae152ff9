// Versions of what a tenant has few of and every turn asks for: as long as the number stays, what was read holds.
import { LRUCache } from 'lru-cache';
import type { Clock } from '../kernel/clock.ts';
import { collectionSpec, type Db } from './db.ts';

/** What is held in memory by its version. */
export type VersionedKind = 'rules';

export interface Versions {
  /** Read it before the documents: a write meanwhile leads to another number. */
  of(tenantId: number, kind: VersionedKind): Promise<number>;
  /** Called after each write. */
  bump(tenantId: number, kind: VersionedKind): Promise<void>;
}

interface VersionsDoc {
  _id: number;
  counts: Partial<Record<VersionedKind, number>>;
}

export const versionsSpec = collectionSpec<VersionsDoc>({ name: 'versions', indexes: [] });

/** How long another node's write may stay unseen, in ms. */
const cacheMs = 1000;

/** @param soleOwner - no other process shares the store, so that memory alone knows */
export function createVersions({ db, clock, soleOwner }: { db: Db; clock: Clock; soleOwner: boolean }): Versions {
  return soleOwner ? inMemory() : inStore(db, clock);
}

function inMemory(): Versions {
  // One that was dropped comes back with a number that nobody has seen.
  let last = 0;
  const known = new LRUCache<string, number>({ max: 20_000 });
  const bump = (key: string) => {
    known.set(key, ++last);
    return last;
  };
  return {
    of: async (tenantId, kind) => known.get(`${tenantId}:${kind}`) ?? bump(`${tenantId}:${kind}`),
    bump: async (tenantId, kind) => void bump(`${tenantId}:${kind}`),
  };
}

function inStore(db: Db, clock: Clock): Versions {
  const all = db.collection(versionsSpec);
  const known = new LRUCache<number, VersionsDoc['counts']>({
    max: 10_000,
    ttl: cacheMs,
    perf: { now: () => clock.now() },
  });
  return {
    async of(tenantId, kind) {
      const counts = known.get(tenantId) ?? (await all.findOne({ _id: tenantId }))?.counts ?? {};
      if (!known.has(tenantId)) known.set(tenantId, counts);
      return counts[kind] ?? 0;
    },
    async bump(tenantId, kind) {
      const $inc = { [`counts.${kind}`]: 1 };
      await all.updateOne({ _id: tenantId }, { $inc }, { upsert: true });
      known.delete(tenantId);
    },
  };
}
