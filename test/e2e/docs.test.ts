// Documents and public sites from end to end: written, found, published, built, served apart from the dashboard.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Clock } from '../../src/kernel/clock.ts';
import { failure } from '../support/failure.ts';
import { hastyClock } from '../support/hasty-clock.ts';
import { startWithPeople } from '../support/people.ts';

type Stand = Awaited<ReturnType<typeof startWithPeople>>;
let stand: Stand;
let projectId = 0;
/** Rounds find out what documents mean: none does before they were searched by their words. */
let areRoundsHeld = true;
const clock: Clock = { ...hastyClock, every: (ms, run) => hastyClock.every(ms, () => areRoundsHeld || run()) };
beforeAll(async () => {
  stand = await startWithPeople(['Member'], { ada: 'Member', guest: 'Member' }, { clock });
  const members = [{ userId: stand.person('guest').userId, role: 'Viewer' }];
  const project = { name: 'River works', siteEnabled: true, siteSlug: 'river' };
  projectId = (await data(as('ada', 'POST', '/projects', project))).id;
  await data(as('ada', 'PUT', `/projects/${projectId}/members`, { members }));
});
afterAll(() => stand.close());

const as = (who: string, method: string, path: string, body?: unknown) => stand.as(who, method, `/api${path}`, body);
const data = async (answer: ReturnType<typeof as>) => {
  const { body } = await answer;
  expect(body.error ?? null).toBeNull();
  return body.data;
};
const write = (title: string, more: object = {}) =>
  data(as('ada', 'POST', `/projects/${projectId}/docs`, { title, ...more }));
const publish = async (title: string, more: object = {}) => {
  const { id } = await write(title, { classification: 'Public', ...more });
  return data(as('ada', 'POST', `/docs/${id}/publish`, {}));
};
const status = () => data(as('ada', 'GET', `/projects/${projectId}/site-builds/status`));
const build = async (more: object = {}) => {
  const { id } = await data(as('ada', 'POST', `/projects/${projectId}/site-builds`, more));
  await expect
    .poll(async () => (await status()).latest, { timeout: 20_000 })
    .toMatchObject({ id, status: 'Published' });
};
const site = (path: string) => fetch(`${stand.server.url}/sites/${path}`, { redirect: 'manual' });
const open = async (path: string) => {
  const answer = await fetch(`${stand.server.url}/api/public/projects/${projectId}${path}`);
  return (await answer.json()) as { data: never; errorCode: string | null };
};

it('are found by their words at once and by their meaning soon after', async () => {
  const { id } = await write('Paying bills', { content: 'Invoices are settled on the 14th.', tags: 'Money, Rules' });
  const search = async (q: string) =>
    data(as('guest', 'GET', `/projects/${projectId}/docs/search?q=${encodeURIComponent(q)}`));
  expect(await search('invoices')).toMatchObject([{ doc: { id }, matchedBy: 'Keyword' }]);
  areRoundsHeld = false;
  await expect.poll(async () => (await data(as('ada', 'GET', `/docs/${id}`))).hasEmbedding).toBe(true);
  expect(await search('paying bills')).toMatchObject([{ doc: { id }, matchedBy: 'Exact' }]);
  const list = await data(as('guest', 'GET', `/projects/${projectId}/docs?tag=money&q=bills&type=Page`));
  expect(list.items).toMatchObject([{ id, tags: 'Money, Rules', excerpt: 'Invoices are settled on the 14th.' }]);
});

it('say what is wrong, and what to do', async () => {
  const { id } = await write('Wrong');
  const at = `/docs/${id}`;
  await failure(as('guest', 'PATCH', at, { title: 'x' }), 403, 'FORBIDDEN', /Contributor|role/);
  await failure(as('Member', 'GET', at), 404, 'NOT_FOUND', /docs/);
  await failure(as('ada', 'POST', `${at}/publish`, {}), 409, 'INVALID_TRANSITION', /classification/);
  await failure(as('ada', 'PATCH', at, { title: 'y', version: 9 }), 412, 'PRECONDITION_FAILED', /versions/);
  await failure(as('ada', 'POST', `${at}/move`, { parentDocId: id }), 409, 'CYCLE_DETECTED', /parent/);
  await failure(as('ada', 'GET', `${at}/versions/9`), 404, 'NOT_FOUND', /versions/);
  await failure(
    as('ada', 'POST', `/projects/${projectId}/docs`, { title: 'z', coverImageUrl: 'javascript:1' }),
    400,
    'VALIDATION_FAILED',
    /./,
  );
});

