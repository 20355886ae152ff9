// The documents of memories with their indexes: every write goes through here, whoever asks for it.
import type { LinkType } from '../../contract/enums.ts';
import type { Clock } from '../../kernel/clock.ts';
import { linkStrength, nearDuplicate, neighbourMs } from '../../memory/constants.ts';
import { sameSaid } from '../../memory/duplicates.ts';
import { createFinder } from '../../memory/finder.ts';
import { memoriesKind } from '../../memory/memories-kind.ts';
import { type Indexes, memoryKind } from '../../memory/ports.ts';
import { createRecall, type Recall } from '../../memory/recall/recall.ts';
import { wordsOf } from '../../memory/recall/words.ts';
import { readableScopes } from '../../memory/scopes.ts';
import type { Db, Filter } from '../../ports/db.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import type { By, Keeper } from '../../ports/keeper.ts';
import type { Quotas } from '../../ports/quotas.ts';
import type { Draft } from '../../ports/record.ts';
import type { GraphBook } from '../graph/book.ts';
import { createChange, memoryDigest, unsealed } from './change.ts';
import { createDocuments } from './documents.ts';
import { createMerging } from './merging.ts';
import type { LinkDoc, MemoryDoc } from './record.ts';
import type { Sealing } from './sealing.ts';
import { createTakingBack } from './taking-back.ts';

export interface LibraryDeps {
  memories: Keeper<MemoryDoc>;
  links: Keeper<LinkDoc>;
  indexes: Indexes;
  clock: Clock;
  /** Counts of the store's changes, by which what was read is known to hold. */
  changes?: Db['changes'];
  /** Which memories are stored encrypted; none without it. */
  sealing?: Sealing;
  /** What the plan allows; everything without it. */
  quotas?: Quotas | undefined;
  /** What memories are read for besides. */
  graph?: Pick<GraphBook, 'forget'>;
}

type Own = 'digest' | 'pending' | 'revision' | 'embeddingModel' | 'accessCount' | 'readByOthersCount';
type Ends = 'lastAccessedAt' | 'archivedAt' | 'archivedReason' | 'supersededById' | 'sealedBy';
export type NewMemory = Omit<Draft<MemoryDoc>, Own | Ends>;
/** A near twin that was there before, where there was one. */
export interface Remembering {
  memory: MemoryDoc;
  how: 'new' | 'known' | 'superseding';
}

/** A memory that nobody has looked for yet. */
const unread = { embeddingModel: null, accessCount: 0, readByOthersCount: 0, lastAccessedAt: null };

export function createLibrary(deps: LibraryDeps) {
  const { memories, indexes, clock, sealing = unsealed } = deps;
  const documents = createDocuments(deps);
  const recall: Recall<MemoryDoc> = createRecall<MemoryDoc>({ ...indexes, clock, documents });
  const finder = createFinder<MemoryDoc>({ ...indexes, clock }, memoriesKind);
  const connect = createConnect(deps);

  const change = createChange(deps, sealing, finder);
  const relate = createRelating(deps, connect, change);

  return {
    recall,
    /** Reads what an identity searches ahead; absent where nothing of it is held. */
    expect: documents.expect,
    finder,
    connect,
    disconnect: createDisconnect(deps),
    change,
    ...createTakingBack({ ...deps, finder, change }),
    ...createMerging({ ...deps, connect, change }),
    /** Remembers a text once; a near twin is superseded by a link. Without `relates` it is linked to nothing. */
    async remember(by: By, draft: NewMemory, { relates = true } = {}): Promise<Remembering> {
      const { tenantId } = by;
      const digest = memoryDigest(draft);
      const stored = { $in: sealing.digests(tenantId, digest) };
      const own = { identityId: draft.identityId, digest: stored, archivedAt: null };
      const known = await memories.of(tenantId).findOne(own as Filter<MemoryDoc>);
      if (known) return { memory: known, how: 'known' };
      await deps.quotas?.require(tenantId, { Memories: 1 });
      const sealedBy = await sealing.keyOf(tenantId, draft.identityId);
      const memory = await memories.insert(by, {
        ...draft,
        sealedBy,
        digest: sealing.digest(tenantId, sealedBy, digest),
        pending: true,
        // Background work relates the first revision alone.
        revision: relates ? 1 : 2,
        ...unread,
        archivedAt: null,
        archivedReason: null,
        supersededById: null,
      });
      await finder.index(memory);
      return { memory, how: relates && (await relate(by, memory)).isSuperseding ? 'superseding' : 'new' };
    },
    /** Stores a memory anew where its identity asks for another key, or for none; says whether it did. */
    async reseal(memory: MemoryDoc): Promise<boolean> {
      const { tenantId, identityId, sealedBy = null } = memory;
      if ((await sealing.keyOf(tenantId, identityId)) === sealedBy) return false;
      await change({ tenantId }, memory, {}, { resealing: true });
      return true;
    },
    /** As whom a copy of a memory is stored. */
    sealedAs: async (copy: MemoryDoc): Promise<MemoryDoc> => {
      const sealedBy = await sealing.keyOf(copy.tenantId, copy.identityId);
      return { ...copy, sealedBy, digest: sealing.digest(copy.tenantId, sealedBy, memoryDigest(copy)) };
    },
    relateAgain: createRelateAgain(deps, relate),
    /** Which of these texts, by their digests, an identity remembers. */
    knownAmong: createKnownAmong(deps, sealing),
    placeLinks: createPlacing(deps),
    coverage: createCoverage(deps),
  };
}

