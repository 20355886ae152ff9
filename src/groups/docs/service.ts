// Serves documents: who may, what is answered; the writing is in the library.
import { createTwoFilesPatch } from 'diff';
import type { Caller } from '../../contract/caller.ts';
import { type Handlers, implement } from '../../contract/operation.ts';
import { toPage } from '../../contract/page.ts';
import { isForThePublic } from '../../documents/clearance.ts';
import { Fault } from '../../kernel/fault.ts';
import { shown } from '../../ports/shown.ts';
import { sortOf } from '../../ports/sort-of.ts';
import { checkClassification, noDoc, type Sight, seenBy } from './access.ts';
import { docs as group } from './contract.ts';
import { DocDto } from './dto.ts';
import { type Author, type Change, type Saving, tagListOf } from './library.ts';
import type { Wanted } from './moves.ts';
import type { DocDoc, Saved, VersionDoc } from './record.ts';
import type { Shelf } from './shelf.ts';
import { neighboursOf, toLinkDto, toListDtos, toTree, toVersionDto } from './show.ts';

type All = Handlers<typeof group>;

export const docsService = implement(group, (shelf: Shelf) => ({
  ...readers(shelf),
  ...writers(shelf),
  ...movers(shelf),
  ...publishers(shelf),
  ...versionHandlers(shelf),
}));

const authorOf = ({ name }: Caller): Author => ({ name });

/** A document in full, as somebody of this role sees it. */
async function showDoc({ docs, places, library, passages }: Shelf, doc: DocDoc, sight: Sight) {
  const [content, [listed], neighbours, hasEmbedding] = await Promise.all([
    library.contentOf(doc),
    toListDtos(places, [doc]),
    neighboursOf(docs.of, doc, seenBy(sight)),
    passages.hasEmbedding(doc),
  ]);
  return shown(DocDto, doc, { ...neighbours, content, hasEmbedding, sortOrder: listed?.sortOrder ?? 0 });
}

function readers(shelf: Shelf): Pick<All, 'list' | 'tree' | 'search' | 'byPath' | 'get' | 'links'> {
  const { docs, places, access, finding } = shelf;
  return {
    list: async ({ caller, params, query }) => {
      const sight = await access.sight(caller, params.projectId);
      const { parentDocId, sort } = query;
      const order = sort ?? (parentDocId === undefined ? 'path' : 'orderKey');
      const { items, totalCount } = await docs.page(
        caller,
        { ...query, sort: order },
        {
          within: seenBy(sight),
          filters: {
            tag: (tag: string) => ({ tagList: tag.trim().toLowerCase() }),
            classification: (classification: DocDoc['classification']) => ({ $and: [{ classification }] }),
          },
        },
      );
      return toPage(await toListDtos(places, items), totalCount, query);
    },
    tree: async ({ caller, params, query: { type } }) => {
      const sight = await access.sight(caller, params.projectId);
      const filter = { ...seenBy(sight), ...(type && { type }) };
      return toTree(await docs.of(caller.tenantId).find(filter).toArray());
    },
    search: async ({ caller, params, query: { q, ...query } }) => {
      const sight = await access.sight(caller, params.projectId);
      const found = await finding.search([sight], { question: q, ...query });
      const listed = await toListDtos(
        places,
        found.map(({ doc }) => doc),
      );
      return found.map(({ doc: _, nearness: _n, ...match }, at) => ({
        doc: listed[at] as (typeof listed)[0],
        ...match,
      }));
    },
    byPath: async ({ caller, params, query: { path } }) => {
      const sight = await access.sight(caller, params.projectId);
      const doc = await finding.named(sight, path);
      if (doc) return showDoc(shelf, doc, sight);
      throw new Fault('NOT_FOUND', `There is no document at "${path.slice(0, 100)}".`, {
        hint: `See them all with GET /api/projects/${params.projectId}/docs/tree.`,
      });
    },
    get: async ({ caller, params }) => {
      const { doc, sight } = await access.read(caller, params.id);
      return showDoc(shelf, doc, sight);
    },
    links: async ({ caller, params }) => {
      const { doc, sight } = await access.read(caller, params.id);
      const [to, from] = await Promise.all([finding.linksTo(sight, doc), finding.linkedFrom(sight, doc)]);
      return { docId: doc._id, linksTo: to.map(toLinkDto), linkedFrom: from.map(toLinkDto) };
    },
  };
}

interface Given {
  classification?: DocDoc['classification'] | undefined;
  tags?: string | null | undefined;
  excerpt?: string | null | undefined;
  coverImageUrl?: string | null | undefined;
  icon?: string | null | undefined;
}

/** What a write says of a document that is there. */
type Written = Given & Wanted & Pick<Change, 'content'> & Omit<Saving, 'author'>;

