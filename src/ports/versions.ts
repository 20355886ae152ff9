// Versions of what a tenant has few of and every turn asks for: as long as the number stays, what was read holds.
import type { Clock } from '../kernel/clock.ts';
import { createLru } from '../kernel/lru.ts';
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
  /** Has a listener hear of each write in this process, and of those of other nodes as soon as they tell of them. */
  onBump(kind: VersionedKind, listener: (tenantId: number) => void): void;
}

/** A write, as nodes tell each other of it. */
export interface Bump {
  tenantId: number;
  kind: VersionedKind;
}

/** Between nodes; what is lost is seen with the next read. */
export interface BumpSignals {
  send(bump: Bump): void;
  listen(handler: (bump: Bump) => void): unknown;
}

interface VersionsDoc {
  _id: number;
  counts: Partial<Record<VersionedKind, number>>;
}

export const versionsSpec = collectionSpec<VersionsDoc>({ name: 'versions', indexes: [] });

/** How long another node's write may stay unseen, in ms. */
const cacheMs = 1000;

/** A store that counts changes knows them by itself; where others write to it, too, the count is a document. */
export function createVersions({ db, clock }: { db: Db; clock: Clock }) {
  const counts = db.changes ? counted(db.changes) : inStore(db, clock);
  const listeners = new Map<VersionedKind, ((tenantId: number) => void)[]>();
  let signals: BumpSignals | null = null;
  const tell = ({ tenantId, kind }: Bump) => {
    for (const listener of listeners.get(kind) ?? []) listener(tenantId);
  };
  const versions: Versions = {
    of: counts.of,
    bump: async (tenantId, kind) => {
      await counts.bump(tenantId, kind);
      tell({ tenantId, kind });
      signals?.send({ tenantId, kind });
    },
    onBump: (kind, listener) => void listeners.set(kind, [...(listeners.get(kind) ?? []), listener]),
  };
  return {
    ...versions,
    /** Joins other nodes, once they can be reached. */
    join(others: BumpSignals): void {
      signals = others;
      others.listen((bump) => {
        counts.forget(bump.tenantId);
        tell(bump);
      });
    },
  };
}

interface Counts extends Pick<Versions, 'of' | 'bump'> {
  /** Has the number read anew. */
  forget(tenantId: number): void;
}

const counted = (changes: NonNullable<Db['changes']>): Counts => ({
  of: async (tenantId, kind) => changes(collectionSpec<OfTenant>({ name: kind }), 'tenantId')(tenantId),
  bump: async () => {},
  forget: () => {},
});

function inStore(db: Db, clock: Clock): Counts {
  const all = db.collection(versionsSpec);
  const known = createLru<number, VersionsDoc['counts']>(10_000, {
    ttl: cacheMs,
    clock,
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
    forget: (tenantId) => void known.delete(tenantId),
  };
}
