// The server killed in the middle of chats: what was said is kept, marked, and continued; keys are nowhere in clear.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { allFrames, type ChatFrame, framesOf, openChatStream, textOf } from '../support/chat-viewer.ts';
import { type ChildServer, createChildServer } from '../support/child-server.ts';
import { type FakeServer, startFakeServer } from '../support/openai-server.ts';

const environmentKey = 'sk-environment-key-that-nobody-may-see-1';
const tenantKey = 'sk-tenant-key-that-nobody-may-see-2';

let model: FakeServer;
let server: ChildServer;
beforeAll(async () => {
  model = await startFakeServer();
  server = await createChildServer({
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_API_KEY: environmentKey,
    RIVULET_MODEL: 'openai:fake-model',
    RIVULET_LOG: 'trace',
  });
  await server.start();
});
afterAll(async () => {
  await server.close();
  await model.close();
});

const api = () => createClient({ baseUrl: server.baseUrl, token: server.key });
const place = () => ({ url: server.baseUrl, key: server.key });
const words = Array.from({ length: 40 }, (_, n) => `word${n} `);

describe('a server killed in the middle of a reply', () => {
  it('keeps what was said, says so to who comes back, and goes on when asked', async () => {
    const session = await api().chat.create({ body: { title: 'Test' } });
    model.reply({ text: words, stallAfter: 30 });
    const seen: ChatFrame[] = [];
    const watching = (async () => {
      for await (const frame of framesOf(await openChatStream(place(), session.id, { body: { message: 'Go' } })))
        seen.push(frame);
    })().catch(() => undefined);
    // Saved with what the viewer has seen.
    await expect
      .poll(async () => (await api().chat.get({ params: { id: session.id } })).messages[1]?.content, {
        timeout: 30_000,
      })
      .toBe(words.slice(0, 29).join(''));
    await server.kill();
    await watching;
    model.release();
    await server.start();
    await expect
      .poll(async () => (await api().chat.get({ params: { id: session.id } })).messages[1]?.state, { timeout: 60_000 })
      .toBe('Interrupted');
    const told = await allFrames(openChatStream(place(), session.id, { lastEventId: seen.at(-1)?.id }));
    expect(told.at(-1)?.data).toMatchObject({ type: 'Error', errorCode: 'SHUTTING_DOWN' });
    expect(told.at(-1)?.data.message?.content).toBe(textOf(seen));
    expect(told.at(-1)?.data.hint).toContain('without a message');
    model.reply({ text: words.slice(29) });
    const more = await allFrames(openChatStream(place(), session.id, { body: {} }));
    expect(textOf(more)).toBe(words.join(''));
    const { messages, generatingMessageId } = await api().chat.get({ params: { id: session.id } });
    expect(generatingMessageId).toBeNull();
    expect(messages.map(({ content, state }) => [content, state])).toEqual([
      ['Go', 'Complete'],
      [words.join(''), 'Complete'],
    ]);
  }, 120_000);
});

describe('replies that were interrupted', () => {
  it('go on the moment that they are said to be, and are told nothing of their end before', async () => {
    const open = async () => (await api().chat.create({ body: { title: 'Test' } })).id;
    const ids = await Promise.all(Array.from({ length: 8 }, open));
    const stateOf = async (id: number) => (await api().chat.get({ params: { id } })).messages[1]?.state;
    model.reply(...ids.map(() => ({ text: words, stallAfter: 5 })));
    const read = async (id: number) => {
      for await (const _ of framesOf(await openChatStream(place(), id, { body: { message: 'Go' } })));
    };
    const watching = Promise.allSettled(ids.map(read));
    const said = async (id: number) => (await api().chat.get({ params: { id } })).messages[1]?.content ?? '';
    await expect.poll(async () => (await Promise.all(ids.map(said))).every((text) => text !== '')).toBe(true);
    await server.kill();
    await watching;
    model.release();
    await server.start();
    model.reply(...ids.map(() => ({ text: ['and so on.'] })));
    const goOn = async (id: number) => {
      await expect.poll(() => stateOf(id), { timeout: 60_000, interval: 2 }).toBe('Interrupted');
      return allFrames(openChatStream(place(), id, { body: {} }));
    };
    for (const frames of await Promise.all(ids.map(goOn))) {
      expect(frames.map(({ event }) => event)).toEqual(expect.arrayContaining(['Started', 'Completed']));
      expect(frames.map(({ event }) => event)).not.toContain('Error');
      expect(frames.at(-1)?.event).toBe('Completed');
      const indices = frames.map(({ id }) => Number(/^m\d+\.(\d+)$/.exec(id ?? '')?.[1]));
      expect(indices).toEqual([...new Set(indices)].sort((a, b) => a - b));
    }
  }, 120_000);
});

describe('keys of providers', () => {
  it('are nowhere in logs, answers or files', async () => {
    const answers: string[] = [];
    const call = async (method: string, path: string, body?: object) => {
      const response = await fetch(server.baseUrl + path, {
        method,
        headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      answers.push(text);
      return text ? JSON.parse(text.startsWith('{') ? text : '{}').data : null;
    };
    const provider = await call('POST', '/api/ai-router/providers', {
      name: 'Mine',
      kind: 'OpenAiCompatible',
      baseUrl: model.baseUrl,
      apiKey: tenantKey,
    });
    await call('POST', `/api/ai-router/providers/${provider.id}/keys`, { name: 'second', apiKey: `${tenantKey}b` });
    await call('GET', `/api/ai-router/providers/${provider.id}`);
    await call('GET', '/api/ai-router/providers');
    const fake = { providerId: provider.id, modelId: 'mine:fake', providerModelName: 'fake-model' };
    await call('POST', '/api/ai-router/models', fake);
    const session = await api().chat.create({ body: { title: 'Test' } });
    // A provider that repeats the key in its error.
    for (const key of [environmentKey, tenantKey])
      model.reply({ status: 401, body: JSON.stringify({ error: { message: `Incorrect API key provided: ${key}` } }) });
    for (const modelId of ['openai:fake-model', 'mine:fake', 'openai:fake-model'])
      await call('POST', `/api/chat/sessions/${session.id}/chat`, { message: 'Hello', modelId });
    await call('GET', `/api/chat/sessions/${session.id}/messages`);
    await call('GET', '/api/ai-router/usage/calls');
    answers.push(JSON.stringify(await allFrames(openChatStream(place(), session.id, { body: { message: 'Hi' } }))));
    await server.stop();
    const files = readdirSync(server.folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
    expect(files.length).toBeGreaterThan(0);
    for (const key of [environmentKey, tenantKey]) {
      expect(model.requests.some(({ headers }) => headers.authorization?.includes(key))).toBe(true);
      expect(answers.filter((text) => text.includes(key))).toEqual([]);
      expect(server.output).not.toContain(key);
      expect(files.filter((text) => text.includes(key))).toHaveLength(0);
    }
  }, 120_000);
});
