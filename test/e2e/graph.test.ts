// The graph from end to end: made by people, read from memories and facts, walked, and never telling what is private.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { failure } from '../support/failure.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const call = (method: string, path: string, body?: unknown) => server.call(method, `/api${path}`, body);
const data = async (answer: ReturnType<typeof call>) => {
  const { body } = await answer;
  expect(body.error ?? null).toBeNull();
  return body.data;
};
const node = (name: string, more: object = {}) =>
  data(call('POST', '/graph/nodes', { name, kind: 'Concept', ...more }));
const edge = (fromNodeId: number, toNodeId: number, relation: string, more: object = {}) =>
  data(call('POST', '/graph/edges', { fromNodeId, toNodeId, relation, ...more }));
const names = (nodes: { name: string }[]) => nodes.map(({ name }) => name).sort();
const found = async (q: string) => names((await data(call('GET', `/graph/nodes?q=${q}`))).items);

it('entities merge by name and alias, relations become stronger', async () => {
  const first = await node('Ada Lovelace', { kind: 'Person', aliases: ['Countess of Lovelace'] });
  expect(await node('ada lovelace', { description: 'Wrote the first program.' })).toMatchObject({
    id: first.id,
    name: 'Ada Lovelace',
    description: 'Wrote the first program.',
  });
  expect(await node('Countess-of-Lovelace', { aliases: ['A.A.L.'] })).toMatchObject({ id: first.id });
  const other = await node('Analytical Engine', { kind: 'Artifact' });
  const one = await edge(first.id, other.id, 'programmed', { weight: 0.5 });
  expect(one).toMatchObject({ fromName: 'Ada Lovelace', toName: 'Analytical Engine', observedCount: 1 });
  const again = await edge(first.id, other.id, 'programmed');
  expect(again).toMatchObject({ id: one.id, observedCount: 2 });
  expect(again.weight).toBeCloseTo(0.55);
  const detail = await data(call('GET', `/graph/nodes/${first.id}`));
  expect(detail).toMatchObject({ degree: 1, outgoing: [{ id: one.id }], incoming: [], memories: [] });
  await failure(
    call('POST', '/graph/edges', { fromNodeId: first.id, toNodeId: first.id, relation: 'x' }),
    400,
    'VALIDATION_FAILED',
  );
  await failure(
    call('POST', '/graph/edges', { fromNodeId: first.id, toNodeId: 99_999, relation: 'x' }),
    404,
    'NOT_FOUND',
  );
  await data(call('DELETE', `/graph/edges/${one.id}`));
  await failure(call('DELETE', `/graph/edges/${one.id}`), 404, 'NOT_FOUND');
  await edge(first.id, other.id, 'programmed');
  await data(call('DELETE', `/graph/nodes/${other.id}`));
  expect(await data(call('GET', `/graph/nodes/${first.id}`))).toMatchObject({ degree: 0, outgoing: [] });
});

it('is walked: neighbourhoods, ways, moments, and what weighs most', async () => {
  const ids: number[] = [];
  for (const name of ['Alpha', 'Beta', 'Gamma', 'Delta', 'Epsilon']) ids.push((await node(`${name} of the walk`)).id);
  const [a, b, c, d, e] = ids as [number, number, number, number, number];
  await edge(a, b, 'next');
  await edge(b, c, 'next');
  await edge(c, d, 'next', { validUntilUtc: '2026-01-01T00:00:00Z' });
  await edge(a, e, 'near');
  const sub = (query: string) => data(call('GET', `/graph/subgraph?${query}`));
  const short = (walked: { nodes: { name: string }[] }) => walked.nodes.map(({ name }) => name.split(' ')[0]).sort();
  expect(short(await sub(`nodeId=${a}&depth=1`))).toEqual(['Alpha', 'Beta', 'Epsilon']);
  expect(short(await sub(`nodeId=${a}&depth=3`))).toEqual(['Alpha', 'Beta', 'Epsilon', 'Gamma']);
  expect(short(await sub(`nodeId=${a}&depth=3&asOfUtc=2025-06-01T00:00:00Z`))).toContain('Delta');
  expect(short(await sub(`nodeId=${a}&depth=2&relation=near`))).toEqual(['Alpha', 'Epsilon']);
  expect(short(await sub(`q=gamma&depth=0`))).toContain('Gamma');
  expect((await sub(`nodeId=${a}&targetNodeId=${c}`)).pathNodeIds).toEqual([a, b, c]);
  expect((await sub(`nodeId=${a}&targetNodeId=${d}`)).pathNodeIds).toEqual([]);
  const { metrics } = await sub(`nodeId=${a}&depth=3&metrics=true`);
  expect(metrics.find((one: { nodeId: number }) => one.nodeId === a)).toMatchObject({ degree: 2 });
  expect(await sub(`nodeId=${a}&depth=3&limit=2`)).toMatchObject({ truncated: true });
});