/** Fields of a request that are the document's own, as they are kept; those that are absent stay. */
function fieldsOf(body: Given, old: DocDoc, sight: Sight): Saved {
  const names = ['title', 'type', 'classification', 'isGroup', 'isPinned', 'includeInNav', 'coverImageUrl', 'icon'];
  const given = Object.entries(body).filter(([name, value]) => names.includes(name) && value !== undefined);
  const { classification, tags, excerpt } = body;
  if (classification && classification !== old.classification) checkClassification(sight, classification);
  if (old.isPublished && classification && !isForThePublic(classification))
    throw new Fault('INVALID_TRANSITION', `A published document stays Public, and this is to be ${classification}.`, {
      hint: `Take it off the site first: POST /api/docs/${old._id}/unpublish.`,
    });
  return {
    ...Object.fromEntries(given),
    ...(tags !== undefined && { tags, tagList: tagListOf(tags) }),
    ...(excerpt !== undefined && { excerpt: excerpt || null, isExcerptOwn: Boolean(excerpt) }),
  };
}

/** A document as it is asked for, before it has a place. */
const draftOf = ({ caller, params, body }: Parameters<All['create']>[0]) =>
  ({
    projectId: params.projectId,
    parentDocId: body.parentDocId ?? null,
    title: body.title,
    content: body.content ?? '',
    slug: body.slug,
    path: body.path,
    position: body.sortOrder ?? null,
    type: body.type ?? 'Page',
    classification: body.classification ?? 'Internal',
    isGroup: body.isGroup ?? false,
    isPinned: body.isPinned ?? false,
    includeInNav: body.includeInNav ?? true,
    excerpt: body.excerpt || null,
    coverImageUrl: body.coverImageUrl ?? null,
    icon: body.icon ?? null,
    tags: body.tags ?? null,
    isPublished: false,
    publishedAt: null,
    authorName: caller.name,
    authorUserId: caller.userId,
  }) as const;

function writers(shelf: Shelf): Pick<All, 'create' | 'replace' | 'patch' | 'remove'> {
  const { access, library, moves, docs, tellRemoved, leaveSite } = shelf;
  const save = async (caller: Caller, id: number, body: Written) => {
    const { sight } = await access.write(caller, id);
    const { content, version, changeSummary } = body;
    const change = async (old: DocDoc) => ({
      content,
      fields: { ...fieldsOf(body, old, sight), ...(await moves.fieldsFor(old, body)) },
    });
    const saving = { author: authorOf(caller), version, changeSummary };
    return showDoc(shelf, await library.save(caller, id, change, saving), sight);
  };
  return {
    create: async (request) => {
      const { caller, params } = request;
      const sight = await access.sight(caller, params.projectId, 'Contributor');
      const draft = draftOf(request);
      checkClassification(sight, draft.classification);
      return showDoc(shelf, await library.create(draft, caller, authorOf(caller)), sight);
    },
    replace: ({ caller, params, body }) => {
      const { parentDocId = null, excerpt = null, tags = null, coverImageUrl = null, icon = null } = body;
      return save(caller, params.id, { ...body, parentDocId, excerpt, tags, coverImageUrl, icon });
    },
    patch: ({ caller, params, body }) => save(caller, params.id, body),
    remove: async ({ caller, params, query }) => {
      const { doc, sight } = await access.write(caller, params.id);
      const below = await moves.below(doc);
      if (below.length > 0 && !query.cascade)
        throw new Fault('CONFLICT', `${below.length} documents stand below document ${doc._id}.`, {
          hint: 'Move them elsewhere, or delete them too with ?cascade=true.',
        });
      // What the caller may not see is not theirs to delete.
      for (const { classification } of below) checkClassification(sight, classification);
      for (const one of [...below.reverse(), doc]) {
        await library.remove(caller, await docs.get(caller, one._id));
        await tellRemoved(one);
        await leaveSite(caller, one);
      }
      return null;
    },
  };
}

function movers(shelf: Shelf): Pick<All, 'move'> {
  const { access, library, moves, leaveSite } = shelf;
  return {
    move: async ({ caller, params, body }) => {
      const { doc } = await access.write(caller, params.id);
      const projectId = body.projectId ?? doc.projectId;
      const sight = await access.sight(caller, projectId, 'Contributor');
      const below = projectId === doc.projectId ? [] : await moves.below(doc);
      for (const { classification } of [doc, ...below]) checkClassification(sight, classification);
      const saving = { author: authorOf(caller) };
      const former = { parentDocId: doc.parentDocId, orderKey: doc.orderKey };
      const change = async (old: DocDoc) => ({ fields: await moves.fieldsFor(old, body) });
      const moved = await library.save(caller, doc._id, change, saving);
      if (moved.parentDocId !== doc.parentDocId && (await moves.isInCircle(moved))) {
        await library.save(caller, doc._id, () => ({ fields: former }), saving);
        throw new Fault('CYCLE_DETECTED', 'Somebody moved the parent below this document at the same moment.', {
          hint: `Look at the tree again: GET /api/projects/${projectId}/docs/tree.`,
        });
      }
      for (const one of below)
        if (one.projectId !== projectId) await library.save(caller, one._id, () => ({ fields: { projectId } }), saving);
      if (moved.projectId !== doc.projectId) for (const one of [doc, ...below]) await leaveSite(caller, one);
      return showDoc(shelf, moved, sight);
    },
  };
}

