// Serves memories: who may, what is answered, what is told; the thinking is in src/memory.
import type { Caller } from '../../contract/caller.ts';
import { type Handlers as GroupHandlers, implement } from '../../contract/operation.ts';
import { toPage } from '../../contract/page.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { strengthened } from '../../memory/links.ts';
import type { Filter } from '../../ports/db.ts';
import { visibleTo } from '../../ports/in-project.ts';
import { inSpan } from '../../ports/in-span.ts';
import type { Keeper } from '../../ports/keeper.ts';
import { shown } from '../../ports/shown.ts';
import { defined, given } from '../fields.ts';
import type { MemoryGate } from '../memory-gate.ts';
import type { MemoryAccess } from './access.ts';
import { memories as group } from './contract.ts';
import { draftOf } from './draft.ts';
import { MemoryDetailDto, type MemoryWriteDto } from './dto.ts';
import { createDuplicates } from './duplicates.ts';
import { historyOf } from './history.ts';
import type { Library } from './library.ts';
import type { Merged } from './merging.ts';
import type { LinkDoc, MemoryDoc } from './record.ts';
import { isOfTexts, sealedPage } from './sealed-list.ts';
import type { Sealing } from './sealing.ts';
import type { SearchMemories } from './search.ts';
import { toLinkDto, toListDto, toWriteDto } from './show.ts';
import type { Teller } from './tell.ts';

export interface MemoriesDeps {
  memories: Keeper<MemoryDoc>;
  links: Keeper<LinkDoc>;
  library: Library;
  sealing: Pick<Sealing, 'digests'>;
  access: MemoryAccess;
  search: SearchMemories;
  tell: Teller;
  /** What agents write passes it; what people write they have decided. */
  gate: MemoryGate;
  /** By how much an identity's links grow, where a request does not say. */
  incrementOf(tenantId: number, identityId: number): Promise<number>;
  clock: Clock;
}

const dayMs = 24 * 60 * 60_000;

/** What is kept of what somebody sends. */
const passing =
  (gate: MemoryGate) =>
  async <Body extends object>(caller: Caller, body: Body): Promise<Body> =>
    caller.role === 'Agent' ? (await gate.pass(caller.tenantId, body as Body & Record<string, unknown>)).fields : body;

export const memoriesService = implement(group, (deps: MemoriesDeps) => {
  const { library, access, search, tell, clock, gate } = deps;
  const passed = passing(gate);
  const change = async (caller: Caller, id: number, fields: (old: MemoryDoc) => Partial<MemoryDoc>) => {
    const old = await access.write(caller, id);
    const changed = await library.change(caller, old, fields(old));
    await tell.written(changed);
    return toWriteDto(changed);
  };

  return {
    ...listHandlers(deps),
    create: async ({ caller, params, body }) => {
      if (!(await access.isOwn(caller, params.identityId))) throw notOwn(params.identityId);
      const targets = await Promise.all((body.linkToMemoryIds ?? []).map((id) => access.read(caller, id)));
      const { memory, how } = await library.remember(
        caller,
        draftOf(await passed(caller, body), params.identityId, caller),
      );
      for (const { memory: to } of targets)
        if (to._id !== memory._id)
          await tell.linked(memory, await library.connect(caller, memory._id, to._id, 'Semantic', 0.5));
      if (how !== 'known') await tell.written(memory);
      return toWriteDto(memory);
    },
    search: async ({ caller, params, query }) =>
      search(caller, params.identityId, query, await access.isOwn(caller, params.identityId)),
    get: async ({ caller, params, query }) => {
      const { memory, own } = await access.read(caller, params.id);
      const looked = query.countAccess === false ? memory : await countLook(deps, memory, own);
      return withLinks(deps, caller, looked);
    },
    patch: async ({ caller, params, body }) => {
      const kept = await passed(caller, body);
      return change(caller, params.id, () => ownFields(kept, caller));
    },
    replace: async ({ caller, params, body }) => {
      const kept = await passed(caller, body);
      return change(caller, params.id, (old) => ({
        ...ownFields({ ...kept, provenance: body.provenance ?? old.provenance }, caller),
        projectId: body.projectId ?? null,
      }));
    },
    remove: async ({ caller, params }) => {
      const old = await access.write(caller, params.id);
      const forgotten = await library.forget(caller, [old._id]);
      await tell.archived({ ...old, archivedAt: new Date(clock.now()) });
      return forgotten;
    },
    history: async ({ caller, params }) => {
      const { memory, own } = await access.read(caller, params.id);
      // What it said before it was shared is not shared.
      if (!own) return historyOf({ ...memory, edits: [], sourceRunId: null, sourceChatSessionId: null }, null);
      const { supersededById } = memory;
      const [successor] = supersededById === null ? [] : await access.readable(caller, [supersededById]);
      return historyOf(memory, successor ?? null);
    },
    archive: async ({ caller, params, body }) => {
      const old = await access.write(caller, params.id);
      const archived = body.archived ?? true;
      if (archived === (old.archivedAt !== null)) return toListDto(old);
      // Who brings it back wants it to count again.
      const to = archived ? { archivedAt: new Date(clock.now()) } : { archivedAt: null, supersededById: null };
      const changed = await library.change(caller, old, { ...to, archivedReason: body.reason ?? null });
      await tell.archived(changed);
      return toListDto(changed);
    },
    ...linkHandlers(deps),
    ...tagHandlers(change),
    ...mergeHandlers(deps),
  };
});

