// Versions of what a tenant has few of and every turn asks for: as long as the number stays, what was read holds.
import { LRUCache } from 'lru-cache';
import type { Clock } from '../kernel/clock.ts';
import { collectionSpec, type Db, type Entity } from './db.ts';

/** What is held in memory by its version: names of collections. */
export type VersionedKind =
  | 'standing_rules'
  | 'connectors'
  | 'connector_endpoints'
  | 'connector_field_mappings'
  | 'connector_mcp_tools';

interface OfTenant extends Entity {
  tenantId: number;
}

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

/** A store that counts changes knows them by itself; where others write to it, too, the count is a document. */
export const createVersions = ({ db, clock }: { db: Db; clock: Clock }): Versions =>
  db.changes ? counted(db.changes) : inStore(db, clock);

const counted = (changes: NonNullable<Db['changes']>): Versions => ({
  of: async (tenantId, kind) => changes(collectionSpec<OfTenant>({ name: kind }), 'tenantId')(tenantId),
  bump: async () => {},
});

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
