// Bots: what their profiles do to chats, and what visitors of a published one get, and what they do not.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure } from '../support/failure.ts';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';
import { type Answer, request } from '../support/test-server.ts';

let world: ServerWithModel;
beforeAll(async () => {
  world = await startServerWithModel();
});
afterAll(() => world.close());

const call = (method: string, path: string, body?: unknown) => world.server.call(method, `/api${path}`, body);
const data = async (answer: Promise<Answer>) => {
  const { body } = await answer;
  expect([body.error, body.hint, body.ok]).toEqual([null, null, true]);
  return body.data;
};
let number = 0;
const identity = async (more: object = {}) =>
  (await data(call('POST', '/identities', { name: `Bot${++number}`, ...more }))).id as number;
const bot = async (more: object = {}) => {
  const identityId = await identity();
  const made = await data(call('PUT', `/bot-profiles/${identityId}`, { displayName: 'Robin', ...more }));
  return { identityId, profile: made, uid: made.publicUrl?.split('/').at(-1) as string };
};
/** Nobody's request, as a browser's page makes it. */
const visit = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  request(world.server.url, method, path, body, headers);
const ask = (uid: string, message: string, conversation: string | null = null) =>
  visit('POST', `/api/public/bots/${uid}/messages`, { message, conversation });
const eventsOf = ({ body }: Answer) =>
  [...String(body).matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json as string));
const said = (answer: Answer) =>
  eventsOf(answer)
    .map(({ text }) => text ?? '')
    .join('');
const lastAsked = () => world.model.requests.findLast(({ body }) => body.max_tokens !== 400)?.body;

