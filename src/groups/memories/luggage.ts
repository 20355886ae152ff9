// Memories that a clone of an identity takes along, with the links among them.
import { randomUUID } from 'node:crypto';
import type { Finder } from '../../memory/finder.ts';
import { noteWrite } from '../../ports/audit.ts';
import type { Filter } from '../../ports/db.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import type { By, Keeper } from '../../ports/keeper.ts';
import type { Interests } from '../interests/book.ts';
import { type Luggage, type Packing, takenFrom } from '../luggage.ts';
import type { Library } from './library.ts';
import { type LinkDoc, type MemoryDoc, memoryRecord } from './record.ts';

interface Deps {
  memories: Keeper<MemoryDoc>;
  links: Keeper<LinkDoc>;
  finder: Pick<Finder<MemoryDoc>, 'index'>;
  library: Pick<Library, 'sealedAs'>;
  interests: Pick<Interests, 'mentioned'>;
}

/** Memories of one clone at most, and those that are read at once. */
const [mostMemories, readAtOnce] = [1000, 200];

export function createMemoryLuggage(deps: Deps): Luggage {
  const { memories } = deps;
  return {
    askedBy: 'includeMemories',
    plural: 'memories',
    needs: ['MemoriesRead', 'MemoriesWrite'],
    series: memoryRecord.spec.name,
    most: mostMemories,
    async pick(caller, { identityId, own }, limit) {
      const which = { identityId, ...takenFrom<MemoryDoc>(caller), ...(own ? {} : { isShared: true }) };
      const found = await memories
        .of(caller.tenantId)
        .find(which as Filter<MemoryDoc>, { sort: { createdAt: 1, _id: 1 }, limit })
        .toArray();
      return found.map(({ _id }) => _id);
    },
    async copy(by, packing) {
      for (let from = 0; from < packing.packed.length; from += readAtOnce)
        await copySome(deps, by, packing, new Map(packing.packed.slice(from, from + readAtOnce)));
      await copyLinks(deps, by, packing);
    },
  };
}

async function copySome(
  { memories, library, finder, interests }: Deps,
  by: By,
  packing: Packing,
  ids: Map<number, number>,
) {
  const of = memories.of(packing.tenantId);
  const [sources, copies] = await Promise.all(
    [[...ids.keys()], [...ids.values()]].map((some) => of.find({ _id: { $in: some } }).toArray()),
  );
  const there = new Set(copies?.map(({ _id }) => _id));
  for (const source of sources ?? []) {
    const _id = ids.get(source._id);
    // What is shared no more since it was asked for stays where it is.
    if (_id === undefined || there.has(_id) || !(packing.own || source.isShared)) continue;
    const copy = await library.sealedAs(copyOf(source, _id, packing));
    try {
      await of.insertOne(copy);
    } catch (error) {
      if (isDuplicate(error)) continue;
      throw error;
    }
    noteWrite(by, { kind: memoryRecord.noun, how: 'created', doc: copy, before: null });
    await finder.index(copy);
    if (!copy.sealedBy) await interests.mentioned(packing.tenantId, packing.cloneId, copy.tags);
  }
}

/** The same memory of the clone, kept to itself: what is known twice is not told twice to others. */
function copyOf(source: MemoryDoc, _id: number, { cloneId, isAgent, memories }: Packing): MemoryDoc {
  const { edits: _edits, editedByRunIds: _runs, mergingIds: _merging, ...kept } = source;
  return {
    ...kept,
    _id,
    guid: randomUUID(),
    identityId: cloneId,
    provenance: isAgent && source.provenance === 'Verified' ? 'Inferred' : source.provenance,
    isShared: false,
    supersededById: memories.get(source.supersededById ?? 0) ?? null,
    accessCount: 0,
    readByOthersCount: 0,
    lastAccessedAt: null,
    pending: true,
    // One that is not new is related to nothing but by the links that are copied.
    revision: 2,
    embeddingModel: null,
  };
}

async function copyLinks({ memories, links }: Deps, by: By, { tenantId, cloneId, memories: ids }: Packing) {
  const all = [...ids.keys()];
  for (let from = 0; from < all.length; from += readAtOnce) {
    const some = await links
      .of(tenantId)
      .find({ fromMemoryId: { $in: all.slice(from, from + readAtOnce) } })
      .toArray();
    for (const { fromMemoryId, toMemoryId, type, strength, coActivationCount, sourceRunId } of some) {
      const ends = { fromMemoryId: ids.get(fromMemoryId) ?? 0, toMemoryId: ids.get(toMemoryId) ?? 0 };
      const both = { _id: { $in: Object.values(ends) } };
      if (ends.toMemoryId === 0 || (await memories.of(tenantId).countDocuments(both)) < 2) continue;
      if (await links.of(tenantId).findOne(ends)) continue;
      const fresh = { ...ends, type, strength, coActivationCount, ofIdentityId: cloneId };
      await links
        .insert(by, { ...fresh, ...(sourceRunId != null && { sourceRunId }) })
        .catch((error) => (isDuplicate(error) ? null : Promise.reject(error)));
    }
  }
}
