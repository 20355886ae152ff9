// What searches read of memories and links. What ranks a memory, and the links of one, come from caches where the store
// counts its changes: a search weighs hundreds of memories, and shows ten.
import type { Documents, Indexes, Ranked } from '../../memory/ports.ts';
import type { Db, Filter } from '../../ports/db.ts';
import type { Keeper } from '../../ports/keeper.ts';
import { type Caches, cachedLinks, cachedRanked, createCaches, type ReadLinks } from './cached.ts';
import { createReadAhead } from './read-ahead.ts';
import { type LinkDoc, linkRecord, type MemoryDoc, memoryRecord } from './record.ts';

interface Deps {
  memories: Keeper<MemoryDoc>;
  links: Keeper<LinkDoc>;
  /** All who search by the same indexes share the caches. */
  indexes: Indexes;
  changes?: Db['changes'];
}

/** Documents that the store reads as one text, which takes half of the time. */
const readAtOnce = 1000;

const ranking = {
  tenantId: 1,
  identityId: 1,
  projectId: 1,
  type: 1,
  provenance: 1,
  importance: 1,
  isShared: 1,
  archivedAt: 1,
  supersededById: 1,
  accessCount: 1,
  createdAt: 1,
  embeddingModel: 1,
} as const satisfies { [Field in Exclude<keyof Ranked, '_id'>]-?: 1 };

const caches = new WeakMap<Indexes, Caches>();

function cachesOf(indexes: Indexes): Caches {
  const known = caches.get(indexes) ?? createCaches();
  caches.set(indexes, known);
  return known;
}

export function createDocuments({ memories, links, indexes, changes }: Deps): Documents<MemoryDoc> {
  const read = async <Read>(tenantId: number, ids: readonly number[], projection?: typeof ranking): Promise<Read[]> => {
    const chunks: Promise<MemoryDoc[]>[] = [];
    for (let from = 0; from < ids.length; from += readAtOnce) {
      const some = ids.slice(from, from + readAtOnce);
      const options = { limit: some.length, ...(projection && { projection }) };
      chunks.push(
        memories
          .of(tenantId)
          .find({ _id: { $in: some } }, options)
          .toArray(),
      );
    }
    return (await Promise.all(chunks)).flat() as unknown as Read[];
  };
  const readRanked = (tenantId: number, ids: readonly number[]) => read<Ranked>(tenantId, ids, ranking);
  const readLinks = createLinks(links);
  const load = (tenantId: number, ids: readonly number[]) => read<MemoryDoc>(tenantId, ids);
  if (!changes) return { load, ranked: readRanked, links: async (...asked) => (await readLinks(...asked)).links };
  const held = cachesOf(indexes);
  const counts = {
    from: changes(linkRecord.spec, 'fromMemoryId'),
    to: changes(linkRecord.spec, 'toMemoryId'),
  };
  const ranked = cachedRanked(readRanked, held, changes(memoryRecord.spec, '_id'));
  const around = cachedLinks(readLinks, held, counts);
  return { load, ranked, links: around, expect: createReadAhead({ memories, caches: held, ranked, links: around }) };
}

/** Links from and to memories; `isAll` is false where there are more of them than are read. */
function createLinks(links: Keeper<LinkDoc>): ReadLinks {
  return async ({ tenantId, identityId }, ids, most) => {
    const seen = { ofIdentityId: { $in: [null, identityId] } };
    const of = async (filter: Filter<LinkDoc>) => {
      const first = (limit: number) => links.of(tenantId).find(filter, { limit }).toArray();
      const some = await first(Math.min(most, readAtOnce));
      return some.length < readAtOnce ? some : first(most);
    };
    const [from, to] = await Promise.all([
      of({ fromMemoryId: { $in: [...ids] }, ...seen } as Filter<LinkDoc>),
      of({ toMemoryId: { $in: [...ids] }, ...seen } as Filter<LinkDoc>),
    ]);
    // One between two of them was found at both of its ends.
    const among = new Set(ids);
    const others = to.filter(({ fromMemoryId }) => !among.has(fromMemoryId));
    return { links: [...from, ...others], isAll: from.length < most && to.length < most };
  };
}