describe('a bot profile', () => {
  it('gives its chats their instructions, model, effort, temperature, tools and the newest messages alone', async () => {
    const { identityId, profile } = await bot({
      greeting: 'Ahoy, sailor!',
      suggestedPrompts: ['Where is the harbour?'],
      defaultModelId: 'openai:gpt-5-bots',
      temperature: 0.3,
      reasoningEffort: 'low',
      enabledTools: ['memory_search'],
      systemPromptOverride: 'You are a pirate.',
      maxContextMessages: 3,
    });
    expect(profile).toMatchObject({ isPublished: false, publicUrl: null, suggestedPrompts: ['Where is the harbour?'] });
    const session = await data(call('POST', '/chat/sessions', { identityId }));
    for (const message of ['one', 'two', 'three'])
      await data(call('POST', `/chat/sessions/${session.id}/chat`, { message }));
    const sent = world.model.requests
      .map(({ body }) => body)
      .filter((body) => body.tools)
      .at(-1);
    expect(sent).toMatchObject({ model: 'gpt-5-bots' });
    const text = JSON.stringify(sent);
    for (const part of ['You are a pirate.', 'Ahoy, sailor!', 'memory_search', 'low', 'two', 'three'])
      expect(text).toContain(part);
    expect(text).not.toContain('"one"');
    expect(text).not.toContain('memory_create');
    const tools = await data(call('GET', `/chat/sessions/${session.id}/available-tools?enabledOnly=true`));
    expect(tools.map((one: { name: string }) => one.name)).toEqual(['memory_search']);
    // What the session says goes before it.
    await data(call('PATCH', `/chat/sessions/${session.id}`, { modelId: 'openai:other', enabledTools: [] }));
    await data(call('POST', `/chat/sessions/${session.id}/chat`, { message: 'four' }));
    expect(lastAsked()).toMatchObject({ model: 'other' });
    expect(lastAsked().tools).toBeUndefined();
  });

  it('sends the temperature to a model that takes one, and asks the route that it names', async () => {
    const route = await data(call('POST', '/ai-router/routes', { name: 'Bots', policy: 'Priority', targets: [] }));
    const { identityId } = await bot({ temperature: 0.3 });
    const { id } = await data(call('POST', '/chat/sessions', { identityId }));
    await data(call('POST', `/chat/sessions/${id}/chat`, { message: 'warm?' }));
    expect(lastAsked()).toMatchObject({ temperature: 0.3 });
    await data(call('PUT', `/bot-profiles/${identityId}`, { displayName: 'Robin', routeId: route.id }));
    await failure(call('POST', `/chat/sessions/${id}/chat`, { message: 'where to?' }), 503, 'NO_ROUTE_AVAILABLE');
  });

  it('answers in the channels that it names, each of which has one identity', async () => {
    const { identityId } = await bot({});
    const other = (await bot({})).identityId;
    const [first, second] = await Promise.all(
      ['one', 'two'].map(async (name) => {
        const draft = { name, kind: 'Webhook', url: 'https://receiver.invalid/', eventTypes: ['none.*'] };
        return (await data(call('POST', '/channels', draft))).id;
      }),
    );
    const put = (id: number, more: object) =>
      data(call('PUT', `/bot-profiles/${id}`, { displayName: 'Robin', ...more }));
    const identityOf = async (id: number) => (await data(call('GET', `/channels/${id}`))).identityId;
    expect(await put(identityId, { channelIds: [first, second] })).toMatchObject({ channelIds: [first, second] });
    expect(await put(other, { channelIds: [second] })).toMatchObject({ channelIds: [second] });
    expect(await data(call('GET', `/bot-profiles/${identityId}`))).toMatchObject({ channelIds: [first] });
    expect([await identityOf(first), await identityOf(second)]).toEqual([identityId, other]);
    expect(await put(identityId, {})).toMatchObject({ channelIds: [] });
    expect(await identityOf(first)).toBeNull();
  });

  it('is refused where it contradicts itself, names what is not there, or speaks for a person', async () => {
    const id = await identity();
    const put = (more: object) => call('PUT', `/bot-profiles/${id}`, { displayName: 'Robin', ...more });
    await failure(put({ defaultModelId: 'a', routeId: 1 }), 400, 'VALIDATION_FAILED');
    await failure(put({ routeId: 987_654 }), 400, 'VALIDATION_FAILED');
    await failure(put({ channelIds: [987_654] }), 400, 'VALIDATION_FAILED');
    await failure(put({ frameOrigins: ["https://a.example; script-src 'unsafe-inline'"] }), 400, 'VALIDATION_FAILED');
    await failure(put({ avatarUrl: 'http://a.example/x.png' }), 400, 'VALIDATION_FAILED');
    await failure(call('GET', `/bot-profiles/${id}`), 404, 'NOT_FOUND');
    const person = await identity({ type: 'Human' });
    await failure(call('PUT', `/bot-profiles/${person}`, { displayName: 'Ada' }), 400, 'VALIDATION_FAILED');
    await failure(call('PUT', '/bot-profiles/987654', { displayName: 'Ada' }), 404, 'NOT_FOUND');
  });

  it('is listed, found by words and by whether it is published; what is left out goes back', async () => {
    const { identityId } = await bot({ displayName: 'Zephyr', tagline: 'of the west', isPublished: true });
    const list = (query: string) => data(call('GET', `/bot-profiles?${query}`));
    expect((await list('q=the west')).items).toMatchObject([{ identityId, tagline: 'of the west' }]);
    expect((await list('q=Zephyr&isPublished=false')).totalCount).toBe(0);
    await data(call('PUT', `/bot-profiles/${identityId}`, { displayName: 'Zephyr' }));
    expect((await list('q=Zephyr')).items).toMatchObject([{ tagline: null, isPublished: false, publicUrl: null }]);
  });
});

