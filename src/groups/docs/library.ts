// The documents with their versions: every write goes through here, whoever asks for it.
import { nameKey, targetsOf } from '../../documents/names.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { outlineOf } from '../../markdown/outline.ts';
import { noteWrite } from '../../ports/audit.ts';
import type { Db } from '../../ports/db.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import type { By, Keeper } from '../../ports/keeper.ts';
import { onceScope } from '../../ports/once.ts';
import type { Draft } from '../../ports/record.ts';
import { shortened } from '../texts.ts';
import { type Passages, repairPassages } from './passages.ts';
import type { Places } from './places.ts';
import { type DocDoc, type Saved, type VersionDoc, versionRecord } from './record.ts';

export interface LibraryDeps {
  db: Db;
  docs: Keeper<DocDoc>;
  versions: Keeper<VersionDoc>;
  passages: Passages;
  places: Places;
  clock: Clock;
}

/** What a save changes; a function of the document as it is, since it runs again when somebody else was faster. */
export interface Change {
  content?: string | undefined;
  fields: Saved;
}

export interface Saving {
  author: Author;
  /** Refused unless the document is still at this version. */
  version?: number | null | undefined;
  changeSummary?: string | null | undefined;
}

export interface Author {
  name: string | null;
  /** Where an agent wrote it: the run, and what stands for the call. */
  runId?: number | null;
  onceKey?: string | null;
  /** What the first version says of itself; of later ones the saving says it. */
  changeSummary?: string | null | undefined;
}

const sourceOf = ({ name, runId = null, onceKey = null }: Author) => ({
  authorName: name,
  sourceRunId: runId,
  onceKey,
});

type Made =
  | 'orderKey'
  | 'pathKey'
  | 'names'
  | 'linkTargets'
  | 'version'
  | 'siteChangedAt'
  | 'siteDueAt'
  | 'passagesPending';
export type NewDoc = Omit<Draft<DocDoc>, Made | 'tagList' | 'isExcerptOwn' | 'slug' | 'path'> & {
  slug?: string | null | undefined;
  path?: string | null | undefined;
  content: string;
  position: number | null;
  /** Of a document that is restored; else its first version is 1. */
  version?: number;
};

const excerptCharacters = 200;
/** How often a write is tried whose place somebody else took at the same moment. */
const attempts = 100;

export function createLibrary(deps: LibraryDeps) {
  const { docs, versions, passages, clock } = deps;
  const contentOf = async ({ tenantId, _id, version }: DocDoc): Promise<string> =>
    (await versions.of(tenantId).findOne({ docId: _id, version }))?.content ?? '';
  const settle = createSettle(deps);
  const forget = async (doc: DocDoc): Promise<void> => {
    await versions.of(doc.tenantId).deleteMany({ docId: doc._id });
    await passages.purge(doc);
  };

  return {
    contentOf,
    settle,
    create: createCreate(deps),
    save: createSave({ ...deps, contentOf, settle }),
    /** What a call with this key made before its process died, made whole; null where it made nothing. */
    async madeBy(by: By, onceKey: string, content: string, author: Author): Promise<DocDoc | null> {
      const saved = await versions.of(by.tenantId).findOne({ onceKey }, { projection: { content: 0 } });
      if (saved?.isOpen) await settle(by, saved.docId, saved.version);
      if (saved) return docs.get(by, saved.docId);
      const begun = await docs.of(by.tenantId).findOne({ onceKey, deletedAt: null });
      if (!begun) return null;
      await keepFirst(versions, by, begun, content, author);
      await passages.follow(begun, content);
      return begun;
    },
    /** Removes a document with its versions and passages; a mark of it stays for the site that showed it. */
    async remove(by: By, doc: DocDoc): Promise<void> {
      const now = new Date(clock.now());
      // No document can be named so, and nobody looks for a place there.
      const gone = `//${doc._id}`;
      const place = { parentDocId: -1, orderKey: gone, pathKey: gone, slug: gone };
      const emptied = { ...place, names: [], linkTargets: [], tagList: [] };
      const said = { title: '', path: '', excerpt: null, tags: null, authorName: null };
      const $set = {
        ...emptied,
        ...said,
        ...siteTouched(doc, {}, now),
        siteDueAt: null,
        deletedAt: now,
        passagesPending: true,
      };
      const filter = { _id: doc._id, deletedAt: null };
      const removed = await docs.of(by.tenantId).findOneAndUpdate(filter, { $set });
      if (!removed) return;
      noteWrite(by, { kind: 'document', how: 'removed', doc, before: doc });
      await forget(doc);
    },
    /** Completes what writers left that died: versions that no document shows, and passages of earlier ones. */
    async repair(before: Date): Promise<void> {
      await completeOpen(deps, settle, before);
      await repairPassages(deps, contentOf, forget);
    },
  };
}
export type Library = ReturnType<typeof createLibrary>;

