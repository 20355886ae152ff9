// Links to runs and chats: what they show to anybody, live too, and all that they keep closed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure } from '../support/failure.ts';
import { openStage, type Stage } from '../support/stage.ts';
import { type Answer, request } from '../support/test-server.ts';

const githubToken = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
  stage.cast({
    tell: [
      {
        text: [`The token is ${githubToken}.`],
        calls: [['run_note', { content: `password: hunter2-hunter2 ${githubToken}` }]],
      },
      { text: ['Done, with river-water-secret inside.'] },
    ],
    other: [{ text: ['A private thought.'] }],
  });
});
afterAll(() => stage.close());

const call = (method: string, path: string, body?: unknown) => stage.server.call(method, `/api${path}`, body);
const data = async (answer: Promise<Answer>) => {
  const { body } = await answer;
  expect([body.error, body.hint, body.ok]).toEqual([null, null, true]);
  return body.data;
};
/** Nobody's request, as a browser's page makes it. */
const visit = (path: string, body: unknown, headers: Record<string, string> = {}, method = 'POST') =>
  request(stage.server.url, method, path, body, headers);
const read = (what: string, token: string, more: object = {}) =>
  visit(`/api/public/shares/${what}`, { token, ...more });
const share = (body: object) => data(call('POST', '/shares', body));
const itemsOf = ({ body }: Answer) =>
  [...String(body).matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json as string));
const ended = (id: number) => data(call('GET', `/agent/runs/${id}/wait?timeoutMs=60000`));
const run = async (goal: string, more: object = {}) => {
  const { id } = await data(call('POST', '/agent/runs', { goal, autoStart: true, ...more }));
  await ended(id);
  return id as number;
};
const told = async () => run('tell', { environmentJson: JSON.stringify({ WATER: 'river-water-secret' }) });

