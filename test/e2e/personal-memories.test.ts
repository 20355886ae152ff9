// What a person wants to be remembered: their own alone, told to identities that may see it, proposed by chats, forgotten whole.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FakeReply } from '../support/openai-server.ts';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';

let world: ServerWithModel;
beforeAll(async () => {
  world = await startServerWithModel();
});
afterAll(() => world.close());

const client = () => world.server.client;
const own = () => client().personalMemories;
const calling = (name: string, input: object): FakeReply => ({
  toolCalls: [{ id: `call_${name}`, name, arguments: [JSON.stringify(input)] }],
});

it('are found, corrected and listed', async () => {
  const made = await own().create({
    body: { content: 'I am allergic to walnuts.', category: 'Health', tags: ['food'] },
  });
  expect(made).toMatchObject({ visibility: 'Private', identityIds: [], usedCount: 0 });
  const [hit] = await own().search({ query: { q: 'walnuts' } });
  expect(hit?.memory.id).toBe(made.id);
  await own().patch({ params: { id: made.id }, body: { content: 'I am allergic to hazelnuts.' } });
  expect((await own().search({ query: { q: 'hazelnuts' } }))[0]?.memory.id).toBe(made.id);
  expect((await own().list({ query: { tag: 'food' } })).items).toHaveLength(1);
});

it('are told to the identities that may see them, and to no others', async () => {
  const [identity] = (await client().identities.list()).items;
  const { id } = await own().create({ body: { content: 'Call me by my first name.', importance: 9 } });
  const prompt = async () => {
    const before = world.model.requests.length;
    // Told at each turn, and used once.
    world.model.reply(calling('run_progress', { summary: 'Half of it.' }));
    world.model.reply(calling('run_complete', { summary: 'Done.' }));
    const run = await client().agentRuns.create({ body: { goal: 'Greet.', autoStart: true } });
    const status = async () => (await client().agentRuns.get({ params: { id: run.id } })).status;
    await expect.poll(status).toBe('Completed');
    return JSON.stringify(world.model.requests[before]?.body);
  };
  expect(await prompt()).not.toContain('Call me by my first name.');
  const identityIds = [identity?.id ?? 0];
  await own().share({ params: { id }, body: { visibility: 'SelectedIdentities', identityIds } });
  expect(await prompt()).toContain('Call me by my first name.');
  expect(await own().get({ params: { id } })).toMatchObject({ usedCount: 1, lastUsedByName: identity?.displayName });
  await own().share({ params: { id }, body: { visibility: 'Private' } });
  expect(await prompt()).not.toContain('Call me by my first name.');
});

it('are proposed by chats, and remembered when the person says so', async () => {
  const [identity] = (await client().identities.list()).items;
  const session = await client().chat.create({
    body: { identityId: identity?.id ?? 0, enabledTools: ['personal_memory_suggest'] },
  });
  const say = async (content: string, reply: FakeReply) => {
    world.model.reply(reply, { text: ['Noted.'] });
    await client().chat.ask({ params: { sessionId: session.id }, body: { message: content } });
  };
  await say('I run each morning.', calling('personal_memory_suggest', { content: 'They run each morning.' }));
  const pending = async () => (await own().suggestions({ query: { status: 'Pending' } })).items;
  await expect.poll(async () => (await pending()).length).toBe(1);
  const [proposed] = await pending();
  expect((await own().search({ query: { q: 'run each morning' } })).some((hit) => /morning/.test(hit.snippet))).toBe(
    false,
  );
  const body = { accept: true, content: 'I run at six.' };
  const decided = await own().decide({ params: { id: proposed?.id ?? 0 }, body });
  expect(decided).toMatchObject({ status: 'Accepted', content: 'I run at six.' });
  expect((await own().get({ params: { id: decided.memoryId ?? 0 } })).sourceChatSessionId).toBe(session.id);
  await expect(own().decide({ params: { id: decided.id }, body })).rejects.toMatchObject({
    code: 'INVALID_TRANSITION',
  });
  await expect(own().decide({ params: { id: 999 }, body })).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

it('are forgotten, many at once', async () => {
  await own().create({ body: { content: 'My locker is number 417.', category: 'Work' } });
  await own().create({ body: { content: 'My desk is number 29.', category: 'Work' } });
  const forget = (body: object) => own().forget({ body: { confirm: true, ...body } });
  await expect(forget({})).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  await expect(forget({ all: true, confirm: false })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  expect(await forget({ category: 'Work' })).toMatchObject({ forgotten: 2 });
  expect((await own().search({ query: { q: 'locker number 417' } })).some((hit) => /locker/.test(hit.snippet))).toBe(
    false,
  );
});

it('follow interests: what memories are tagged with, and what is declared', async () => {
  const [identity] = (await client().identities.list()).items;
  const params = { identityId: identity?.id ?? 0 };
  for (let at = 0; at < 5; at++)
    await client().memories.create({ params, body: { title: `Bee ${at}`, content: `Hive ${at}.`, tags: ['Bees'] } });
  await client().interests.replace({ params, body: { interests: [{ topic: 'Harbours', weight: 0.9 }] } });
  const found = await client().interests.list({ params });
  expect(found.map(({ topic, source, mentionCount }) => ({ topic, source, mentionCount }))).toEqual([
    { topic: 'Harbours', source: 'Declared', mentionCount: 0 },
    { topic: 'bees', source: 'Inferred', mentionCount: 5 },
  ]);
  await client().interests.replace({ params, body: { interests: [], keepInferred: false } });
  expect(await client().interests.list({ params })).toEqual([]);
});
