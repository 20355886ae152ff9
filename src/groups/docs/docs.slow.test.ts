// Documents: versions that no two writers share, a tree with one order, names that go on leading, and who may see what.
import { beforeEach, expect, it } from 'vitest';
import { threadCpuMs } from '../../../test/support/thread-cpu.ts';
import { createDocsWorld, type DocsWorld, somebody } from './testing/world.ts';

let world: DocsWorld;
const owner = somebody(1);
const ask = { request: {} as never, query: {} as never };
beforeEach(async () => {
  world = await createDocsWorld();
  await world.project(7, { 2: 'Viewer', 3: 'Contributor', 4: 'Maintainer' });
});

type Made = { id: number; slug: string; path: string; version: number; sortOrder: number };
const create = async (title: string, more: object = {}, caller = owner) =>
  (await world.handlers.create({
    ...ask,
    caller,
    params: { projectId: 7 },
    body: { title, ...more } as never,
  })) as Made;
const get = (id: number, caller = owner) =>
  world.handlers.get({ ...ask, caller, params: { id }, body: undefined as never });
const patch = (id: number, body: object, caller = owner) =>
  world.handlers.patch({ ...ask, caller, params: { id }, body: body as never });
const tree = async (caller = owner) =>
  (await world.handlers.tree({ ...ask, caller, params: { projectId: 7 }, body: undefined as never })).roots;
const search = (q: string, caller = owner) =>
  world.handlers.search({
    ...ask,
    caller,
    params: { projectId: 7 },
    query: { q, limit: 10 },
    body: undefined as never,
  });

it('keeps each text as a version, with what differs', async () => {
  const { id } = await create('Install', { content: '# Install\n\nRun `npm start`.' });
  await patch(id, { content: '# Install\n\nRun `npm run demo`.', changeSummary: 'other command' });
  // What is no text makes no version.
  await patch(id, { icon: 'book' });
  const params = { id, version: 2 };
  const detail = await world.handlers.version({ ...ask, caller: owner, params, body: undefined as never });
  expect(detail).toMatchObject({ version: 2, isCurrent: true, changeSummary: 'other command' });
  expect(detail.diff).toContain('-Run `npm start`.\n');
  const body = {} as never;
  const restored = await world.handlers.restore({ ...ask, caller: owner, params: { id, version: 1 }, body });
  expect(restored).toMatchObject({ version: 3, content: '# Install\n\nRun `npm start`.' });
});

it('lets one of two writers of the same version through, and the other one see it', async () => {
  const { id } = await create('A');
  const results = await Promise.allSettled(
    Array.from({ length: 8 }, (_, at) => patch(id, { content: `text ${at}`, version: 1 })),
  );
  const won = results.filter(({ status }) => status === 'fulfilled');
  expect(won).toHaveLength(1);
  const [lost] = results.filter((one) => one.status === 'rejected');
  expect(lost?.reason).toMatchObject({ code: 'PRECONDITION_FAILED' });
  // Without a version all are written, one after the other.
  await Promise.all(Array.from({ length: 8 }, (_, at) => patch(id, { content: `more ${at}` })));
  expect(await get(id)).toMatchObject({ version: 10 });
});

it('completes a version whose writer died before the document showed it', async () => {
  const { id } = await create('A', { content: 'old' });
  const entry = {
    docId: id,
    projectId: 7,
    version: 2,
    title: 'A',
    content: 'new',
    contentLength: 3,
    saved: { passagesPending: true },
  };
  const rest = { changeSummary: null, authorName: null, onceKey: null, sourceRunId: null, isOpen: true };
  await world.shelf.versions.insert({ tenantId: 1 }, { ...entry, ...rest });
  expect(await get(id)).toMatchObject({ version: 1, content: 'old' });
  await world.shelf.library.repair(new Date(Date.now() + 1000));
  expect(await get(id)).toMatchObject({ version: 2, content: 'new' });
  expect(await search('new')).toMatchObject([{ doc: { id } }]);
  await patch(id, { content: 'newer' });
  expect(await get(id)).toMatchObject({ version: 3 });
});

it('keeps one order whoever moves at once', async () => {
  const all = await Promise.all(Array.from({ length: 12 }, (_, at) => create(`Page ${at}`)));
  expect((await tree()).map(({ sortOrder }) => sortOrder)).toEqual(all.map((_, at) => at));
  const move = (id: number, sortOrder: number) =>
    world.handlers.move({ ...ask, caller: owner, params: { id }, body: { sortOrder } });
  await Promise.all(all.map(({ id }) => move(id, 3)));
  const keys = (await world.shelf.docs.of(1).find({}).toArray()).map(({ orderKey }) => orderKey);
  expect(new Set(keys).size).toBe(12);
  const moved = await move(all[0]!.id, 0);
  expect(moved.sortOrder).toBe(0);
  expect((await tree())[0]).toMatchObject({ id: all[0]!.id });
});

it('refuses circles, also of two who move at once', async () => {
  const a = await create('A');
  const b = await create('B', { parentDocId: a.id });
  await expect(patch(a.id, { parentDocId: b.id })).rejects.toMatchObject({ code: 'CYCLE_DETECTED' });
  const c = await create('C');
  const move = (id: number, parentDocId: number) =>
    world.handlers.move({ ...ask, caller: owner, params: { id }, body: { parentDocId } });
  await Promise.allSettled([move(a.id, c.id), move(c.id, a.id)]);
  const seen: number[] = [];
  const walk = (nodes: Awaited<ReturnType<typeof tree>>) => {
    for (const node of nodes) {
      seen.push(node.id);
      walk(node.children);
    }
  };
  walk(await tree());
  expect(seen.sort()).toEqual([a.id, b.id, c.id]);
});