interface Which {
  own: boolean;
  archived: boolean;
}

/** Percent of an identity's memories that have a vector; of a stranger's, of those that it shares. */
function createCoverage({ memories, indexes }: LibraryDeps) {
  return async (tenantId: number, identityId: number, { own, archived }: Which): Promise<number> => {
    const of = memories.of(tenantId);
    const within = { identityId, ...(own ? {} : { isShared: true }), ...(archived ? {} : { archivedAt: null }) };
    const scopes = readableScopes(identityId, { shared: false, archived });
    // Both are kept: one as a number, the other as an index of those that wait.
    const [all, missing] = await Promise.all([
      own
        ? indexes.words.sizes(memoryKind, tenantId, scopes).then(({ documents }) => documents)
        : of.countDocuments(within),
      of.countDocuments({ ...within, embeddingModel: null }),
    ]);
    return all === 0 ? 100 : Math.max(0, Math.floor((100 * (all - missing)) / all));
  };
}

type Connect = ReturnType<typeof createConnect>;
type ChangeMemory = (by: By, old: MemoryDoc, fields: Partial<MemoryDoc>) => Promise<MemoryDoc>;

/**
 * Links a new memory to a near twin, which it supersedes, and to the one before it; says whether there was a twin, and
 * which link to the one before was made. What a process that died meanwhile has left is completed: that link comes last.
 */
function createRelating(deps: LibraryDeps, connect: Connect, change: ChangeMemory) {
  return async (by: By, memory: MemoryDoc): Promise<{ isSuperseding: boolean; follows: LinkDoc | null }> => {
    // After it is there: a repeat finds it, and it neither follows nor supersedes itself.
    const [twin, before] = await Promise.all([findTwin(deps, by, memory), lastBefore(deps, by, memory)]);
    if (twin) {
      await connect(by, memory._id, twin._id, 'Supersedes', 1);
      await change(by, twin, { supersededById: memory._id });
      // Forgotten meanwhile, by a request that saw nothing superseded.
      if (!(await deps.memories.of(by.tenantId).findOne({ _id: memory._id })))
        await change(by, twin, { supersededById: null });
    }
    const isLinked = { fromMemoryId: before?._id ?? 0, toMemoryId: memory._id };
    // Somebody may have made another link of it meanwhile.
    const isFirst = before !== null && !(await deps.links.of(by.tenantId).findOne(isLinked));
    const follows = isFirst ? await connect(by, before._id, memory._id, 'Temporal', linkStrength.temporal) : null;
    return { isSuperseding: twin !== null, follows };
  };
}

/** Relates a memory whose process died before it had; one that somebody changed since is left as it is. */
function createRelateAgain({ links, memories }: LibraryDeps, relate: ReturnType<typeof createRelating>) {
  return async (memory: MemoryDoc): Promise<void> => {
    const { _id, tenantId, revision } = memory;
    if (revision > 1 || (await links.of(tenantId).findOne({ toMemoryId: _id, type: 'Temporal' }))) return;
    const { follows } = await relate({ tenantId }, memory);
    // Somebody has taken the link away meanwhile, which raises the revision, and it was made again.
    if (follows && (await memories.of(tenantId).findOne({ _id }))?.revision !== revision)
      await links.of(tenantId).deleteOne({ _id: follows._id });
  };
}

/** Digests that are looked for at once. */
const digestsAtOnce = 400;

function createKnownAmong({ memories }: LibraryDeps, sealing: Sealing) {
  return async (tenantId: number, identityId: number, digests: readonly string[]): Promise<Set<string>> => {
    const known = new Set<string>();
    for (let from = 0; from < digests.length; from += digestsAtOnce) {
      const some = digests.slice(from, from + digestsAtOnce);
      const plain = new Map(
        some.flatMap((one) => sealing.digests(tenantId, one).map((stored) => [stored, one] as const)),
      );
      const filter = { identityId, digest: { $in: [...plain.keys()] }, archivedAt: null } as Filter<MemoryDoc>;
      for await (const { digest } of memories.of(tenantId).find(filter, { projection: { digest: 1 } }))
        known.add(plain.get(digest) as string);
    }
    return known;
  };
}

