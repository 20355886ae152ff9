// Caches of what ranks memories and of their links, for all tenants together. An entry counts while the store's count of
// changes of its document has not moved since before it was read, so that no writer has to tell the caches.
import { LRUCache } from 'lru-cache';
import type { Documents, Link, Looks, Ranked } from '../../memory/ports.ts';
import type { ChangeCount } from '../../ports/db.ts';

/**
 * Bytes of each of the two caches: what ranks 110,000 memories, and the links of 100,000 that have one each. What was
 * read first is evicted first, since keeping the order of use costs as much as the lookups. Entries are the objects that
 * searches work on: numbers in an array take a third of the room, and made searches of small stores half as slow again.
 */
const maxSize = 32 << 20;
const [rankedBytes, listBytes, linkBytes] = [300, 250, 80];

/** What was read, and the count of changes before it was. */
interface KeptRanked extends Ranked {
  count: number;
}
interface KeptLinks {
  links: readonly Link[];
  count: number;
}

export interface Caches {
  ranked: LRUCache<number, KeptRanked>;
  links: LRUCache<string, KeptLinks>;
  /** Identities whose memories were read ahead. */
  expected: Set<string>;
}

export const createCaches = (): Caches => ({
  ranked: new LRUCache({ maxSize, sizeCalculation: () => rankedBytes }),
  links: new LRUCache({ maxSize, sizeCalculation: ({ links }) => listBytes + linkBytes * links.length }),
  expected: new Set(),
});

/** Whether one of them has no room left for a slice of memories without evicting others. */
export const areFull = ({ ranked, links }: Caches, slice: number): boolean =>
  ranked.calculatedSize + slice * rankedBytes > maxSize ||
  links.calculatedSize + slice * (listBytes + linkBytes) > maxSize;

export type ReadRanked = Documents['ranked'];

export function cachedRanked(read: ReadRanked, { ranked: cache }: Caches, count: ChangeCount): ReadRanked {
  const named = createNames();
  const kept = (one: Ranked, before: number): KeptRanked => ({
    _id: one._id,
    tenantId: one.tenantId,
    identityId: one.identityId,
    projectId: one.projectId,
    type: named(one.type),
    provenance: named(one.provenance),
    importance: one.importance,
    isShared: one.isShared,
    archivedAt: one.archivedAt,
    supersededById: one.supersededById,
    accessCount: one.accessCount,
    createdAt: one.createdAt,
    embeddingModel: one.embeddingModel ? named(one.embeddingModel) : null,
    count: before,
  });
  return async (tenantId, ids) => {
    const found: Ranked[] = [];
    const missing = new Map<number, number>();
    for (const id of ids) {
      const [known, now] = [cache.peek(id), count(id)];
      if (known?.count !== now) missing.set(id, now);
      else if (known.tenantId === tenantId) found.push(known);
    }
    if (missing.size === 0) return found;
    for (const one of await read(tenantId, [...missing.keys()])) {
      const entry = kept(one, missing.get(one._id) as number);
      cache.set(one._id, entry);
      found.push(entry);
    }
    return found;
  };
}

/** One copy of each name: a document's text has its own of each. */
function createNames() {
  const known = new Map<string, string>();
  return <Name extends string>(name: Name): Name => {
    if (!known.has(name)) known.set(name, name);
    return known.get(name) as Name;
  };
}

export type ReadLinks = (
  looks: Looks,
  ids: readonly number[],
  most: number,
) => Promise<{ links: Link[]; isAll: boolean }>;

interface LinkCounts {
  from: ChangeCount;
  to: ChangeCount;
}

export function cachedLinks(read: ReadLinks, { links: cache }: Caches, { from, to }: LinkCounts): Documents['links'] {
  return async (looks, ids, most) => {
    const keyOf = (id: number) => `${looks.tenantId} ${looks.identityId} ${id}`;
    const found: Link[] = [];
    const missing = new Map<number, { links: Link[]; count: number }>();
    for (const id of ids) {
      const [known, count] = [cache.peek(keyOf(id)), from(id) + to(id)];
      if (known?.count === count) for (const link of known.links) found.push(link);
      else missing.set(id, { links: [], count });
    }
    if (missing.size === 0) return found;
    const { links, isAll } = await read(looks, [...missing.keys()], most);
    for (const { fromMemoryId, toMemoryId, type, strength } of links) {
      const link = { fromMemoryId, toMemoryId, type, strength };
      found.push(link);
      missing.get(fromMemoryId)?.links.push(link);
      if (toMemoryId !== fromMemoryId) missing.get(toMemoryId)?.links.push(link);
    }
    // What was cut off is not known of which memory.
    if (isAll) for (const [id, entry] of missing) cache.set(keyOf(id), entry);
    return found;
  };
}
