// Sites: whole pages without a script, safe whatever is written, quick to build and quicker to build again.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../test/support/embedded-db.ts';
import { threadCpuMs } from '../../test/support/thread-cpu.ts';
import { targetsOf } from '../documents/names.ts';
import { outlineOf } from '../markdown/outline.ts';
import { buildSite } from './build.ts';
import { createSiteFolders } from './folders.ts';
import type { SiteDoc, SiteSource } from './site.ts';

const at = new Date('2026-05-01T00:00:00Z');
type Given = Partial<SiteDoc> & { text?: string };
function docOf({ text = '', ...given }: Given, _id: number): SiteDoc & { text: string } {
  const slug = given.slug ?? `doc-${_id}`;
  const path = given.path ?? slug;
  return {
    _id,
    parentDocId: null,
    orderKey: `a${String(_id).padStart(5, '0')}`,
    slug,
    path,
    pathKey: path,
    names: [path, slug],
    title: `Document ${_id}`,
    excerpt: null,
    icon: null,
    tags: null,
    authorName: null,
    isPost: false,
    isPinned: false,
    includeInNav: true,
    version: 1,
    publishedAt: at,
    updatedAt: at,
    text,
    linkTargets: outlineOf(text).links.flatMap((href) => targetsOf(href, path)),
    ...given,
  };
}
const sourceOf = (docs: readonly (SiteDoc & { text: string })[], description: string | null = null): SiteSource => ({
  name: 'River & Co',
  description,
  url: 'https://x.example/sites/river/',
  docs,
  contentOf: async (some) => new Map(some.map((one) => [one._id, (one as (typeof docs)[0]).text])),
});
const built = async (given: readonly Given[], previous: string | null = null) => {
  const folder = join(temporaryFolder(), 'site');
  const docs = given.map((one, index) => docOf(one, one._id ?? index + 1));
  const result = await buildSite({ source: sourceOf(docs), folder, previous });
  return { folder, result, read: (file: string) => readFileSync(join(folder, file), 'utf8') };
};

it('links documents by path, slug and former names, and leaves no trace of what is not published', async () => {
  const { read, folder } = await built([
    { slug: 'start', path: 'guides/start', text: '# Start\n\n[a](install.md#Set-up) [b](secret-plan) [c](#start)' },
    {
      slug: 'set-up',
      path: 'guides/set-up',
      names: ['guides/set-up', 'set-up', 'guides/install', 'install'],
      text: '## Set up',
    },
  ]);
  const start = read('start.html');
  expect(start).toContain('<a href="set-up.html#h-set-up" rel="nofollow noopener noreferrer">a</a>');
  expect(start).toContain(' b <a href="#h-start"');
  expect(start).not.toContain('secret-plan');
  expect(read('set-up.html')).toContain('<h2 id="h-set-up">');
  expect(read('install.html')).toContain('url=set-up.html');
  for (const file of ['index.html', 'contents.html', 'search.html', '404.html', 'feed.xml', 'sitemap.xml'])
    expect(existsSync(join(folder, file))).toBe(true);
});

it('shows posts on the blog and in the feed, newest first, and pages in the navigation', async () => {
  const { read } = await built([
    { title: 'Old <news>', isPost: true, excerpt: 'one & two' },
    { title: 'Newer', isPost: true, publishedAt: new Date('2026-06-01T00:00:00Z') },
    { title: 'Guide' },
    { title: 'Below', parentDocId: 3 },
  ]);
  expect(read('blog.html').indexOf('Newer')).toBeLessThan(read('blog.html').indexOf('Old &#60;news&#62;'));
  expect(read('feed.xml')).toContain('<summary>one &#38; two</summary>');
  expect(read('feed.xml')).toContain('https://x.example/sites/river/doc-2.html');
  const tree = /<nav class="tree"[\s\S]*?<\/nav>/.exec(read('doc-4.html'))?.[0];
  expect(tree).toMatch(/Guide.*<ul>.*aria-current="page">Below/);
  expect(tree).not.toContain('Newer');
});

it('shows the description of the project as the dashboard does', async () => {
  const folder = join(temporaryFolder(), 'site');
  const description = 'All about the **quay**. <script>alert(1)</script>';
  await buildSite({ source: sourceOf([], description), folder, previous: null });
  const home = readFileSync(join(folder, 'index.html'), 'utf8');
  expect(home).toContain('<p>All about the <strong>quay</strong>.');
  expect(home).not.toContain('<script>alert');
});