/** Whose search may follow a link between memories: the one whose private memory is an end of it, or everybody's. */
const privateTo = (ends: readonly MemoryDoc[]): number | null =>
  ends.find(({ isShared }) => !isShared)?.identityId ?? null;

/** Says of a memory's links anew whose they are, after it was shared or is shared no more. */
function createPlacing({ links, memories }: LibraryDeps) {
  return async ({ _id, tenantId }: MemoryDoc): Promise<void> => {
    const of = links.of(tenantId);
    const all = [
      ...(await of.find({ fromMemoryId: _id }).toArray()),
      ...(await of.find({ toMemoryId: _id }).toArray()),
    ];
    for (const { _id: id, fromMemoryId, toMemoryId, ofIdentityId } of all) {
      const ends = { _id: { $in: [fromMemoryId, toMemoryId] } };
      const now = privateTo(await memories.of(tenantId).find(ends).toArray());
      if (now !== ofIdentityId) await of.updateOne({ _id: id }, { $set: { ofIdentityId: now } });
    }
  };
}

/** Links two memories, or changes the link that they have. */
function createConnect({ links, memories }: LibraryDeps) {
  return async function connect(
    by: By,
    from: number,
    to: number,
    type: LinkType,
    strength: number,
    runId: number | null = null,
  ): Promise<LinkDoc> {
    const there = await links.of(by.tenantId).findOne({ fromMemoryId: from, toMemoryId: to });
    if (there) {
      // Of a run's own link nothing stood before; of another one, what it was first.
      const isOwn = there.sourceRunId === runId;
      const before = isOwn ? (there.before ?? null) : { type: there.type, strength: there.strength };
      return links.change(by, there._id, { type, strength, ...(runId !== null && { sourceRunId: runId, before }) });
    }
    try {
      const ends = { _id: { $in: [from, to] } };
      const ofIdentityId = privateTo(await memories.of(by.tenantId).find(ends).toArray());
      const fresh = { fromMemoryId: from, toMemoryId: to, type, strength, coActivationCount: 0, ofIdentityId };
      const made = await links.insert(by, { ...fresh, ...(runId !== null && { sourceRunId: runId }) });
      // One that is forgotten meanwhile takes its links along, but for one that was not there yet.
      if ((await memories.of(by.tenantId).countDocuments(ends)) < 2)
        await links.of(by.tenantId).deleteOne({ _id: made._id });
      return made;
    } catch (error) {
      // Somebody else was faster, and its link is changed.
      if (!isDuplicate(error)) throw error;
      return connect(by, from, to, type, strength, runId);
    }
  };
}

/** Takes a link away; background work that has yet to relate the memory does not make it again. */
const createDisconnect =
  ({ links, memories }: LibraryDeps) =>
  async (by: By, link: LinkDoc): Promise<void> => {
    const waiting = { _id: link.toMemoryId, pending: true };
    await memories.of(by.tenantId).updateOne(waiting, { $inc: { revision: 1 } });
    await links.remove(by, link._id);
  };

export type Library = ReturnType<typeof createLibrary>;

/** A memory of the same identity that says the same in nearly the same words, with the same numbers. */
async function findTwin({ indexes, memories }: LibraryDeps, { tenantId }: By, memory: MemoryDoc) {
  const scopes = readableScopes(memory.identityId, { shared: false, archived: false });
  const words = wordsOf(memory.content).slice(0, 40);
  const near = await indexes.words.search(memoryKind, { tenantId, scopes, words, limit: 5 });
  if (near.length === 0) return null;
  const found = await memories
    .of(tenantId)
    .find({ _id: { $in: near.map(({ id }) => id) }, identityId: memory.identityId, supersededById: null })
    .toArray();
  // What one keeps to oneself does not lower what one shares: others would see it sink.
  const isOpen = (one: MemoryDoc) => memory.isShared || !one.isShared;
  const isEarlier = (one: MemoryDoc) => one._id !== memory._id && one.createdAt <= memory.createdAt;
  return (
    found.find((one) => isEarlier(one) && isOpen(one) && sameSaid(one.content, memory.content) >= nearDuplicate) ?? null
  );
}

/** What the identity wrote last, if that was a moment ago and about the same project. */
async function lastBefore({ memories }: LibraryDeps, { tenantId }: By, memory: MemoryDoc) {
  const { identityId, projectId, createdAt } = memory;
  const [one, other] = await memories
    .of(tenantId)
    .find({ identityId, createdAt: { $lte: createdAt } }, { sort: { createdAt: -1, _id: -1 }, limit: 2 })
    .toArray();
  const last = one?._id === memory._id ? other : one;
  const isNear = last && last.projectId === projectId && createdAt.getTime() - last.createdAt.getTime() <= neighbourMs;
  return isNear ? last : null;
}
