// Memories of identities that ask for encryption: in no file are they readable, and they are found as others are.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { backUp } from '../../src/stores/backup/back-up.ts';
import { temporaryFolder } from '../support/embedded-db.ts';
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
const identity = async (name: string, encryptionEnabled = false): Promise<number> => {
  const { id } = await data(call('POST', '/identities', { name, type: 'AI' }));
  if (encryptionEnabled) await encrypt(id);
  return id;
};
const encrypt = async (id: number, encryptionEnabled = true) => {
  const config = await data(call('GET', `/identities/${id}/memory-config`));
  await data(call('PUT', `/identities/${id}/memory-config`, { ...config, encryptionEnabled }));
};
const remember = (id: number, title: string, content: string, more: object = {}) =>
  data(call('POST', `/identities/${id}/memories`, { title, content, ...more }));
const search = async (id: number, question: string, more = '') =>
  data(call('GET', `/identities/${id}/memories/search?q=${encodeURIComponent(question)}${more}`));

/** Which of some words stand in a file of a folder, whatever their case. */
async function standing(folder: string, words: readonly string[]): Promise<string[]> {
  const missing = new Map(words.map((word) => [word, new RegExp(word, 'i')]));
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const text = await readFile(join(entry.parentPath, entry.name), 'latin1');
    for (const [word, pattern] of missing) if (pattern.test(text)) missing.delete(word);
  }
  return words.filter((word) => !missing.has(word));
}
/** Each look reads the whole store. */
const seldom = { interval: 250 };
const inFiles = (words: readonly string[]) => standing(server.config.dataDir, words);
const inBackup = async (words: readonly string[]) => {
  const folder = join(temporaryFolder(), 'backup');
  const dataFolder = server.config.dataDir;
  await backUp({ dataFolder, target: folder, withoutDatabase: false, secretElsewhere: false, version: 'test', now: 0 });
  return standing(folder, words);
};

it('stand in no file of the data folder or of a backup, and are found, listed and changed as they are', async () => {
  const me = await identity('Keeper', true);
  const words = ['zorbelquist', 'vantrellian', 'quaxolor', 'snorvelit', 'plumifex', 'drozzlepin'];
  const { id } = await remember(me, 'Zorbelquist harbour', 'The gate of Vantrellian opens with plumifex.', {
    tags: ['snorvelite'],
  });
  const other = await remember(me, 'Other', 'Something else about a harbour.');
  await data(call('PATCH', `/memories/${id}`, { content: 'The gate of Vantrellian opens with quaxolore now.' }));
  await data(call('POST', `/memories/${id}/tags`, { tags: ['drozzlepin'] }));
  expect(await data(call('GET', `/memories/${id}/history`))).toContainEqual(
    expect.objectContaining({ kind: 'Changed', content: 'The gate of Vantrellian opens with plumifex.' }),
  );
  await expect.poll(async () => (await search(me, 'x')).embeddingCoverage).toBe(100);
  const [hit] = (await search(me, 'what opens with quaxolore')).results;
  expect(hit).toMatchObject({
    memory: { id, title: 'Zorbelquist harbour', tags: ['snorvelite', 'drozzlepin'] },
    snippet: 'The gate of Vantrellian opens with quaxolore now.',
  });
  const list = async (query: string) =>
    (await data(call('GET', `/identities/${me}/memories?${query}`))).items.map((one: { id: number }) => one.id);
  expect(await list('q=VANTREL')).toEqual([id]);
  expect(await list('tag=drozzlepin')).toEqual([id]);
  expect(await list('sort=title')).toEqual([other.id, id]);
  expect(await list('sort=-title&pageSize=1&page=2')).toEqual([other.id]);
  // The same text is remembered once.
  const again = await remember(me, 'Other', 'Something else about a harbour.');
  expect(again.id).toBe(other.id);
  expect(await inFiles(words)).toEqual([]);
  expect(await inBackup(words)).toEqual([]);
});

