// What maintenance tasks really do: each finds what was put wrong in the store, says so in a dry run, and mends it.
import { access } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { chatSessionSpec } from '../../src/groups/chat/documents.ts';
import { memoryRecord } from '../../src/groups/memories/record.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLogger } from '../../src/kernel/logger.ts';
import { budgetSpec } from '../../src/ports/ai-router.ts';
import { type EmbeddedDb, openEmbeddedDb } from '../../src/stores/embedded/db.ts';
import { allFrames, openChatStream } from '../support/chat-viewer.ts';
import type { FakeServer } from '../support/openai-server.ts';
import { fakeModel, type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';
import { openRegistration, register, strangersPassword } from '../support/strangers.ts';
import { request, type TestServer } from '../support/test-server.ts';

const dayMs = 86_400_000;

let model: FakeServer;
let server: TestServer;
let close: ServerWithModel['close'];
beforeAll(async () => {
  ({ model, server, close } = await startServerWithModel());
});
afterAll(() => close());

const data = async (method: string, path: string, body?: object) => {
  const answer = await server.call(method, `/api${path}`, body);
  expect(answer.body.error ?? null).toBeNull();
  return answer.body.data;
};
const get = (path: string) => data('GET', path);
const post = (path: string, body?: object) => data('POST', path, body);
/** A job when it has ended, with its result. */
const job = async (body: object) => {
  const { id } = await post('/system/maintenance', body);
  const find = async () => (await get('/system/maintenance')).runs.find((one: { id: number }) => one.id === id);
  await expect.poll(async () => (await find()).state, { timeout: 60_000 }).toMatch(/Succeeded|Failed/);
  const ended = await find();
  expect(ended.errorMessage).toBeNull();
  return { ...ended, result: JSON.parse(ended.resultJson) };
};
/** Starts the server again as an operator does who has changed its secret. */
const withSecrets = (secrets: Record<string, string>) =>
  server.restart(async () => {
    const { RIVULET_SECRET: _s, RIVULET_PREVIOUS_SECRET: _p, ...given } = server.config.given;
    Object.assign(server.config, loadConfig({ ...given, ...secrets }));
  });
/** Puts something wrong in the store while no server works on it. */
const behindItsBack = (work: (db: EmbeddedDb) => Promise<unknown>) =>
  server.restart(async () => {
    const db = openEmbeddedDb({ folder: server.config.dataDir, clock: systemClock, logger: silentLogger });
    await work(db);
    await db.close();
  });

it('RecountTotals and RollupUsage count anew what chats and budgets have used', async () => {
  const budget = await post('/ai-router/budgets', {
    ...{ name: 'All', scope: 'Tenant', period: 'Month', limitTokens: 1_000_000 },
  });
  const chat = await post('/chat/sessions', { title: 'Counted', modelId: fakeModel });
  model.reply({ text: ['Counted.'] });
  await allFrames(openChatStream(server, chat.id, { body: { message: 'Count.' } }));
  const counted = async () => {
    const { messageCount, totalTokens } = await get(`/chat/sessions/${chat.id}`);
    return { messageCount, totalTokens, usedTokens: (await get(`/ai-router/budgets/${budget.id}`)).usedTokens };
  };
  await expect.poll(async () => (await counted()).usedTokens).toBeGreaterThan(0);
  const right = await counted();
  expect(right).toMatchObject({ messageCount: 2, totalTokens: expect.any(Number) });
  await behindItsBack(async (db) => {
    const wrong = { messageCount: 99, totalTokens: 1 };
    await db.collection(chatSessionSpec).updateOne({ _id: chat.id }, { $set: wrong });
    await db.collection(budgetSpec).updateOne({ _id: budget.id }, { $set: { usedTokens: 7_777 } });
  });
  const wrong = { messageCount: 99, totalTokens: 1, usedTokens: 7_777 };
  for (const dryRun of [true, false]) {
    expect(await counted()).toEqual(wrong);
    expect((await job({ task: 'RecountTotals', dryRun })).processed).toBe(1);
    const { corrected } = (await job({ task: 'RollupUsage', dryRun })).result;
    expect(corrected).toMatchObject([{ id: budget.id, usedTokens: [7_777, right.usedTokens] }]);
  }
  expect(await counted()).toEqual(right);
  expect((await job({ task: 'RecountTotals' })).processed).toBe(0);
});

it('DecayMemories and ArchiveMemories take those that nobody uses, and leave the rest', async () => {
  const { id } = await post('/identities', { name: 'Forgetful', type: 'AI' });
  const config = await get(`/identities/${id}/memory-config`);
  await data('PUT', `/identities/${id}/memory-config`, { ...config, autoArchiveEnabled: true });
  const remember = (title: string, importance: number, more: object = {}) =>
    post(`/identities/${id}/memories`, { title, content: `${title}, whatever comes.`, importance, ...more });
  const faded = await remember('A faded thing', 5);
  const low = await remember('A thing of no weight', 2);
  const pinned = await remember('A pinned thing', 5, { isPinned: true });
  const young = await remember('A thing of today', 5);
  await behindItsBack((db) => {
    const createdAt = new Date(Date.now() - 400 * dayMs);
    const old = { _id: { $in: [faded.id, low.id, pinned.id] } };
    const $set = { createdAt, updatedAt: createdAt, lastAccessedAt: null };
    return db.collection(memoryRecord.spec).updateMany(old, { $set });
  });
  const shown = async ({ id: one }: { id: number }) => {
    const { importance, archivedAtUtc } = await get(`/memories/${one}?countAccess=false`);
    return [importance, archivedAtUtc !== null];
  };
  const all = async () => Promise.all([faded, low, pinned, young].map(shown));
  const before = [
    [5, false],
    [2, false],
    [5, false],
    [5, false],
  ];
  expect((await job({ task: 'ArchiveMemories', dryRun: true })).processed).toBe(1);
  expect((await job({ task: 'DecayMemories', dryRun: true, identityId: id })).processed).toBe(2);
  expect(await all()).toEqual(before);
  expect((await job({ task: 'ArchiveMemories' })).processed).toBe(1);
  expect((await job({ task: 'DecayMemories' })).processed).toBe(1);
  expect(await all()).toEqual([[4, false], [2, true], ...before.slice(2)]);
  // A step of decay counts as a change: the next one comes after as many days.
  expect((await job({ task: 'DecayMemories' })).processed).toBe(0);
});

it('ReindexEmbeddings makes what the indexes have lost, and removes what has no document', async () => {
  const { id } = await post('/identities', { name: 'Indexed', type: 'AI' });
  const kept = await post(`/identities/${id}/memories`, { title: 'Walrus', content: 'The walrus sleeps on the ice.' });
  const gone = await post(`/identities/${id}/memories`, { title: 'Puffin', content: 'The puffin nests in the cliff.' });
  const search = (q: string, mode: string) => get(`/identities/${id}/memories/search?q=${q}&mode=${mode}`);
  await expect.poll(async () => (await search('x', 'Keyword')).embeddingCoverage).toBe(100);
  await behindItsBack(async (db) => {
    for (const table of ['rivulet_vectors', 'rivulet_vector_scopes'])
      db.file.run(`DELETE FROM ${table} WHERE id = ?`, [kept.id]);
    await db.collection(memoryRecord.spec).deleteOne({ _id: gone.id });
  });
  const byMeaning = async () =>
    (await search('sea+mammals+resting', 'Semantic')).results.map((hit: { memory: { id: number } }) => hit.memory.id);
  expect(await byMeaning()).toEqual([]);
  const { result } = await job({ task: 'ReindexEmbeddings' });
  const memories = result.find(({ kind }: { kind: string }) => kind === 'memories');
  expect(memories.reopened).toBe(1);
  // Its words and its vector.
  expect(memories.removed).toBe(2);
  await expect.poll(byMeaning).toEqual([kept.id]);
});

it('CleanWorkspaces deletes the files of runs that have ended, and keeps the others', async () => {
  const call = (name: string, input: object) => ({
    toolCalls: [{ id: name, name, arguments: [JSON.stringify(input)] }],
  });
  model.reply(
    call('file_write', { path: 'left.txt', content: 'Left.' }),
    call('run_complete', { summary: 'Written.' }),
  );
  const { id } = await post('/agent/runs', { goal: 'Write.', modelId: fakeModel, autoStart: true });
  const ended = await get(`/agent/runs/${id}/wait?timeoutMs=60000`);
  expect(ended).toMatchObject({ status: 'Completed', reviewWorktreePath: expect.any(String) });
  const isThere = () =>
    access(`${ended.reviewWorktreePath}/left.txt`).then(
      () => true,
      () => false,
    );
  expect((await job({ task: 'CleanWorkspaces' })).processed).toBe(0);
  expect(await isThere()).toBe(true);
  // Not before all that follows from its end is done.
  const clean = async () => (await job({ task: 'CleanWorkspaces', olderThanDays: 0 })).result;
  await expect.poll(clean).toEqual({ runs: 1, ids: [id] });
  expect(await isThere()).toBe(false);
});

it('after EncryptSecrets the former secret can be forgotten: keys that sign hold, and nothing is unreadable', async () => {
  await openRegistration(server);
  await register(server, 'keyed');
  await job({ task: 'RotateSigningKeys' });
  const login = { login: 'keyed', password: strangersPassword };
  const signIn = () => request(server.url, 'POST', '/api/auth/login', login);
  const token = (await signIn()).body.data.accessToken;
  const whoIs = async () =>
    (await request(server.url, 'GET', '/api/auth/me', undefined, { authorization: `Bearer ${token}` })).status;
  await post('/webhooks', { name: 'Sealed', url: 'http://127.0.0.1:9/', eventTypes: ['run.*'] });
  const former = server.config.secret;
  const secret = `another-${former}`;
  await withSecrets({ RIVULET_SECRET: secret, RIVULET_PREVIOUS_SECRET: former });
  expect(await whoIs()).toBe(200);
  const would = await job({ task: 'EncryptSecrets', dryRun: true });
  const { result, processed } = await job({ task: 'EncryptSecrets' });
  expect(processed).toBe(would.processed);
  expect(result).toMatchObject({ webhooks: { renewed: 1 }, signingKeys: { sealed: 1, renewed: 1, unreadable: 0 } });
  await withSecrets({ RIVULET_SECRET: secret });
  expect(await whoIs()).toBe(200);
  expect((await signIn()).status).toBe(200);
  expect((await job({ task: 'EncryptSecrets' })).processed).toBe(0);
});