describe('a link to a run', () => {
  it('shows the run and its events to anybody, with secrets redacted, and is stored as a digest', async () => {
    const id = await told();
    const link = await share({ runId: id });
    expect(link).toMatchObject({ runId: id, chatSessionId: null, includeFiles: false, title: 'tell' });
    expect(link.url).toContain(`/#/shared/${link.token}`);
    const shown = await data(read('read', link.token));
    expect(shown).toMatchObject({ kind: 'Run', title: 'tell', run: { goal: 'tell', status: 'Completed' } });
    const answer = await read('events', link.token);
    const items = itemsOf(answer);
    expect(items.at(-1)).toMatchObject({ type: 'Ended' });
    const events = items.filter(({ type }) => type === 'Event').map(({ event }) => event);
    const stored = await data(call('GET', `/agent/runs/${id}/events?limit=1000`));
    expect(events.map(({ seq }: { seq: number }) => seq)).toEqual(stored.map(({ seq }: { seq: number }) => seq));
    expect(JSON.stringify(stored)).toContain(githubToken);
    const text = String(answer.body);
    for (const secret of [githubToken, 'hunter2-hunter2', 'river-water-secret']) expect(text).not.toContain(secret);
    const [first] = events;
    expect(Object.keys(first)).not.toEqual(expect.arrayContaining(['runId']));
    const rest = itemsOf(await read('events', link.token, { afterSeq: events[2].seq }));
    expect(rest[0].event.seq).toBe(events[3].seq);
    const listed = await data(call('GET', `/shares?runId=${id}`));
    expect(listed.items).toMatchObject([{ id: link.id, last4: link.token.slice(-4) }]);
    expect(JSON.stringify(listed)).not.toContain(link.token);
  });

  it('shows what happens while somebody looks, and nothing more once it is revoked', async () => {
    const { id } = await data(call('POST', '/agent/runs', { goal: 'tell' }));
    const link = await share({ runId: id });
    const live = read('events', link.token);
    await data(call('POST', `/agent/runs/${id}/start`));
    const items = itemsOf(await live);
    expect(items.filter(({ type }) => type === 'Event').map(({ event }) => event.type)).toContain('RunCompleted');
    expect(items.filter(({ type }) => type === 'Run').at(-1).run.status).toBe('Completed');

    const waiting = await data(call('POST', '/agent/runs', { goal: 'tell' }));
    const other = await share({ runId: waiting.id });
    const response = await fetch(`${stage.server.url}/api/public/shares/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: other.token }),
    });
    const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    // The state of the run is the last thing of what there was.
    while (!text.includes('"type":"Run"')) text += (await reader.read()).value;
    await data(call('DELETE', `/shares/${other.id}`));
    await data(call('POST', `/agent/runs/${waiting.id}/start`));
    for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
    expect(text).toContain('event: Closed');
    expect(text).not.toContain('RunStarted');
    await failure(read('read', other.token), 404, 'NOT_FOUND');
    await failure(read('events', other.token), 404, 'NOT_FOUND');
    await ended(waiting.id);
  });

  it('opens files only where they are included', async () => {
    const id = await told();
    const [closed, open] = [await share({ runId: id }), await share({ runId: id, includeFiles: true })];
    await failure(read('files', closed.token), 404, 'NOT_FOUND');
    await failure(read('file', closed.token, { path: 'notes.md' }), 404, 'NOT_FOUND');
    expect(await data(read('files', open.token))).toEqual([]);
    for (const path of ['../../../etc/passwd', '/etc/passwd', 'notes.md'])
      expect((await read('file', open.token, { path })).status).toBeGreaterThanOrEqual(400);
  });
});

describe('a link to a chat', () => {
  it('shows what was said in its branch, with secrets redacted, and what is said then', async () => {
    const session = await data(call('POST', '/chat/sessions', { title: 'Tides' }));
    const say = (content: string, role = 'user') =>
      data(call('POST', `/chat/sessions/${session.id}/messages`, { role, content }));
    await say(`My token: ${githubToken}`);
    await say('I keep it.', 'assistant');
    const hidden = await say('Hidden words');
    await data(call('PATCH', `/chat/messages/${hidden.id}`, { hidden: true }));
    const link = await share({ chatSessionId: session.id });
    expect(await data(read('read', link.token))).toMatchObject({ kind: 'Chat', title: 'Tides', run: null });
    const response = await fetch(`${stage.server.url}/api/public/shares/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: link.token }),
    });
    const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    const readUntil = async (wanted: string) => {
      while (!text.includes(wanted)) {
        const { done, value } = await reader.read();
        if (done) throw new Error(`The stream ended before "${wanted}": ${text}`);
        text += value;
      }
    };
    await readUntil('I keep it.');
    expect(text).toContain('My token');
    for (const closed of [githubToken, 'Hidden words']) expect(text).not.toContain(closed);
    await data(call('POST', `/chat/sessions/${session.id}/chat`, { message: 'other' }));
    await readUntil('Nobody plays');
    await reader.cancel();
    await failure(call('POST', '/shares', { chatSessionId: 987_654 }), 404, 'NOT_FOUND');
  });
});

describe('the token of a link', () => {
  it('opens nothing else: no operation, stream, other run, or write, in whatever header it comes', async () => {
    const [id, other] = [await told(), await run('other')];
    const { token } = await share({ runId: id });
    const headers = [
      { authorization: `Bearer ${token}` },
      { 'x-api-key': token },
      { cookie: `token=${token}; session=${token}` },
      { authorization: `Basic ${Buffer.from(`${token}:`).toString('base64')}` },
    ];
    const paths = [
      `/api/agent/runs/${id}`,
      `/api/agent/runs/${id}/events`,
      `/api/agent/runs/${other}`,
      '/api/shares',
      `/api/events?topics=run:${id}`,
      '/api/auth/me',
    ];
    for (const header of headers)
      for (const path of paths)
        expect([path, (await visit(path, undefined, header, 'GET')).status]).toEqual([path, 401]);
    for (const path of [`/api/agent/runs/${id}/restart`, `/api/agent/runs/${id}/notes`, '/api/shares'])
      expect((await visit(path, { runId: id, token }, headers[0])).status).toBe(401);
    expect((await visit(`/api/events?topics=runs&ticket=${token}`, undefined, {}, 'GET')).status).toBe(401);
    for (const more of [{ runId: other }, { chatSessionId: 1 }, { topics: ['runs'] }, { includeFiles: true }])
      expect((await read('events', token, more)).status).toBe(400);
    expect(String((await read('events', token)).body)).not.toContain('private thought');
    for (const method of ['PUT', 'PATCH', 'DELETE'])
      expect((await visit('/api/public/shares/read', { token }, {}, method)).status).toBeGreaterThanOrEqual(404);
  });

  it('is the same nothing whether it was guessed, cut, changed, or its run deleted', async () => {
    const id = await told();
    const made = await share({ runId: id, expiresInHours: 1 });
    const guesses = [
      `shr_${'A'.repeat(43)}`,
      made.token.slice(0, -1),
      `${made.token} `,
      made.token.toUpperCase(),
      made.last4,
      String(made.id),
      made.guid,
      '{"$gt":""}',
    ];
    const nothing = (await read('read', guesses[0] as string)).body;
    for (const token of guesses)
      for (const what of ['read', 'events', 'files']) {
        const { status, body } = await read(what, token);
        expect([status, body.error, body.hint]).toEqual([404, nothing.error, nothing.hint]);
      }
    for (const token of [{ $gt: '' }, ['x'], null, 7])
      expect((await visit('/api/public/shares/read', { token })).status).toBe(400);
    expect((await read('read', made.token)).status).toBe(200);
    await data(call('DELETE', `/agent/runs/${id}`));
    await failure(read('read', made.token), 404, 'NOT_FOUND');
  });
});

