// A random life of an identity as a ZIP: restored on an empty server, and exported again alike, file by file.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { failure } from '../../support/failure.ts';
import { importsOf } from '../../support/imports.ts';
import { packRuns } from '../../support/packed-runs.ts';
import { canonical, type Portable } from '../../support/portable.ts';
import { liveRandomly } from '../../support/random-identity.ts';
import { fillRichly, manifestOf, zippedFrom } from '../../support/rich-identity.ts';
import { randomOf, seed } from '../../support/seed.ts';
import { startTestServer, type TestServer } from '../../support/test-server.ts';
import { filesOf } from '../../support/zip-files.ts';

let [from, to]: TestServer[] = [];
beforeAll(async () => {
  [from, to] = [await startTestServer(), await startTestServer()];
});
afterAll(async () => {
  await from?.close();
  await to?.close();
});

/** Lines of a list without what is a store's own: ids, times, and keys of the project's order. */
function plain(text: string): string[] {
  const own = (name: string) => /^(?:id|guid|.*Id|.*Utc)$/.test(name);
  const rows = text.split('\n').filter(Boolean);
  return rows.map((row) => JSON.stringify(JSON.parse(row, (name, value) => (own(name) ? undefined : value)))).sort();
}

/** All files of a ZIP, each without ids and times. */
async function without(zip: Buffer): Promise<Record<string, unknown>> {
  const files = Object.entries(await filesOf(zip));
  return Object.fromEntries(
    files.map(([name, text]) => {
      if (name === 'portable.json') return [name, canonical(JSON.parse(text))];
      return [name, name === 'manifest.json' ? { ...JSON.parse(text), exportedAtUtc: null } : plain(text)];
    }),
  );
}

it(`comes back from its ZIP with all that happened around it (seed ${seed})`, async () => {
  const [source, server] = [from as TestServer, to as TestServer];
  const id = await fillRichly(source);
  await liveRandomly(source, id, randomOf(seed));
  // What memories name is read in the background, and counted.
  await expect.poll(async () => (await manifestOf(source, id)).graphNodeCount, { timeout: 20_000 }).toBeGreaterThan(2);
  const inRows = await without(await zippedFrom(source, id));
  await source.restart(async () => expect(await packRuns(source.config.dataDir)).toBeGreaterThan(10));
  const zip = await zippedFrom(source, id);
  expect(await without(zip)).toEqual(inRows);
  const { read, data, call } = importsOf(server);
  // A server that has runs of its own, which nothing that is brought over may touch.
  const begun = async (goal: string) => (await server.call('POST', '/api/agent/runs', { goal })).body.data;
  const { id: ownId } = await begun('Own');
  const ownRun = async () => [
    (await server.call('GET', `/api/agent/runs/${ownId}`)).body.data,
    (await server.call('GET', `/api/agent/runs/${ownId}/events`)).body.data,
  ];
  const own = await ownRun();
  const before = (await server.call('GET', '/api/export/manifest')).body.data;
  const calls = async () => (await server.call('GET', '/api/ai-router/usage/calls')).body.data.totalCount;
  const spent = await calls();

  const { artifacts } = JSON.parse((await filesOf(zip))['portable.json'] ?? '') as Portable;
  const kinds = new Set(artifacts.map(({ kind }) => kind));
  expect(
    ['comment', 'dependency', 'events', 'message', 'note', 'run', 'thread', 'version'].filter(
      (kind) => !kinds.has(kind),
    ),
  ).toEqual([]);
  const made = await read(zip, { scrub: 'false' }, 'iris.zip');
  expect(made.errorMessage).toBeNull();
  const { identityId } = await data(call('POST', `/${made.id}/commit`, { restore: true }));
  const { graphNodeCount } = await manifestOf(source, id);
  await expect.poll(() => manifestOf(server, identityId), { timeout: 20_000 }).toMatchObject({ graphNodeCount });
  const [was, is] = [await without(zip), await without(await zippedFrom(server, identityId))];
  for (const name of Object.keys(was)) expect([name, is[name]]).toEqual([name, was[name]]);
  const { items: runs } = (await server.call('GET', `/api/agent/runs?identityId=${identityId}`)).body.data;
  expect(runs.map((run: { importedAtUtc: string | null }) => run.importedAtUtc)).not.toContain(null);
  for (const again of ['restart', 'fork'])
    await failure(server.call('POST', `/api/agent/runs/${runs[0].id}/${again}`, {}), 409, 'INVALID_TRANSITION');
  expect(await ownRun()).toEqual(own);
  expect((await begun('Later')).goal).toBe('Later');
  // What was spent on the other server is shown, and nobody's budget here.
  expect(await calls()).toBe(spent);

  await data(call('POST', `/${made.id}/undo`, {}));
  const { exportedAtUtc: _, ...left } = (await server.call('GET', '/api/export/manifest')).body.data;
  expect({
    ...before,
    agentRunCount: before.agentRunCount + 1,
    agentEventCount: before.agentEventCount + 1,
  }).toMatchObject(left);
  expect(await ownRun()).toEqual(own);
}, 60_000);
