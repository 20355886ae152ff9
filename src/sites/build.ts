// Builds a site into a folder of its own. What has not changed since the last build is taken from there.
import { createHash } from 'node:crypto';
import { link, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import MiniSearch from 'minisearch';
import { decoded } from '../kernel/decoded.ts';
import { anchorOf } from '../markdown/nodes.ts';
import { outlineOf } from '../markdown/outline.ts';
import { renderMarkdown } from '../markdown/render.ts';
import { siteAssets } from './assets.ts';
import { loadHighlighter } from './highlight.ts';
import * as pages from './pages.ts';
import { addressOf, fileOf, linkedDoc, type Site, type SiteDoc, type SiteSource, siteOf } from './site.ts';

/** Grows when the same documents give other pages. */
const edition = 3;
const postsAPage = 50;
/** Documents whose texts are held at once. */
const batch = 50;
/** Characters of a document that the search of the site looks through. */
const searched = 3000;
export const manifestFile = 'manifest.json';

interface Searched {
  headings: string;
  text: string;
}

/** What a build leaves for the next one. */
interface Manifest {
  edition: number;
  /** Digest of each file, by its path. */
  files: Record<string, string>;
  /** What the body of a document's page was made from, and what of it can be searched. */
  bodies: Record<string, Searched & { key: string }>;
}

export interface BuildOptions {
  source: SiteSource;
  /** An empty or absent folder. */
  folder: string;
  /** The folder of the last build; null to make everything anew. */
  previous: string | null;
  /** Called now and then with the number of documents that are done; throws to stop. */
  progress?: (done: number) => Promise<void>;
}

export interface Built {
  pages: number;
  /** Documents whose text was rendered: the others were as before. */
  rendered: number;
  files: number;
}

export async function buildSite({ source, folder, previous, progress }: BuildOptions): Promise<Built> {
  const site = siteOf(source);
  const before = previous === null ? null : await readManifest(previous);
  const out = createOutput(folder, before && previous ? { folder: previous, files: before.files } : null);
  const manifest: Manifest = { edition, files: out.files, bodies: {} };
  let rendered = 0;
  for (let at = 0; at < site.docs.length; at += batch) {
    const some = site.docs.slice(at, at + batch);
    rendered += await writeDocs(site, some, { out, manifest, before, previous });
    await progress?.(at + some.length);
  }
  await writeLists(site, out);
  await out.write('assets/search-index.js', await searchIndex(site, manifest));
  for (const [path, text] of await siteAssets()) await out.write(path, text);
  await writeFile(join(folder, manifestFile), JSON.stringify(manifest));
  return { pages: site.docs.length, rendered, files: Object.keys(out.files).length };
}

interface Work {
  out: Output;
  manifest: Manifest;
  before: Manifest | null;
  previous: string | null;
}

async function writeDocs(site: Site, docs: readonly SiteDoc[], { out, manifest, before, previous }: Work) {
  const keys = new Map(docs.map((doc) => [doc._id, bodyKey(site, doc)]));
  const stale: SiteDoc[] = [];
  const bodies = new Map<number, string>();
  for (const doc of docs) {
    const known = before?.bodies[doc._id];
    const key = keys.get(doc._id) as string;
    const html = known?.key === key && previous ? await readText(join(previous, fileOf(doc))) : null;
    const body = html && pages.bodyOf(html);
    if (known && body) {
      manifest.bodies[doc._id] = known;
      bodies.set(doc._id, body);
    } else stale.push(doc);
  }
  const contents = stale.length > 0 ? await site.contentOf(stale) : new Map<number, string>();
  for (const doc of stale) {
    const markdown = contents.get(doc._id) ?? '';
    bodies.set(doc._id, pages.docBody(site, doc, render(site, doc, markdown)));
    manifest.bodies[doc._id] = { key: keys.get(doc._id) as string, ...searchedOf(markdown) };
    // A long text may have taken a while, and others wait for this process.
    await nextTurn();
  }
  for (const doc of docs) {
    const body = bodies.get(doc._id) as string;
    await out.write(fileOf(doc), pages.pageHtml(site, { title: doc.title, body, description: doc.excerpt, doc }));
  }
  return stale.length;
}

function searchedOf(markdown: string): Searched {
  const { sections } = outlineOf(markdown);
  const beginning = (texts: string[]) => texts.join(' ').slice(0, searched).toWellFormed();
  return {
    headings: beginning(sections.map(({ heading }) => heading)),
    text: beginning(sections.map(({ text }) => text)),
  };
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

function render(site: Site, doc: SiteDoc, markdown: string): string {
  const address = (href: string): string | null => {
    if (/^(https?:|mailto:)/i.test(href)) return href;
    const [, name = '', fragment] = /^([^#]*)(?:#(.*))?$/s.exec(href) ?? [];
    const anchor = fragment ? `#${encodeURIComponent(anchorOf(decoded(fragment).replaceAll('-', ' ')))}` : '';
    if (name === '') return anchor || null;
    const found = linkedDoc(site, doc, href);
    // What is not published leaves its words and no trace of where it is.
    return found && `${addressOf(fileOf(found))}${anchor}`;
  };
  return renderMarkdown(markdown, { link: address, highlight: loadHighlighter(), anchors: true });
}

/** All that the body of a page follows from. */
function bodyKey(site: Site, doc: SiteDoc): string {
  const links = doc.linkTargets.map((name) => site.byName.get(name)?.slug ?? null);
  const below = site.children.get(doc._id) ?? [];
  const shown = [doc.title, doc.path, doc.isPost, doc.authorName, doc.publishedAt];
  return digestOf(
    JSON.stringify([
      edition,
      doc._id,
      doc.version,
      ...shown,
      links,
      below.map((one) => [one.slug, one.title, one.icon]),
    ]),
  );
}

async function writeLists(site: Site, out: Output): Promise<void> {
  const page = (title: string, body: string) => pages.pageHtml(site, { title, body });
  const { home } = site;
  const homeHtml = home && (await readText(join(out.folder, fileOf(home))));
  await out.write('index.html', homeHtml ?? page(site.name, pages.homeBody(site)));
  await out.write('contents.html', page('Contents', pages.contentsBody(site)));
  await out.write('search.html', page('Search', pages.searchBody));
  await out.write('404.html', page('Not found', pages.missingBody));
  const count = Math.max(1, Math.ceil(site.posts.length / postsAPage));
  for (let number = 1; number <= count; number++) {
    const some = site.posts.slice((number - 1) * postsAPage, number * postsAPage);
    await out.write(pages.blogFile(number), page('Blog', pages.blogBody(some, number, count)));
  }
  await out.write('feed.xml', pages.feedXml(site, site.posts.slice(0, postsAPage)));
  if (site.url) await out.write('sitemap.xml', pages.sitemapXml(site));
  for (const doc of site.docs)
    for (const name of doc.names)
      if (isFileName(name) && site.byName.get(name) === doc && !out.has(`${name}.html`))
        await out.write(`${name}.html`, pages.movedPage(site, doc));
}

/** Paths may be longer than the name of a file, and begin with any sign. */
const isFileName = (name: string): boolean => /^[\p{L}\p{N}][^/]*$/u.test(name) && Buffer.byteLength(name) <= 200;

/** The index as a script, which pages that are opened from a disk may load too. */
async function searchIndex(site: Site, { bodies }: Manifest): Promise<string> {
  const index = new MiniSearch<Searched & { id: number; title: string; file: string; excerpt: string | null }>({
    fields: ['title', 'headings', 'text'],
    storeFields: ['title', 'file', 'excerpt'],
  });
  const all = site.docs.map((doc) => {
    const { headings = '', text = '' } = bodies[doc._id] ?? {};
    return { id: doc._id, title: doc.title, file: fileOf(doc), excerpt: doc.excerpt, headings, text };
  });
  await index.addAllAsync(all, { chunkSize: 20 });
  return `window.siteIndex=${JSON.stringify(index).replaceAll('<', '\\u003c')};\n`;
}

interface Output {
  folder: string;
  files: Record<string, string>;
  has(path: string): boolean;
  write(path: string, text: string): Promise<void>;
}

/** Writes files; one that is as it was is the same file as before. */
function createOutput(folder: string, before: { folder: string; files: Record<string, string> } | null): Output {
  const files: Record<string, string> = {};
  const made = new Set<string>();
  return {
    folder,
    files,
    has: (path) => path in files,
    async write(path, text) {
      const to = join(folder, path);
      if (!made.has(dirname(to))) await mkdir(dirname(to), { recursive: true });
      made.add(dirname(to));
      const digest = digestOf(text);
      files[path] = digest;
      if (before?.files[path] === digest && (await linked(join(before.folder, path), to))) return;
      await writeFile(to, text);
    },
  };
}

/** False where the file system has no links, or the file is gone: then it is written. */
const linked = (from: string, to: string): Promise<boolean> =>
  link(from, to).then(
    () => true,
    () => false,
  );

async function readManifest(folder: string): Promise<Manifest | null> {
  const text = await readText(join(folder, manifestFile));
  const manifest = text === null ? null : (JSON.parse(text) as Manifest);
  return manifest?.edition === edition ? manifest : null;
}

const readText = (file: string): Promise<string | null> => readFile(file, 'utf8').catch(() => null);
const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22);