describe('links', () => {
  it('name the sites that may embed them, by origins alone', async () => {
    const id = await told();
    const link = await share({ runId: id, embedOrigins: ['https://shop.example', 'http://127.0.0.1:8080'] });
    expect(link.embedUrl).toBe(`${stage.server.url}/embed.html?share=${link.guid}#${link.token}`);
    const listed = await data(call('GET', `/shares/${link.id}`));
    expect(listed.embedOrigins).toEqual(['https://shop.example', 'http://127.0.0.1:8080']);
    expect(await share({ runId: id })).toMatchObject({ embedOrigins: [], embedUrl: null });
    const hostile = ['*', "'self'", 'https://*.example', 'https://a.example/x', 'a.example', 'javascript:alert(1)'];
    for (const origin of [...hostile, 'https://a.example; script-src *', 'https://a.example\nx: y'])
      await failure(call('POST', '/shares', { runId: id, embedOrigins: [origin] }), 400, 'VALIDATION_FAILED');
  });

  it('are for things of one’s own alone, and are known to their maker and administrators', async () => {
    const password = 'a few words make a good one';
    await data(call('POST', '/users', { username: 'mia-shares', password, role: 'Member' }));
    const signed = await data(visit('/api/auth/login', { login: 'mia-shares', password }));
    const mia = (method: string, path: string, body?: unknown) =>
      request(stage.server.url, method, `/api${path}`, body, { authorization: `Bearer ${signed.accessToken}` });
    const id = await told();
    const mine = await share({ runId: id });
    const session = await data(call('POST', '/chat/sessions', { title: 'Mine' }));
    await failure(mia('POST', '/shares', { chatSessionId: session.id }), 404, 'NOT_FOUND');
    await failure(mia('GET', `/shares/${mine.id}`), 404, 'NOT_FOUND');
    await failure(mia('DELETE', `/shares/${mine.id}`), 404, 'NOT_FOUND');
    const hers = await data(mia('POST', '/shares', { runId: id }));
    expect((await data(mia('GET', '/shares'))).items.map((one: { id: number }) => one.id)).toEqual([hers.id]);
    expect((await read('read', hers.token)).status).toBe(200);
    // Who was switched off shows nothing any more.
    await data(call('PATCH', `/users/${signed.user.id}`, { isActive: false }));
    await failure(read('read', hers.token), 404, 'NOT_FOUND');
    expect((await read('read', mine.token)).status).toBe(200);
    await failure(call('POST', '/shares', {}), 400, 'VALIDATION_FAILED');
    await failure(call('POST', '/shares', { runId: id, chatSessionId: session.id }), 400, 'VALIDATION_FAILED');
    await failure(call('POST', '/shares', { runId: id, expiresInHours: 100_000 }), 400, 'VALIDATION_FAILED');
  });
});
