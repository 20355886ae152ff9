// The pages of a site as HTML: whole without a script, by relative addresses alone.
import type { Branch } from '../documents/tree.ts';
import { escapeHtml, renderMarkdown } from '../markdown/render.ts';
import { addressOf, fileOf, type Site, type SiteDoc } from './site.ts';

/** Entries of one level that navigation shows at once: around the page that is read. */
const shownBeside = 40;
/** Levels that a list of all documents goes down. */
const deepest = 24;
const bodyBegin = '<!--body-->';
const bodyEnd = '<!--/body-->';

interface Page {
  title: string;
  /** Safe HTML. */
  body: string;
  description?: string | null;
  doc?: SiteDoc | null;
}

const link = (doc: SiteDoc, current: SiteDoc | null = null): string => {
  const mark = doc === current ? ' aria-current="page"' : '';
  const icon = doc.icon && /^\p{Extended_Pictographic}/u.test(doc.icon) ? `${escapeHtml(doc.icon)} ` : '';
  return `<a href="${addressOf(fileOf(doc))}"${mark}>${icon}${escapeHtml(doc.title)}</a>`;
};

export function pageHtml(site: Site, { title, body, description, doc = null }: Page): string {
  const name = escapeHtml(site.name);
  const heading = title === site.name ? name : `${escapeHtml(title)} · ${name}`;
  const about = description ? `\n<meta name="description" content="${escapeHtml(description)}">` : '';
  const blog = site.posts.length > 0 ? `<a href="blog.html">Blog</a>` : '';
  const feed =
    site.posts.length > 0 ? `\n<link rel="alternate" type="application/atom+xml" href="feed.xml" title="${name}">` : '';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${heading}</title>${about}
<link rel="stylesheet" href="assets/site.css">
<link rel="icon" href="assets/icon.svg" type="image/svg+xml">${feed}
<script src="assets/search.js" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the text</a>
<header class="top">
<a class="name" href="index.html">${name}</a>
<nav aria-label="Site"><a href="contents.html">Contents</a>${blog}</nav>
<form role="search" action="search.html"><input type="search" name="q" aria-label="Search" placeholder="Search"></form>
</header>
<div class="columns">
<nav class="tree" aria-label="Documents">${navigation(site, doc)}</nav>
<main id="main">${bodyBegin}${body}${bodyEnd}</main>
</div>
</body>
</html>
`;
}

/** The body of a page that was made before. */
export function bodyOf(html: string): string | null {
  const begin = html.indexOf(bodyBegin);
  const end = html.lastIndexOf(bodyEnd);
  return begin < 0 || end < begin ? null : html.slice(begin + bodyBegin.length, end);
}

/** The top of the tree, opened on the way to the page that is read. */
export function navigation({ roots, parents }: Site, current: SiteDoc | null): string {
  const open = new Set<number>();
  for (let at: SiteDoc | undefined = current ?? undefined; at && !open.has(at._id); at = parents.get(at._id))
    open.add(at._id);
  const level = (branches: readonly Branch<SiteDoc>[], depth: number): string => {
    if (branches.length === 0 || depth > deepest) return '';
    const at = Math.max(
      0,
      branches.findIndex(({ doc }) => open.has(doc._id)),
    );
    const from =
      branches.length <= shownBeside ? 0 : Math.max(0, Math.min(at - shownBeside / 2, branches.length - shownBeside));
    const items = branches.slice(from, from + shownBeside).map(({ doc, children }) => {
      const below = open.has(doc._id) ? level(children, depth + 1) : '';
      return `<li>${link(doc, current)}${below}</li>`;
    });
    const rest = branches.length > shownBeside ? `<li><a href="contents.html">All ${branches.length} …</a></li>` : '';
    return `<ul>${items.join('')}${rest}</ul>`;
  };
  return level(roots, 0);
}

const day = (at: Date): string => at.toISOString().slice(0, 10);

/** What stands around the text of a document. */
export function docBody(site: Site, doc: SiteDoc, html: string): string {
  const begins = /^\s*<h1[ >]/.test(html);
  const title = begins ? '' : `<h1>${escapeHtml(doc.title)}</h1>\n`;
  const by = doc.authorName ? ` · ${escapeHtml(doc.authorName)}` : '';
  const meta = doc.isPost
    ? `<p class="meta"><time datetime="${day(doc.publishedAt)}">${day(doc.publishedAt)}</time>${by}</p>\n`
    : '';
  return `<article>\n${title}${meta}${html}</article>\n${childrenOf(site, doc)}`;
}

function childrenOf(site: Site, doc: SiteDoc): string {
  const below = site.children.get(doc._id) ?? [];
  if (below.length === 0) return '';
  return `<nav class="below" aria-label="Below this page"><ul>${below.map((one) => `<li>${link(one)}</li>`).join('')}</ul></nav>\n`;
}

export function contentsBody({ roots, posts }: Site): string {
  const level = (branches: readonly Branch<SiteDoc>[], depth: number): string =>
    branches.length === 0 || depth > deepest
      ? ''
      : `<ul>${branches.map(({ doc, children }) => `<li>${link(doc)}${level(children, depth + 1)}</li>`).join('')}</ul>`;
  const blog =
    posts.length > 0 ? `<h2>Blog</h2><ul>${posts.map((post) => `<li>${link(post)}</li>`).join('')}</ul>` : '';
  return `<h1>Contents</h1>\n${level(roots, 0) || '<p>Nothing is published yet.</p>'}\n${blog}`;
}

export const homeBody = (site: Site): string =>
  `<h1>${escapeHtml(site.name)}</h1>\n${site.description ? `${renderMarkdown(site.description)}\n` : ''}${contentsBody(site).replace('<h1>Contents</h1>', '')}`;

export function blogBody(posts: readonly SiteDoc[], number: number, count: number): string {
  const items = posts.map(
    (post) =>
      `<li><h2>${link(post)}</h2><p class="meta"><time datetime="${day(post.publishedAt)}">${day(post.publishedAt)}</time></p>${post.excerpt ? `<p>${escapeHtml(post.excerpt)}</p>` : ''}</li>`,
  );
  const newer = number > 1 ? `<a rel="prev" href="${blogFile(number - 1)}">Newer</a>` : '';
  const older = number < count ? `<a rel="next" href="${blogFile(number + 1)}">Older</a>` : '';
  const feed = '<a href="feed.xml">Feed</a>';
  return `<h1>Blog</h1>\n<ul class="posts">${items.join('\n')}</ul>\n<nav aria-label="Blog">${newer} ${older} ${feed}</nav>`;
}

/** No document is named so: slugs begin with a letter or digit. */
export const blogFile = (number: number): string => (number === 1 ? 'blog.html' : `-blog-${number}.html`);

export const searchBody =
  '<h1>Search</h1>\n<div id="results" aria-live="polite"><p>Searching takes a script; without one, look through the <a href="contents.html">contents</a>.</p></div>';

export const missingBody =
  '<h1>Not found</h1>\n<p>There is no such page. Look through the <a href="contents.html">contents</a>.</p>';

/** A page at a name that a document had. */
export const movedPage = (site: Site, doc: SiteDoc): string => {
  const to = addressOf(fileOf(doc));
  return `<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>${escapeHtml(doc.title)} · ${escapeHtml(site.name)}</title>\n<meta http-equiv="refresh" content="0; url=${to}">\n<link rel="canonical" href="${to}">\n</head>\n<body><p>This page is now at <a href="${to}">${escapeHtml(doc.title)}</a>.</p></body>\n</html>\n`;
};

export function feedXml(site: Site, posts: readonly SiteDoc[]): string {
  const base = site.url ?? '';
  const id = (doc: SiteDoc) => `${base || 'urn:rivulet:'}${addressOf(fileOf(doc))}`;
  const newest = posts.reduce((at, { updatedAt }) => Math.max(at, updatedAt.getTime()), 0);
  const entries = posts.map(
    (post) => `<entry>
<id>${escapeHtml(id(post))}</id>
<title>${xmlText(post.title)}</title>
<link href="${escapeHtml(`${base}${addressOf(fileOf(post))}`)}"/>
<published>${post.publishedAt.toISOString()}</published>
<updated>${post.updatedAt.toISOString()}</updated>
<author><name>${xmlText(post.authorName ?? site.name)}</name></author>
<summary>${xmlText(post.excerpt ?? '')}</summary>
</entry>`,
  );
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${escapeHtml(base || 'urn:rivulet:site')}</id>
<title>${xmlText(site.name)}</title>
<updated>${new Date(newest).toISOString()}</updated>
<link rel="self" href="${escapeHtml(`${base}feed.xml`)}"/>
${entries.join('\n')}
</feed>
`;
}

/** Control characters have no place in XML, not even escaped; a feed loses nothing by a blank instead. */
const xmlText = (text: string): string => escapeHtml(text.toWellFormed().replaceAll(/[\p{Cc}\ufffe\uffff]/gu, ' '));

export const sitemapXml = (site: Site): string => `<?xml version="1.0" encoding="utf-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${site.docs
  .map(
    (doc) =>
      `<url><loc>${escapeHtml(`${site.url ?? ''}${addressOf(fileOf(doc))}`)}</loc><lastmod>${day(doc.updatedAt)}</lastmod></url>`,
  )
  .join('\n')}
</urlset>
`;
