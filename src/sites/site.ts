// What a site is made from, and which of it belongs where.
import { targetsOf } from '../documents/names.ts';
import { type Branch, inOrder, treeOf } from '../documents/tree.ts';

/** A published document as a site shows it. */
export interface SiteDoc {
  _id: number;
  parentDocId: number | null;
  orderKey: string;
  slug: string;
  path: string;
  pathKey: string;
  /** Every name that leads to it. */
  names: readonly string[];
  linkTargets: readonly string[];
  title: string;
  excerpt: string | null;
  icon: string | null;
  tags: string | null;
  authorName: string | null;
  isPost: boolean;
  isPinned: boolean;
  includeInNav: boolean;
  version: number;
  publishedAt: Date;
  updatedAt: Date;
}

export interface SiteSource {
  name: string;
  description: string | null;
  /** Where it will be served, with a slash at its end; null where nobody knows yet. */
  url: string | null;
  docs: readonly SiteDoc[];
  /** The text of some of them, when it is needed. */
  contentOf(docs: readonly SiteDoc[]): Promise<Map<number, string>>;
}

export interface Site extends Omit<SiteSource, 'docs'> {
  docs: readonly SiteDoc[];
  roots: readonly Branch<SiteDoc>[];
  /** Newest first. */
  posts: readonly SiteDoc[];
  home: SiteDoc | null;
  byName: ReadonlyMap<string, SiteDoc>;
  parents: ReadonlyMap<number, SiteDoc>;
  /** Pages that stand directly below a document. */
  children: ReadonlyMap<number, readonly SiteDoc[]>;
}

export function siteOf(source: SiteSource): Site {
  const docs = [...source.docs].sort(inOrder);
  const pages = docs.filter((doc) => doc.includeInNav && !doc.isPost);
  const byId = new Map(docs.map((doc) => [doc._id, doc]));
  // Names that documents have now win over names that others had.
  const byName = new Map<string, SiteDoc>();
  for (const doc of docs) for (const name of doc.names) byName.set(name, doc);
  for (const doc of docs) byName.set(doc.slug, doc);
  for (const doc of docs) byName.set(doc.pathKey, doc);
  const posts = docs
    .filter((doc) => doc.isPost)
    .sort((a, b) => b.publishedAt.getTime() - a.publishedAt.getTime() || b._id - a._id);
  const parents = new Map<number, SiteDoc>();
  const children = new Map<number, SiteDoc[]>();
  for (const doc of docs) {
    const parent = doc.parentDocId === null ? undefined : byId.get(doc.parentDocId);
    if (!parent) continue;
    parents.set(doc._id, parent);
    const beside = children.get(parent._id) ?? [];
    if (doc.includeInNav && !doc.isPost) beside.push(doc);
    children.set(parent._id, beside);
  }
  const home = pages.find(({ isPinned }) => isPinned) ?? null;
  return { ...source, docs, roots: treeOf(pages), posts, home, byName, parents, children };
}

/** The document of the site that an address in another one leads to. */
export function linkedDoc({ byName }: Site, from: SiteDoc, href: string): SiteDoc | null {
  for (const name of targetsOf(href, from.path)) {
    const found = byName.get(name);
    if (found) return found;
  }
  return null;
}

export const fileOf = ({ slug }: Pick<SiteDoc, 'slug'>): string => `${slug}.html`;
/** A file's address from any other page: all stand side by side, so that a site can be opened from a disk. */
export const addressOf = (file: string): string => encodeURIComponent(file);