function publishers(shelf: Shelf): Pick<All, 'publish' | 'unpublish'> {
  const { access, library, clock, tell, moves, leaveSite } = shelf;
  return {
    publish: async ({ caller, params, body }) => {
      const { doc, sight } = await access.write(caller, params.id);
      if (!isForThePublic(doc.classification))
        throw new Fault(
          'INVALID_TRANSITION',
          `This document is ${doc.classification}; only Public ones are published.`,
          {
            hint: `Say first that it is for everybody: PATCH /api/docs/${doc._id} with {"classification": "Public"}.`,
          },
        );
      const change = async (old: DocDoc) => {
        if (!isForThePublic(old.classification)) throw noDoc(old._id);
        const { slug } = await moves.fieldsFor(old, { slug: body.slug });
        const now = new Date(clock.now());
        const publishedAt = body.publishedAtUtc ? new Date(body.publishedAtUtc) : (old.publishedAt ?? now);
        const nav = body.includeInNav == null ? {} : { includeInNav: body.includeInNav };
        return { fields: { isPublished: true, publishedAt, ...(slug && { slug }), ...nav } };
      };
      const published = await library.save(caller, doc._id, change, { author: authorOf(caller) });
      await tell('doc.published', published);
      return showDoc(shelf, published, sight);
    },
    unpublish: async ({ caller, params }) => {
      const { doc, sight } = await access.write(caller, params.id);
      if (!doc.isPublished) return showDoc(shelf, doc, sight);
      const fields = { isPublished: false, publishedAt: null };
      const draft = await library.save(caller, doc._id, () => ({ fields }), { author: authorOf(caller) });
      await leaveSite(caller, doc);
      return showDoc(shelf, draft, sight);
    },
  };
}

function versionHandlers(shelf: Shelf): Pick<All, 'versions' | 'version' | 'restore'> {
  const { access, versions, library } = shelf;
  const find = async (doc: DocDoc, version: number): Promise<VersionDoc> => {
    const found = version <= doc.version && (await versions.of(doc.tenantId).findOne({ docId: doc._id, version }));
    if (found) return found;
    throw new Fault('NOT_FOUND', `Document ${doc._id} has no version ${version}.`, {
      hint: `Its versions are 1 to ${doc.version}: GET /api/docs/${doc._id}/versions.`,
    });
  };
  return {
    versions: async ({ caller, params, query }) => {
      const { doc } = await access.read(caller, params.id);
      const { page, pageSize, sort = '-version' } = query;
      const filter = { docId: doc._id, version: { $lte: doc.version } };
      // Their texts are long, and a list shows none.
      const options = { sort: sortOf<VersionDoc>(sort), skip: (page - 1) * pageSize, limit: pageSize };
      const of = versions.of(caller.tenantId);
      const items = await of.find(filter, { ...options, projection: { content: 0, saved: 0 } }).toArray();
      return toPage(
        items.map((entry) => toVersionDto(doc, entry)),
        await of.countDocuments(filter),
        query,
      );
    },
    version: async ({ caller, params, query: { compareTo } }) => {
      const { doc } = await access.read(caller, params.id);
      const entry = await find(doc, params.version);
      const other = compareTo ?? (entry.version > 1 ? entry.version - 1 : null);
      const diff = other === null ? null : diffOf(await find(doc, other), entry);
      return { ...toVersionDto(doc, entry), content: entry.content, diff };
    },
    restore: async ({ caller, params, body }) => {
      const { doc, sight } = await access.write(caller, params.id);
      const entry = await find(doc, params.version);
      const changeSummary = body.changeSummary ?? `Version ${entry.version} again`;
      const change = { content: entry.content, fields: { title: entry.title } };
      const saving = { author: authorOf(caller), changeSummary };
      return showDoc(shelf, await library.save(caller, doc._id, () => change, saving), sight);
    },
  };
}

/** Milliseconds that comparing two texts may take, and lines that may differ: beyond, they are said to differ. */
const diffing = { timeout: 2000, maxEditLength: 20_000 } as const;

function diffOf(from: VersionDoc, to: VersionDoc): string {
  const nameOf = ({ version, title }: VersionDoc) => `version ${version}: ${title}`;
  const patch = createTwoFilesPatch(nameOf(from), nameOf(to), from.content, to.content, undefined, undefined, diffing);
  return patch ?? `--- ${nameOf(from)}\n+++ ${nameOf(to)}\nThe texts differ too much to be compared.\n`;
}
