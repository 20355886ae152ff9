// The server killed at random moments of a build: the site is always a whole one, and the build is made after all.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { type ChildServer, createChildServer } from '../support/child-server.ts';
import { randomOf, seed } from '../support/seed.ts';

const kills = 6;
const pages = 40;
/** Milliseconds after the request within which the server dies: a look for builds, and a build. */
const within = 700;

let server: ChildServer;
const api = () => createClient({ baseUrl: server.baseUrl, token: server.key });
beforeAll(async () => {
  server = await createChildServer();
  await server.start();
});
afterAll(() => server.close());

it(`shows a whole site through ${kills} kills (seed ${seed})`, async () => {
  const next = randomOf(seed);
  const project = { name: 'River', siteEnabled: true, siteSlug: 'river' };
  const { id: projectId } = await api().projects.create({ body: project });
  const params = { projectId };
  const ids: number[] = [];
  const write = (edition: number, id: number) =>
    api().docs.patch({ params: { id }, body: { content: `Edition ${edition}.\n\n${'A long text. '.repeat(400)}` } });
  for (let at = 0; at < pages; at++) {
    const { id } = await api().docs.create({ params, body: { title: `Page ${at}`, classification: 'Public' } });
    await api().docs.publish({ params: { id }, body: {} });
    ids.push(id);
  }
  /** The editions that the pages of the site show: of a whole site there is one. */
  const shown = async (): Promise<number[]> => {
    const texts = await Promise.all(
      ids.map(async (_, at) => (await fetch(`${server.baseUrl}/sites/river/page-${at}.html`)).text()),
    );
    return [...new Set(texts.map((text) => Number(/Edition (\d+)/.exec(text)?.[1])))];
  };
  const settled = async (id: number) => {
    const latest = async () => (await api().siteBuilds.status({ params })).latest;
    const isOver = async () => (await latest())?.finishedAtUtc !== null;
    await expect.poll(isOver, { timeout: 60_000 }).toBe(true);
    const build = await latest();
    expect(build?.id).toBe(id);
    return build;
  };
  const builds = new Set<string>();
  let cut = 0;
  for (let edition = 1; edition <= kills + 1; edition++) {
    await Promise.all(ids.map((id) => write(edition, id)));
    const { id } = await api().siteBuilds.request({ params, body: { force: true } });
    if (edition > 1) {
      await new Promise((resolve) => setTimeout(resolve, next() * within));
      await server.kill();
      await server.start();
      const now = await shown();
      expect([edition, now.length, now[0] === edition || now[0] === edition - 1]).toEqual([edition, 1, true]);
      if (now[0] !== edition) cut++;
    }
    const build = await settled(id);
    expect(build).toMatchObject({ status: 'Published' });
    builds.add(build?.builderHost ?? '');
    expect(await shown()).toEqual([edition]);
  }
  expect(cut).toBeGreaterThan(0);
  expect(builds.size).toBeGreaterThan(1);
  // Nothing is left of the builds that were cut: the site that is shown, and the one before.
  const folders = await readdir(join(server.folder, 'sites', String(projectId), 'builds'));
  expect(folders.length).toBeLessThanOrEqual(2);
});