it('colours code of languages that it knows', async () => {
  const { read } = await built([{ text: '```js\nconst a = "<b>";\n```\n\n```nonsense\n<i>\n```' }]);
  expect(read('doc-1.html')).toContain('<span class="hljs-keyword">const</span>');
  expect(read('doc-1.html')).toContain('&quot;&lt;b&gt;&quot;');
  expect(read('doc-1.html')).toContain('&lt;i&gt;');
});

it('is safe whatever is written, in every file', async () => {
  const evil = '<script>alert(1)</script>"\'><img src=x onerror=alert(1)></title><!--/body-->';
  const text = `${evil}\n\n# ${evil}\n\n[x](javascript:alert(1)) ![x](data:text/html,x)\n\n\`\`\`js\n</script>${evil}\n\`\`\``;
  const { folder, read } = await built([
    { title: evil, excerpt: evil, icon: evil, authorName: evil, tags: evil, text },
    { title: evil, isPost: true, excerpt: evil, authorName: evil, text },
    { title: 'Deep', text: `${'> '.repeat(5000)}x\n\n${'- '.repeat(5000)}y\n\n${'['.repeat(20_000)}` },
    { title: 'Long', text: '<b>'.repeat(1_000_000) },
  ]);
  for (const file of readdirSync(folder).filter((name) => /\.(html|xml)$/.test(name))) {
    const own = read(file).replaceAll('<script src="assets/search.js" defer></script>', '');
    expect(own).not.toMatch(/<script|<img|<svg|<iframe|href="(javascript|data|vbscript):/i);
    // Attributes by their names: what stands in quotes is words.
    for (const [tag] of own.replaceAll(/"[^"]*"/g, '""').matchAll(/<[a-z][^>]*>/gi))
      expect(tag).not.toMatch(/\son\w+\s*=/i);
  }
  expect(read('assets/search-index.js')).not.toContain('</script');
});

it('builds a thousand documents in seconds, and again only what has changed', async () => {
  const text = (id: number) =>
    `# Title ${id}\n\n${`Words of document ${id} with \`code\` and [a link](doc-${(id % 1000) + 1}).\n\n`.repeat(20)}\n\`\`\`ts\nconst x: number = ${id};\n\`\`\`\n`;
  const all = Array.from({ length: 1000 }, (_, index) => ({
    text: text(index + 1),
    parentDocId: index < 20 ? null : (index % 20) + 1,
  }));
  const before = threadCpuMs();
  const first = await built(all);
  expect(threadCpuMs() - before).toBeLessThan(20_000);
  expect(first.result).toMatchObject({ pages: 1000, rendered: 1000 });
  const changed = all.map((one, index) => (index === 500 ? { ...one, text: 'Other words.', version: 2 } : one));
  const second = await built(changed, first.folder);
  expect(second.result).toMatchObject({ pages: 1000, rendered: 1 });
  const inode = (folder: string, file: string) => statSync(join(folder, file)).ino;
  expect(inode(second.folder, 'doc-7.html')).toBe(inode(first.folder, 'doc-7.html'));
  expect(second.read('doc-501.html')).toContain('Other words.');
  expect(first.read('doc-501.html')).not.toContain('Other words.');
}, 60_000);

it('makes the same from scratch as from what was there, file by file', async () => {
  const all = Array.from({ length: 30 }, (_, at) => ({
    text: `[a](doc-${at})`,
    parentDocId: at < 5 ? null : (at % 5) + 1,
  }));
  const first = await built(all);
  const changed = all
    .map((one, at) => (at === 3 ? { ...one, title: 'Other', slug: 'other', version: 2 } : one))
    .slice(0, 25);
  const second = await built(changed, first.folder);
  const anew = await built(changed);
  expect(readdirSync(second.folder)).toEqual(readdirSync(anew.folder));
  for (const file of readdirSync(anew.folder).filter((name) => name.endsWith('.html')))
    expect(second.read(file)).toBe(anew.read(file));
});

it('shows one whole build or the other, and removes what is old', async () => {
  const folders = createSiteFolders(temporaryFolder());
  expect(await folders.current(7)).toBeNull();
  const one = await folders.begin(7, 1);
  const two = await folders.begin(7, 2);
  await folders.publish(7, one);
  expect(await folders.current(7)).toBe(one);
  // What another build had begun is gone; it is made anew.
  expect(existsSync(two)).toBe(false);
  const three = await folders.begin(7, 3);
  await folders.publish(7, three);
  expect(await folders.current(7)).toBe(three);
  expect(existsSync(one)).toBe(true);
});