it('are published, built, and served without any right of the dashboard', async () => {
  const first = await publish('Install', {
    content: '# Install\n\n```js\nconst a = 1;\n```\n\n<script>alert(1)</script> see [plan](secret)',
  });
  await publish('News', { type: 'Blog', content: 'We have a site.' });
  await write('Secret', { content: 'zebra', slug: 'secret' });
  expect((await status()).pendingChanges).toBe(2);
  await build();
  expect(await status()).toMatchObject({ siteEnabled: true, canPublish: true, pendingChanges: 0 });
  const page = await site('river/install.html');
  const html = await page.text();
  expect(page.headers.get('content-security-policy')).toMatch(/sandbox allow-scripts(?!.*allow-same-origin)/);
  expect(page.headers.get('x-content-type-options')).toBe('nosniff');
  expect(page.headers.get('set-cookie')).toBeNull();
  expect(html).toContain('<span class="hljs-keyword">const</span>');
  expect(html).toContain('&lt;script&gt;');
  for (const path of ['river', 'river/']) expect((await site(path)).status).toBe(path === 'river' ? 302 : 200);
  expect((await site('river/nothing')).status).toBe(404);
  expect((await site('river/..%2f..%2frivulet.db')).status).toBe(404);
  expect((await site('other/')).status).toBe(404);
  for (const file of [
    'contents.html',
    'feed.xml',
    'sitemap.xml',
    'assets/search-index.js',
    'blog.html',
    'install.html',
  ])
    expect(await (await site(`river/${file}`)).text()).not.toMatch(/zebra|secret/i);
  // What has changed since is counted, and shown after the next build.
  await data(as('ada', 'PATCH', `/docs/${first.id}`, { content: '# Install\n\nOther words.', slug: 'set-up' }));
  expect((await status()).pendingChanges).toBe(1);
  await build();
  expect(await (await site('river/set-up.html')).text()).toContain('Other words.');
  expect(await (await site('river/install.html')).text()).toContain('set-up.html');
  const folder = join(stand.server.config.dataDir, 'sites', String(projectId));
  expect(await readdir(join(folder, 'builds'))).toHaveLength(2);
});

it('are read without a key while the site is on, and only what is published', async () => {
  const { roots } = (await open('/docs/nav')).data as { roots: { slug: string }[] };
  expect(roots.map(({ slug }) => slug)).toEqual(['set-up']);
  expect((await open('/blog')).data).toMatchObject({ totalCount: 1, items: [{ slug: 'news' }] });
  expect((await open('/docs/install?format=Html')).data).toMatchObject({ content: expect.stringContaining('<h1>') });
  expect(await open('/docs/secret')).toMatchObject({ errorCode: 'NOT_FOUND' });
  await data(as('ada', 'PATCH', `/projects/${projectId}`, { siteEnabled: false }));
  for (const path of ['/docs/nav', '/blog', '/docs/set-up'])
    expect(await open(path)).toMatchObject({ errorCode: 'NOT_FOUND' });
  await expect.poll(async () => (await site('river/')).status).toBe(404);
  await failure(as('ada', 'POST', `/projects/${projectId}/site-builds`, {}), 409, 'CONFLICT', /siteEnabled/);
  await data(as('ada', 'PATCH', `/projects/${projectId}`, { siteEnabled: true }));
});

it('leaves the site as soon as it is a draft again', async () => {
  const { id } = await publish('Soon gone', { content: 'here' });
  await build();
  // The site was off a moment ago, and its name is looked up anew after half a second.
  await expect.poll(async () => (await site('river/soon-gone.html')).status).toBe(200);
  await data(as('ada', 'POST', `/docs/${id}/unpublish`));
  await expect.poll(async () => (await site('river/soon-gone.html')).status, { timeout: 20_000 }).toBe(404);
});

it('shows by itself what was published for later, when its time comes', async () => {
  const { id } = await write('Later', { classification: 'Public', content: 'Now it may be known.' });
  const publishedAtUtc = new Date(Date.now() + 1500).toISOString();
  await data(as('ada', 'POST', `/docs/${id}/publish`, { publishedAtUtc }));
  await expect.poll(async () => (await site('river/later.html')).status, { timeout: 20_000 }).toBe(200);
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(publishedAtUtc));
  // The page is there a moment before its build says so.
  await expect
    .poll(status, { timeout: 20_000 })
    .toMatchObject({ latest: { status: 'Published', requestedByUserId: null }, pendingChanges: 0 });
});

it('are built whatever long names they had', async () => {
  const { id } = await publish('Long', { path: 'x'.repeat(400) });
  await data(as('ada', 'PATCH', `/docs/${id}`, { path: 'long' }));
  await build();
  expect((await site('river/long.html')).status).toBe(200);
});