/** Marks a change of what the project's site shows. */
export const siteTouched = (old: Pick<DocDoc, 'isPublished'>, next: Saved, now: Date): Saved =>
  old.isPublished || next.isPublished ? { siteChangedAt: now, ...dueAt(next, now) } : {};

/** One whose time comes later waits for a build then. */
function dueAt({ isPublished, publishedAt }: Saved, now: Date): Saved {
  if (isPublished === false) return { siteDueAt: null };
  return publishedAt && publishedAt > now ? { siteDueAt: publishedAt } : {};
}

/** What follows from a text. */
function followsFrom(content: string, path: string, isExcerptOwn: boolean): Saved {
  const outline = outlineOf(content);
  const words = shortened(outline.sections.map(({ text }) => text).find(Boolean) ?? '', excerptCharacters);
  const linkTargets = [...new Set(outline.links.flatMap((href) => targetsOf(href, path)))].slice(0, 1000);
  return { linkTargets, ...(isExcerptOwn ? {} : { excerpt: words || null }) };
}

export const tagListOf = (tags: string | null): string[] =>
  [...new Set((tags ?? '').split(',').map((tag) => tag.trim().toLowerCase()))].filter(Boolean);

function createCreate({ docs, versions, passages, places }: LibraryDeps) {
  return async (
    { content, position, version = 1, slug: wantedSlug, path: wantedPath, ...draft }: NewDoc,
    by: By,
    author: Author,
  ) => {
    const beside = { tenantId: by.tenantId, projectId: draft.projectId, parentDocId: draft.parentDocId };
    const parent = await places.checkParent(beside, null);
    for (let attempt = 1; ; attempt++) {
      const { slug, path } = await places.names(beside, { ...draft, slug: wantedSlug, path: wantedPath }, parent);
      const named = { slug, path, pathKey: nameKey(path), names: [...new Set([nameKey(path), slug])] };
      const isExcerptOwn = draft.excerpt !== null;
      const orderKey = (await places.keyAt(beside, position, null)) as string;
      try {
        const doc = await docs.insert(by, {
          ...draft,
          linkTargets: [],
          ...followsFrom(content, path, isExcerptOwn),
          ...named,
          orderKey,
          isExcerptOwn,
          tagList: tagListOf(draft.tags),
          version,
          siteChangedAt: null,
          siteDueAt: null,
          passagesPending: true,
          ...(author.onceKey && { onceKey: author.onceKey }),
        } as Draft<DocDoc>);
        await keepFirst(versions, by, doc, content, author);
        // A repeat of the request finds what it made before, by the names that it chose then.
        const made = onceScope()?.repeated ? await docs.get(by, doc._id) : doc;
        await passages.follow(made, content);
        return made;
      } catch (error) {
        await explain(places, error, { beside, id: null, slug: wantedSlug && slug, path: wantedPath && path });
        if (attempt === attempts) throw error;
      }
    }
  };
}

async function keepFirst(versions: Keeper<VersionDoc>, by: By, doc: DocDoc, content: string, author: Author) {
  try {
    await versions.insert(by, {
      docId: doc._id,
      projectId: doc.projectId,
      version: doc.version,
      title: doc.title,
      content,
      contentLength: content.length,
      changeSummary: author.changeSummary ?? null,
      ...sourceOf(author),
      saved: {},
      isOpen: false,
    });
  } catch (error) {
    // A repeat of the request, which has made it.
    if (!isDuplicate(error)) throw error;
  }
}

/** Says which name is taken; returns where only a place in the order was, which is looked for again. */
async function explain(
  places: Places,
  error: unknown,
  at: {
    beside: { tenantId: number; projectId: number };
    id: number | null;
    slug?: string | null | undefined;
    path?: string | null | undefined;
  },
): Promise<void> {
  if (!isDuplicate(error)) throw error;
  const { tenantId, projectId } = at.beside;
  const taken = async (what: 'path' | 'slug', fields: Partial<DocDoc>) => {
    if (await places.isTaken(tenantId, projectId, fields, at.id))
      throw new Fault('DUPLICATE', `There is already a document with the ${what} "${at[what]}" in this project.`, {
        hint: `Choose another ${what}, or change that document.`,
        field: what,
        cause: error,
      });
  };
  if (at.path) await taken('path', { pathKey: nameKey(at.path) });
  if (at.slug) await taken('slug', { slug: at.slug });
}

interface SaveDeps extends LibraryDeps {
  contentOf(doc: DocDoc): Promise<string>;
  settle: Settle;
}