it('is found by every name that it had, and knows what links to it', async () => {
  const { id } = await create('Install', { path: 'guides/install' });
  const start = await create('Start', {
    path: 'guides/start',
    content: '[a](install.md#x) [b](/guides/install) [c](gone)',
  });
  await patch(id, { slug: 'set-up', path: 'guides/set-up' });
  const byPath = (path: string) =>
    world.handlers.byPath({
      ...ask,
      caller: owner,
      params: { projectId: 7 },
      query: { path },
      body: undefined as never,
    });
  for (const name of ['guides/set-up', '/guides/install/', 'install', 'Set-Up.md'])
    expect(await byPath(name)).toMatchObject({ id });
  // Another one may take the name, and is then the one.
  const other = await create('Install', { path: 'elsewhere', slug: 'install' });
  expect(await byPath('install')).toMatchObject({ id: other.id });
  const links = (one: number) =>
    world.handlers.links({ ...ask, caller: owner, params: { id: one }, body: undefined as never });
  expect(await links(id)).toMatchObject({ linkedFrom: [{ id: start.id }] });
  expect((await links(start.id)).linksTo.map((one) => one.id)).toContain(id);
});

it('says which name is taken', async () => {
  await create('A', { slug: 'one', path: 'x/one' });
  await expect(create('B', { slug: 'one' })).rejects.toMatchObject({ code: 'DUPLICATE', field: 'slug' });
  await expect(create('B', { path: 'X/One' })).rejects.toMatchObject({ code: 'DUPLICATE', field: 'path' });
  expect(await create('One')).toMatchObject({ slug: 'one-2' });
  await expect(create('B', { slug: 'nav' })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  await expect(create('B', { path: '../b' })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
});

it('hides what somebody is not cleared for on every way to it', async () => {
  const secret = await create('Salaries', { content: 'zebra money', classification: 'Restricted' });
  const near = await create('Zebra facts', { content: 'a zebra is striped, see [pay](salaries)' });
  const strangers = [somebody(2), somebody(3)];
  for (const one of strangers) {
    await expect(get(secret.id, one)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await tree(one)).map(({ id }) => id)).toEqual([near.id]);
    expect((await search('zebra', one)).map(({ doc }) => doc.id)).toEqual([near.id]);
    expect(await get(near.id, one)).toMatchObject({ prevDoc: null, nextDoc: null });
    const links = await world.handlers.links({
      ...ask,
      caller: one,
      params: { id: near.id },
      body: undefined as never,
    });
    expect(links.linksTo).toEqual([]);
    const query = { page: 1, pageSize: 50, classification: 'Restricted' } as never;
    const list = await world.handlers.list({
      ...ask,
      caller: one,
      params: { projectId: 7 },
      query,
      body: undefined as never,
    });
    expect(list.totalCount).toBe(0);
  }
  expect(await get(secret.id, somebody(4))).toMatchObject({ title: 'Salaries' });
  await expect(get(near.id, somebody(9))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(patch(near.id, { title: 'x' }, somebody(2))).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(patch(near.id, { classification: 'Restricted' }, somebody(3))).rejects.toMatchObject({
    code: 'FORBIDDEN',
  });
  // Whoever follows the project hears that it changed, and not what.
  const of = world.told.filter(({ data }) => (data as { id: number }).id === secret.id);
  expect(JSON.stringify(of)).not.toMatch(/salaries|zebra/i);
});

it('publishes only what is Public, and keeps it so', async () => {
  const { id } = await create('News', { content: 'text' });
  const publish = () => world.handlers.publish({ ...ask, caller: owner, params: { id }, body: {} });
  await expect(publish()).rejects.toMatchObject({ code: 'INVALID_TRANSITION' });
  await patch(id, { classification: 'Public' });
  expect(await publish()).toMatchObject({ isPublished: true, publishedAtUtc: expect.any(String) });
  await expect(patch(id, { classification: 'Internal' })).rejects.toMatchObject({ code: 'INVALID_TRANSITION' });
  expect(world.told.map(({ type }) => type)).toContain('doc.published');
});

it('deletes with what stands below, versions and passages included', async () => {
  const a = await create('A', { content: 'alpha' });
  const b = await create('B', { parentDocId: a.id, content: 'beta' });
  const remove = (query: object) =>
    world.handlers.remove({
      ...ask,
      caller: owner,
      params: { id: a.id },
      query: query as never,
      body: undefined as never,
    });
  await expect(remove({})).rejects.toMatchObject({ code: 'CONFLICT' });
  await remove({ cascade: true });
  await expect(get(b.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await search('beta')).toEqual([]);
  expect(await world.shelf.versions.of(1).countDocuments({})).toBe(0);
  expect(await world.shelf.passages.of(1).countDocuments({})).toBe(0);
  // The names are free again.
  expect(await create('A')).toMatchObject({ slug: 'a', path: 'a' });
});

it('takes ten megabytes in bounded time', async () => {
  const before = threadCpuMs();
  const { id } = await create('Large', { content: '- word '.repeat(1_400_000) });
  expect(await get(id)).toMatchObject({ version: 1 });
  expect(await search('word')).toHaveLength(1);
  expect(threadCpuMs() - before).toBeLessThan(8000);
});