it('memories and facts are read for what they name, and what is forgotten goes', async () => {
  const [identity] = (await data(call('GET', '/identities'))).items;
  const path = `/identities/${identity.id}/memories`;
  const memory = await data(
    call('POST', path, {
      title: 'Ports',
      content: 'Our Rivulet relies on Neptunium.',
      tags: ['storage'],
      isShared: true,
    }),
  );
  await expect.poll(() => found('neptunium'), { timeout: 20_000 }).toEqual(['Neptunium']);
  const [item] = (await data(call('GET', '/graph/nodes?q=neptunium'))).items;
  const look = () => data(call('GET', `/graph/nodes/${item.id}`));
  await expect.poll(look, { timeout: 20_000 }).toMatchObject({
    mentionCount: 1,
    incoming: [{ relation: 'uses', fromName: 'Rivulet', sourceMemoryId: memory.id }],
  });
  expect((await look()).memories).toMatchObject([{ id: memory.id }]);
  await data(call('PATCH', `/memories/${memory.id}`, { content: 'Our Rivulet relies on Plutonium.' }));
  await expect.poll(() => found('plutonium'), { timeout: 20_000 }).toEqual(['Plutonium']);
  await expect.poll(() => found('neptunium'), { timeout: 20_000 }).toEqual([]);
  await data(call('POST', `/memories/${memory.id}/archive`, { archived: true }));
  await expect.poll(() => found('plutonium'), { timeout: 20_000 }).toEqual([]);

  await data(
    call('POST', '/projects/61/facts', { key: 'branch', value: 'master-x', validFromUtc: '2026-01-01T00:00:00Z' }),
  );
  await data(
    call('POST', '/projects/61/facts', { key: 'branch', value: 'main-x', validFromUtc: '2026-03-01T00:00:00Z' }),
  );
  const [project] = (await data(call('GET', '/graph/nodes?kind=Project&projectId=61'))).items;
  const at = async (moment: string) =>
    (await data(call('GET', `/graph/subgraph?nodeId=${project.id}&depth=1&asOfUtc=${moment}`))).edges.map(
      (one: { relation: string; toName: string }) => `${one.relation}=${one.toName}`,
    );
  expect(await at('2026-02-01T00:00:00Z')).toEqual(['branch=master-x']);
  expect(await at('2026-04-01T00:00:00Z')).toEqual(['branch=main-x']);
});

it('what is private stays with those who may act as its identity', async () => {
  const own = await server.client.identities.create({ body: { name: 'Keeper of secrets' } });
  await data(
    call('POST', `/identities/${own.id}/memories`, {
      title: 'S',
      content: 'Nobody knows that Zarathustra owns Xanadu.',
    }),
  );
  await expect.poll(() => found('xanadu'), { timeout: 20_000 }).toEqual(['Xanadu']);
  const [secret] = (await data(call('GET', '/graph/nodes?q=xanadu'))).items;
  expect(secret.identityId).toBe(own.id);
  const stranger = await server.client.identities.create({ body: { name: 'Stranger' } });
  const { rawKey } = await server.client.identityKeys.create({
    params: { identityId: stranger.id },
    body: { name: 'k' },
  });
  const theirs = createClient({ baseUrl: server.url, token: rawKey });
  expect((await theirs.graph.nodes({ query: { q: 'xanadu' } })).totalCount).toBe(0);
  expect((await theirs.graph.nodes({ query: { identityId: own.id } })).totalCount).toBe(0);
  expect(
    (await theirs.graph.subgraph({ query: { q: 'xanadu zarathustra' } })).nodes.map(({ name }) => name),
  ).not.toContain('Xanadu');
  expect(JSON.stringify(await theirs.graph.subgraph({ query: { limit: 500 } }))).not.toContain('Xanadu');
  await expect(theirs.graph.node({ params: { id: secret.id } })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  // The same name from what everybody may read is another entity.
  const open = await node('Xanadu');
  expect(open.id).not.toBe(secret.id);
  expect((await theirs.graph.nodes({ query: { q: 'xanadu' } })).items.map(({ id }) => id)).toEqual([open.id]);
});

it('an entity of a project is not that of another, and goes with its project', async () => {
  const { id: projectId, key: confirmKey } = await data(call('POST', '/projects', { name: 'Lagoon' }));
  const outside = await node('Harbour Office');
  const inside = await node('Harbour Office', { projectId });
  expect(inside.id).not.toBe(outside.id);
  expect(await node('harbour office', { projectId })).toMatchObject({ id: inside.id });
  await edge(outside.id, inside.id, 'near');
  await data(call('POST', `/projects/${projectId}/archive`));
  await data(call('DELETE', `/projects/${projectId}`, { confirmKey }));
  await failure(call('GET', `/graph/nodes/${inside.id}`), 404, 'NOT_FOUND');
  expect(await data(call('GET', `/graph/nodes/${outside.id}`))).toMatchObject({ outgoing: [] });
  expect(await found('harbour')).toEqual(['Harbour Office']);
});