function createSave({ docs, versions, passages, places, contentOf, settle, clock }: SaveDeps) {
  /** Null when somebody else made that version. */
  const open = async (by: By, old: DocDoc, content: string, saved: Saved, { author, changeSummary }: Saving) => {
    try {
      return await versions.insert(by, {
        docId: old._id,
        projectId: old.projectId,
        version: old.version + 1,
        title: saved.title ?? old.title,
        content,
        saved,
        isOpen: true,
        contentLength: content.length,
        changeSummary: changeSummary ?? null,
        ...sourceOf(author),
      });
    } catch (error) {
      if (isDuplicate(error)) return null;
      throw error;
    }
  };

  const once = async (by: By, old: DocDoc, change: Change, saving: Saving): Promise<DocDoc | null> => {
    const { fields } = change;
    const before = await contentOf(old);
    const content = change.content ?? before;
    const isReworded = content !== before || (fields.title ?? old.title) !== old.title;
    const next: Saved = { ...renamed(old, fields), ...siteTouched(old, fields, new Date(clock.now())) };
    const isOwn = next.isExcerptOwn ?? old.isExcerptOwn;
    const isFollowed = content !== before || next.path !== undefined || next.isExcerptOwn === false;
    const saved = { ...next, ...(isFollowed ? followsFrom(content, next.path ?? old.path, isOwn) : {}) };
    const moves = ['classification', 'projectId', 'title'].some((name) => name in fields);
    if (!isReworded) {
      const pending = moves ? { passagesPending: true } : {};
      const doc = await docs.change(by, old._id, { ...saved, ...pending });
      if (doc.projectId !== old.projectId)
        await versions.of(by.tenantId).updateMany({ docId: doc._id }, { $set: { projectId: doc.projectId } });
      if (moves) await passages.follow(doc, content);
      return doc;
    }
    const entry = await open(by, old, content, { ...saved, passagesPending: true }, saving);
    if (!entry) {
      await settle(by, old._id, old.version + 1);
      return null;
    }
    const doc = await settle.complete(by, entry);
    await passages.follow(doc, content);
    return doc;
  };

  /** @throws Fault PRECONDITION_FAILED when the version is not the one that was asked for; DUPLICATE for a name that is taken */
  return async (by: By, id: number, change: (old: DocDoc) => Change | Promise<Change>, saving: Saving) => {
    for (let attempt = 1; ; attempt++) {
      const old = await docs.get(by, id);
      if (saving.version != null && saving.version !== old.version) throw stale(old, saving.version);
      const wanted = await change(old);
      try {
        const doc = await once(by, old, wanted, saving);
        if (doc) return doc;
      } catch (error) {
        const beside = { tenantId: by.tenantId, projectId: wanted.fields.projectId ?? old.projectId };
        await explain(places, error, { beside, id, slug: wanted.fields.slug, path: wanted.fields.path ?? old.path });
        if (attempt === attempts) throw error;
      }
    }
  };
}

/** Another path or slug: the former ones go on leading there. */
function renamed(old: DocDoc, fields: Saved): Saved {
  const { path = old.path, slug = old.slug } = fields;
  if (path === old.path && slug === old.slug) return fields;
  const names = [...new Set([nameKey(path), slug, ...old.names])].slice(0, 50);
  return { ...fields, pathKey: nameKey(path), names };
}

const stale = (doc: DocDoc, version: number) =>
  new Fault('PRECONDITION_FAILED', `Document ${doc._id} is at version ${doc.version}, not ${version}.`, {
    hint: `Read it again with GET /api/docs/${doc._id}, and compare with GET /api/docs/${doc._id}/versions/${doc.version}.`,
  });

const applied = Symbol('applied');

/** Makes a version that was written the one that its document shows. */
function createSettle({ docs, versions }: LibraryDeps) {
  const complete = async (by: By, entry: VersionDoc): Promise<DocDoc> => {
    try {
      const doc = await docs.change(
        by,
        entry.docId,
        (old) => {
          if (old.version >= entry.version) throw applied;
          return { ...entry.saved, version: entry.version };
        },
        { expecting: ['version'] },
      );
      await versions.of(by.tenantId).updateOne({ _id: entry._id }, { $set: { isOpen: false } });
      return doc;
    } catch (error) {
      if (error === applied) {
        await versions.of(by.tenantId).updateOne({ _id: entry._id }, { $set: { isOpen: false } });
        return docs.get(by, entry.docId);
      }
      // Its names or its place are taken: it was never shown.
      await versions.of(by.tenantId).deleteOne({ _id: entry._id });
      throw error;
    }
  };
  const settle = async (by: By, docId: number, version: number): Promise<void> => {
    const entry = await versions.of(by.tenantId).findOne({ docId, version, isOpen: true });
    if (entry) await complete(by, entry).catch(() => {});
  };
  return Object.assign(settle, { complete });
}
type Settle = ReturnType<typeof createSettle>;

/** Of all tenants: each is completed as its own. */
async function completeOpen({ db }: LibraryDeps, settle: Settle, before: Date): Promise<void> {
  const all = db.collection(versionRecord.spec);
  const open = await all.find({ isOpen: true, createdAt: { $lt: before } }, { limit: 100 }).toArray();
  for (const { tenantId, docId, version } of open) await settle({ tenantId }, docId, version);
}