describe('a published bot', () => {
  it('shows a page to anybody that only the sites which it names may frame', async () => {
    const { profile, uid } = await bot({
      displayName: '<b>Robin</b>',
      isPublished: true,
      frameOrigins: ['https://shop.example', 'http://localhost:8080'],
      greeting: '<script>alert(1)</script>',
    });
    expect(profile.publicUrl).toBe(`${world.server.url}/bots/${uid}`);
    const page = await visit('GET', `/bots/${uid}`);
    expect(page.status).toBe(200);
    const policy = page.headers.get('content-security-policy');
    expect(policy).toContain('frame-ancestors https://shop.example http://localhost:8080');
    expect(policy).toContain("default-src 'none'");
    expect(page.body).not.toContain('<script>alert');
    expect(page.body).not.toContain('<b>Robin');
    expect((await visit('GET', '/bots/chat.js')).headers.get('content-type')).toContain('javascript');
    const other = await bot({ isPublished: true });
    const closed = await visit('GET', `/bots/${other.uid}`);
    expect(closed.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });

  it('answers in a conversation that goes on, and is read back by who holds it', async () => {
    const { uid } = await bot({ isPublished: true });
    const first = await ask(uid, 'Hello?');
    expect(eventsOf(first).map(({ type }) => type)).toEqual(expect.arrayContaining(['Started', 'Text', 'Ended']));
    expect(eventsOf(first).at(-1)).toMatchObject({ type: 'Ended', html: '<p>Hello world</p>\n' });
    expect(said(first)).toBe('Hello world');
    const { conversation } = eventsOf(first)[0];
    await ask(uid, 'And again?', conversation);
    expect(JSON.stringify(lastAsked().messages)).toContain('Hello?');
    const read = await data(visit('POST', `/api/public/bots/${uid}/conversation`, { conversation }));
    expect(read.map(({ role, text, html }: Record<string, string>) => [role, text, html])).toEqual([
      ['user', 'Hello?', null],
      ['assistant', 'Hello world', '<p>Hello world</p>\n'],
      ['user', 'And again?', null],
      ['assistant', 'Hello world', '<p>Hello world</p>\n'],
    ]);
  });

  it('ends with its publication, and with its identity', async () => {
    const { identityId, uid } = await bot({ isPublished: true });
    const { conversation } = eventsOf(await ask(uid, 'Hello?'))[0];
    const gone = async () => {
      expect((await visit('GET', `/bots/${uid}`)).status).toBe(404);
      await failure(ask(uid, 'Hello?', conversation), 404, 'NOT_FOUND');
      await failure(visit('GET', `/api/public/bots/${uid}`), 404, 'NOT_FOUND');
      await failure(visit('POST', `/api/public/bots/${uid}/conversation`, { conversation }), 404, 'NOT_FOUND');
    };
    await data(call('PUT', `/bot-profiles/${identityId}`, { displayName: 'Robin', isPublished: false }));
    await gone();
    await data(call('PUT', `/bot-profiles/${identityId}`, { displayName: 'Robin', isPublished: true }));
    expect((await ask(uid, 'Hello?', conversation)).status).toBe(200);
    await data(call('DELETE', `/identities/${identityId}`));
    await gone();
  });

  it('takes so many messages of an address in an hour', async () => {
    const { uid } = await bot({ isPublished: true, messagesPerHour: 2 });
    const answers = await Promise.all([1, 2, 3, 4].map(() => ask(uid, 'Hello?')));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429]);
    const refused = await ask(uid, 'Hello?');
    expect(refused.body).toMatchObject({ errorCode: 'RATE_LIMITED' });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('takes so many tokens in a day: what replies may use is taken before, and what they used is counted after', async () => {
    const { identityId, uid } = await bot({ isPublished: true, tokensPerDay: 25_000, messagesPerHour: 100 });
    world.model.reply({ text: ['A'], stallAfter: 1 }, { text: ['B'], stallAfter: 1 });
    const before = world.model.requests.length;
    const held = [ask(uid, 'one'), ask(uid, 'two')];
    await world.model.arrived(before + 2);
    await failure(ask(uid, 'three'), 402, 'BUDGET_EXCEEDED');
    world.model.release();
    await Promise.all(held);
    const used = async () => (await data(call('GET', `/bot-profiles/${identityId}`))).tokensToday as number;
    await expect.poll(used).toBeLessThan(10_000);
    expect(await used()).toBeGreaterThan(0);
    expect((await ask(uid, 'three')).status).toBe(200);
  });
});

describe('a visitor', () => {
  const secret = 'the vault opens at 04711';
  /** A published bot whose identity may use every tool and knows a secret. */
  const knowing = async () => {
    const made = await bot({ isPublished: true, enabledTools: ['*'], messagesPerHour: 500 });
    const { identityId } = made;
    await data(
      call('POST', `/identities/${identityId}/memories`, {
        title: 'Vault',
        content: secret,
        type: 'Fact',
        importance: 10,
      }),
    );
    return made;
  };

  it('is told nothing that the tenant keeps, and no tool is offered, whatever the bot may use otherwise', async () => {
    const { identityId, uid } = await knowing();
    const { id } = await data(call('POST', '/chat/sessions', { identityId }));
    await data(call('POST', `/chat/sessions/${id}/chat`, { message: 'When does the vault open?' }));
    // The bot itself knows it and has tools: what follows does not pass for want of them.
    expect(JSON.stringify(lastAsked())).toContain(secret);
    expect(lastAsked().tools.length).toBeGreaterThan(5);
    await ask(uid, 'When does the vault open?');
    expect(JSON.stringify(lastAsked())).not.toContain(secret);
    expect(lastAsked().tools).toBeUndefined();
    // A model that calls one all the same is not obeyed.
    world.model.reply({ toolCalls: [{ id: 'c1', name: 'memory_search', arguments: '{"query":"vault"}' }] } as never);
    const answer = await ask(uid, 'Search for it.');
    expect(String(answer.body)).not.toContain(secret);
    expect(JSON.stringify(lastAsked())).not.toContain(secret);
  });

  it('reads no conversation but their own: not by another name, signature or bot', async () => {
    const [one, other] = [await knowing(), await knowing()];
    const { conversation } = eventsOf(await ask(one.uid, 'My name is Ada Visitor.'))[0] as { conversation: string };
    const [id, signature] = conversation.split('.') as [string, string];
    const members = await data(call('POST', '/chat/sessions', { identityId: one.identityId }));
    for (const name of [
      `${Number(id) - 1}.${signature}`,
      `${id}.${signature.slice(1)}`,
      id,
      `${members.id}.${signature}`,
      '..',
      `${conversation} `,
    ]) {
      await failure(
        visit('POST', `/api/public/bots/${one.uid}/conversation`, { conversation: name }),
        404,
        'NOT_FOUND',
      );
      await failure(ask(one.uid, 'Hello?', name), 404, 'NOT_FOUND');
    }
    await failure(visit('POST', `/api/public/bots/${other.uid}/conversation`, { conversation }), 404, 'NOT_FOUND');
  });

  it('opens nothing else with what they hold, and nobody of the tenant is shown their chat', async () => {
    const { uid } = await knowing();
    const { conversation } = eventsOf(await ask(uid, 'I am the visitor of the walls.'))[0] as { conversation: string };
    const [id] = conversation.split('.');
    for (const credential of [conversation, uid, `Bearer ${uid}`])
      for (const path of [`/api/chat/sessions/${id}`, '/api/memories/1', '/api/bot-profiles', '/api/identities']) {
        const answer = await visit('GET', path, undefined, { authorization: `Bearer ${credential}` });
        expect(answer.status).toBe(401);
      }
    await failure(call('GET', `/chat/sessions/${id}`), 404, 'NOT_FOUND');
    await failure(call('PATCH', `/chat/sessions/${id}`, { enabledTools: ['*'] }), 404, 'NOT_FOUND');
    const found = await data(call('GET', '/chat/sessions?q=visitor of the walls'));
    expect(found.totalCount).toBe(0);
    const shown = await data(visit('GET', `/api/public/bots/${uid}`));
    expect(Object.keys(shown).sort()).toEqual(['avatarUrl', 'displayName', 'greeting', 'suggestedPrompts', 'tagline']);
  });

  it('is told of a failure without the words of the provider', async () => {
    const { uid } = await knowing();
    world.model.reply({ status: 401, body: '{"error":{"message":"sk-secret-key is wrong"}}' });
    const answer = await ask(uid, 'Hello?');
    expect(String(answer.body)).not.toContain('sk-secret');
    expect(eventsOf(answer).at(-1)).toMatchObject({
      type: 'Failed',
      error: expect.stringContaining('could not answer'),
    });
  });

  it('sends text of a bounded length, and nothing else', async () => {
    const { uid } = await knowing();
    const send = (body: object) => visit('POST', `/api/public/bots/${uid}/messages`, body);
    await failure(send({ message: 'x'.repeat(4001) }), 400, 'VALIDATION_FAILED');
    await failure(send({ message: '  ' }), 400, 'VALIDATION_FAILED');
    for (const more of [{ enabledTools: ['*'] }, { systemPrompt: 'Obey.' }, { modelId: 'x' }, { attachments: [] }])
      await failure(send({ message: 'Hello?', ...more }), 400, 'VALIDATION_FAILED');
  });
});
