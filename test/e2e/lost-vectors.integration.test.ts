// A Qdrant that loses its vectors: memories are found by their words, with a warning, until the documents have refilled it.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { qdrantKinds, type RunningQdrant } from '../support/qdrant/server.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const { kinds, missing } = await qdrantKinds();
const [kind] = kinds;
let qdrant: RunningQdrant;
let server: TestServer;
let identityId = 0;

beforeAll(async () => {
  if (!kind) return;
  qdrant = await kind.start();
  server = await startTestServer({ QDRANT_URL: qdrant.url });
  identityId = (await server.client.identities.create({ body: { name: 'Keeper' } })).id;
});
afterAll(async () => {
  await server?.close();
  await qdrant?.stop();
});

const search = (q: string) => server.client.memories.search({ params: { identityId }, query: { q } });
const collections = async (): Promise<string[]> => {
  const { result } = (await (await fetch(`${qdrant.url}/collections`)).json()) as {
    result: { collections: { name: string }[] };
  };
  return result.collections.map(({ name }) => name).filter((name) => name.includes('memories'));
};

it.skipIf(!kind)(`are refilled from the documents${kind ? '' : ` (skipped: ${missing.join('; ')})`}`, async () => {
  const texts = [
    'The invoices of Kowalski are always paid on the 14th.',
    'The harbour closes at nine.',
    'Anna paints bridges.',
  ];
  for (const content of texts)
    await server.client.memories.create({ params: { identityId }, body: { title: content.slice(0, 12), content } });
  await expect.poll(async () => (await search('x')).embeddingCoverage, { timeout: 60_000 }).toBe(100);
  // A question without a word of the memory that it means.
  const byMeaning = async () => (await search('settling bills')).results[0]?.memory.title ?? null;
  expect(await byMeaning()).toBe('The invoices');
  const made = await collections();
  expect(made).toHaveLength(1);

  await fetch(`${qdrant.url}/collections/${made[0]}`, { method: 'DELETE' });
  const lost = 'The vectors were lost and are being made again; until then memories are found by their words.';
  await expect.poll(async () => (await search('when does Kowalski pay')).warning, { timeout: 30_000 }).toBe(lost);
  const [hit] = (await search('when does Kowalski pay')).results;
  expect(hit).toMatchObject({ memory: { title: 'The invoices' } });

  await expect.poll(collections, { timeout: 90_000 }).toEqual(made);
  await expect.poll(async () => (await search('settling bills')).warning, { timeout: 60_000 }).toBeNull();
  expect(await byMeaning()).toBe('The invoices');

  const ready = async () => (await server.call('GET', '/api/system/ready')).body.data;
  const vectors = async () => (await ready()).checks.find(({ name }: { name: string }) => name === 'vectors').state;
  expect(await vectors()).toBe('Healthy');
  await qdrant.stop();
  expect(await vectors()).toBe('Unhealthy');
  expect(await ready()).toMatchObject({ ready: true, status: 'Degraded' });
  expect((await search('when does Kowalski pay')).results[0]).toMatchObject({ memory: { title: 'The invoices' } });
});