type Change = (caller: Caller, id: number, fields: (old: MemoryDoc) => Partial<MemoryDoc>) => Promise<MemoryWriteDto>;

const tagHandlers = (change: Change): Handlers<'addTags' | 'removeTag'> => ({
  addTags: ({ caller, params, body }) =>
    change(caller, params.id, ({ tags }) => ({ tags: [...new Set([...tags, ...body.tags])] })),
  removeTag: async ({ caller, params }) => {
    await change(caller, params.id, ({ tags }) => ({ tags: tags.filter((one) => one !== params.tag) }));
    return null;
  },
});

function listHandlers({ memories, access, sealing, clock }: MemoriesDeps): Handlers<'list' | 'pinned' | 'recent'> {
  /** What of an identity's memories the caller may know of. */
  const open: Open = async (caller, identityId) =>
    (await access.isOwn(caller, identityId)) ? { identityId } : { identityId, isShared: true };

  const some = async (caller: Caller, filter: Filter<MemoryDoc>, sort: object, limit: number) => {
    const seen = visibleTo<MemoryDoc>(caller);
    const found = memories
      .of(caller.tenantId)
      .find({ ...seen, ...filter, archivedAt: null }, { sort: sort as never, limit });
    return (await found.toArray()).map(toListDto);
  };

  return {
    list: listHandler({ memories, sealing }, open),
    pinned: async ({ caller, params, query: { limit, ...which } }) => {
      const filter = { ...(await open(caller, params.identityId)), isPinned: true, ...defined(which) };
      return some(caller, filter, { importance: -1, _id: -1 }, limit);
    },
    recent: async ({ caller, params, query: { limit, days, ...which } }) => {
      const since = days === undefined ? {} : { createdAt: { $gte: new Date(clock.now() - days * dayMs) } };
      const filter = { ...(await open(caller, params.identityId)), ...since, ...defined(which) };
      return some(caller, filter, { createdAt: -1, _id: -1 }, limit);
    },
  };
}

function mergeHandlers(deps: MemoriesDeps): Handlers<'merge' | 'duplicates'> {
  const { library, access, tell, clock, gate } = deps;
  const duplicates = createDuplicates(deps);
  return {
    merge: async ({ caller, params, body: { otherId, title, content } }) => {
      const kept = await access.write(caller, params.id);
      const other = await access.write(caller, otherId);
      if (kept._id === other._id || kept.identityId !== other.identityId)
        throw new Fault('VALIDATION_FAILED', 'Two memories of one identity are merged.', {
          hint: 'Name another memory of the same identity in otherId.',
        });
      const said = await passing(gate)(caller, given({ title, content }) as Merged);
      const merged = await library.merge(caller, kept, other, said);
      await tell.written(merged);
      await tell.archived({ ...other, archivedAt: new Date(clock.now()) });
      return toWriteDto(merged);
    },
    duplicates: async ({ caller, params, query }) =>
      duplicates(caller, params.identityId, query, await access.isOwn(caller, params.identityId)),
  };
}

type Open = (caller: Caller, identityId: number) => Promise<Filter<MemoryDoc>>;

const listHandler =
  ({ memories, sealing }: Pick<MemoriesDeps, 'memories' | 'sealing'>, open: Open): All['list'] =>
  async ({ caller, params, query: { includeArchived, fromUtc, toUtc, ...query } }) => {
    const within = { ...(await open(caller, params.identityId)), ...inSpan('createdAt', fromUtc, toUtc) };
    const options = {
      within: includeArchived ? within : { ...within, archivedAt: null },
      filters: {
        minImportance: (least: number) => ({ importance: { $gte: least } }),
        tag: (tag: string) => ({ tags: { $in: sealing.digests(caller.tenantId, tag) } }),
      },
    };
    const sealed = { identityId: params.identityId, sealedBy: { $gt: '' } };
    const isHidden = isOfTexts(query) && (await memories.of(caller.tenantId).findOne(sealed)) !== null;
    const { items, totalCount } = isHidden
      ? await sealedPage(memories.page, caller, query, options)
      : await memories.page(caller, query, options);
    return toPage(items.map(toListDto), totalCount, query);
  };