it('rank as the same memories do that are not encrypted', async () => {
  const [plain, sealed] = [await identity('Plain'), await identity('Sealed', true)];
  const texts = [
    'The ferry to Konstanz leaves from pier two.',
    'Pier two is closed in winter, pier three is open.',
    'Anna takes the ferry when the bridge is closed.',
    'The bridge was painted blue in May.',
    'A winter storm sank the blue ferry.',
    '上海的渡轮冬天不开。',
  ];
  for (const text of texts) for (const id of [plain, sealed]) await remember(id, text.slice(0, 12), text);
  // All but the one that the embedder does not read.
  for (const id of [plain, sealed]) await expect.poll(async () => (await search(id, 'x')).embeddingCoverage).toBe(83);
  for (const question of ['ferry in winter', 'which pier is open', 'blue bridge', '渡轮', 'boats'])
    for (const mode of ['Hybrid', 'Keyword', 'Semantic']) {
      const ranked = async (id: number) =>
        (await search(id, question, `&mode=${mode}`)).results.map(
          (one: { memory: { excerpt: string }; keywordScore: number; semanticScore: number; matchedBy: string }) => [
            one.memory.excerpt,
            one.keywordScore,
            one.semanticScore,
            one.matchedBy,
          ],
        );
      // Scores fade with the milliseconds between the two searches.
      const alike = (score: unknown) => (typeof score === 'number' ? expect.closeTo(score, 5) : score);
      const wanted = (await ranked(plain)).map((one: unknown[]) => one.map(alike));
      expect([question, mode, await ranked(sealed)]).toEqual([question, mode, wanted]);
    }
});

it('are encrypted when it is switched on, where a tenant requires it, and decrypted when it is off', async () => {
  const me = await identity('Changer');
  const words = ['flumberquat', 'krandlewick', 'brindlewort'];
  const { id } = await remember(me, 'Flumberquat', `Bolts of Krandlewick Bay. ${'They are long. '.repeat(600)}`, {
    tags: ['brindlewort'],
  });
  await data(call('PATCH', `/memories/${id}`, { importance: 7 }));
  const nodes = async () => (await data(call('GET', '/graph/nodes?q=Krandlewick'))).items.length;
  await expect.poll(nodes).toBeGreaterThan(0);
  expect(await inFiles(words)).toEqual(words);
  const isFound = async () =>
    expect((await search(me, 'bolts of krandlewick')).results[0]?.memory).toMatchObject({ id, tags: ['brindlewort'] });

  await encrypt(me);
  await expect.poll(() => inFiles(words), seldom).toEqual([]);
  await expect.poll(nodes).toBe(0);
  await isFound();
  expect(await inBackup(words)).toEqual([]);

  await encrypt(me, false);
  await expect.poll(() => inFiles(words), seldom).toEqual(words);
  await expect.poll(nodes).toBeGreaterThan(0);
  await isFound();

  const policy = await data(call('GET', '/tenant-policy'));
  const { version: _v, updatedByName: _n, updatedAtUtc: _u, ...body } = policy;
  await data(call('PUT', '/tenant-policy', { ...body, memoryEncryptionRequired: true }));
  await expect.poll(() => inFiles(words), seldom).toEqual([]);
  await isFound();
  await server.restart();
  await isFound();
});

it('EncryptSecrets ends when no memory needs the former secret any more', async () => {
  const me = await identity('Rekeyed', true);
  for (const word of ['one', 'two', 'three']) await remember(me, `Kept ${word}`, `What stands in ${word}.`);
  const former = server.config.secret;
  await server.restart(async () => {
    Object.assign(server.config, { secret: `another-${former}`, previousSecrets: [former] });
  });
  const job = async () => (await data(call('GET', '/system/maintenance'))).runs[0];
  await data(call('POST', '/system/maintenance', { task: 'EncryptSecrets' }));
  await expect.poll(async () => (await job()).state, { timeout: 60_000 }).toMatch(/Succeeded|Failed/);
  const { state, resultJson } = await job();
  const counts = JSON.parse(resultJson).memories;
  expect({ state, unreadable: counts.unreadable }).toEqual({ state: 'Succeeded', unreadable: 0 });
  expect(counts.sealed).toBeGreaterThanOrEqual(3);
  await server.restart(async () => {
    Object.assign(server.config, { previousSecrets: [] });
  });
  const { items } = await data(call('GET', `/identities/${me}/memories`));
  expect(items.map(({ title }: { title: string }) => title).sort()).toEqual(['Kept one', 'Kept three', 'Kept two']);
});