type Handlers<Name extends keyof All> = Pick<All, Name>;
type All = GroupHandlers<typeof group>;

function linkHandlers({
  links,
  library,
  access,
  tell,
  incrementOf,
}: MemoriesDeps): Handlers<'link' | 'unlink' | 'strengthen'> {
  const between = async (caller: Caller, one: number, other: number): Promise<LinkDoc | null> =>
    links.of(caller.tenantId).findOne({
      $or: [
        { fromMemoryId: one, toMemoryId: other },
        { fromMemoryId: other, toMemoryId: one },
      ],
    });
  const noLink = (one: number, other: number) =>
    new Fault('NOT_FOUND', `Memories ${one} and ${other} are not linked.`, {
      hint: 'Link them with POST /api/memories/{id}/links.',
    });
  return {
    link: async ({ caller, params, body }) => {
      const from = await access.write(caller, params.id);
      if (body.toMemoryId === params.id)
        throw new Fault('VALIDATION_FAILED', 'A memory cannot be linked to itself.', { hint: 'Name another memory.' });
      const { memory: to } = await access.read(caller, body.toMemoryId);
      const link = await library.connect(caller, from._id, to._id, body.type ?? 'Semantic', body.strength ?? 0.5);
      await tell.linked(from, link);
      return toLinkDto(link, titlesOf([from, to]));
    },
    unlink: async ({ caller, params }) => {
      await access.write(caller, params.id);
      const link = await between(caller, params.id, params.targetId);
      if (!link) throw noLink(params.id, params.targetId);
      await library.disconnect(caller, link);
      return null;
    },
    strengthen: async ({ caller, params, body }) => {
      const from = await access.write(caller, params.id);
      const link = await between(caller, params.id, params.targetId);
      if (!link) throw noLink(params.id, params.targetId);
      const { memory: to } = await access.read(caller, params.targetId);
      const increment = body.increment ?? (await incrementOf(caller.tenantId, from.identityId));
      const stronger = (old: LinkDoc) => ({
        strength: strengthened(old.strength, increment),
        coActivationCount: old.coActivationCount + 1,
      });
      const changed = await links.change(caller, link._id, stronger, { expecting: ['strength', 'coActivationCount'] });
      await tell.linked(from, changed);
      return toLinkDto(changed, titlesOf([from, to]));
    },
  };
}

const titlesOf = (all: readonly MemoryDoc[]) => new Map(all.map(({ _id, title }) => [_id, title]));

async function countLook({ memories, clock }: MemoriesDeps, memory: MemoryDoc, own: boolean): Promise<MemoryDoc> {
  const $set = { lastAccessedAt: new Date(clock.now()) };
  const $inc = { accessCount: 1, ...(own ? {} : { readByOthersCount: 1 }) };
  const of = memories.of(memory.tenantId);
  return (await of.findOneAndUpdate({ _id: memory._id }, { $set, $inc }, { returnDocument: 'after' })) ?? memory;
}

async function withLinks({ links, access }: MemoriesDeps, caller: Caller, memory: MemoryDoc) {
  const of = links.of(caller.tenantId);
  const [from, to] = await Promise.all([
    of.find({ fromMemoryId: memory._id }, { sort: { strength: -1 }, limit: 200 }).toArray(),
    of.find({ toMemoryId: memory._id }, { sort: { strength: -1 }, limit: 200 }).toArray(),
  ]);
  const ids = [...new Set([...from.map((one) => one.toMemoryId), ...to.map((one) => one.fromMemoryId)])];
  const titles = titlesOf([memory, ...(await access.readable(caller, ids))]);
  // Neither the title nor the link to what is private to others.
  const both = (link: LinkDoc) => titles.has(link.fromMemoryId) && titles.has(link.toMemoryId);
  return shown(MemoryDetailDto, memory, {
    hasEmbedding: memory.embeddingModel !== null,
    linksFrom: from.filter(both).map((link) => toLinkDto(link, titles)),
    linksTo: to.filter(both).map((link) => toLinkDto(link, titles)),
  });
}

/** Fields as they came, with the provenance that the caller may give. */
const ownFields = <B extends { provenance?: MemoryDoc['provenance'] | undefined }>(body: B, caller: Caller) => {
  const { provenance } = body;
  if (provenance === 'Verified' && caller.role === 'Agent') throw notVerified();
  return defined(body) as Partial<MemoryDoc>;
};

const notVerified = () =>
  new Fault('FORBIDDEN', 'An agent cannot say that a memory is verified.', { hint: 'A person can; leave it out.' });

const notOwn = (identityId: number) =>
  new Fault('OWNERSHIP_REQUIRED', `You may not write memories of identity ${identityId}.`, {
    hint: 'Act as yourself, or ask the steward of that identity.',
  });
