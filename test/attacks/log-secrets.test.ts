// Secrets of every kind, planted through real requests at the level Trace, stand in nothing that is made of the log.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { gatherMs } from '../../src/groups/log-subscriptions/spacing.ts';
import { openZip } from '../../src/kernel/zip-reader.ts';
import { hastyClock } from '../support/hasty-clock.ts';
import { keptLog } from '../support/kept-log.ts';
import { tokenTo } from '../support/mailbox.ts';
import { createShiftedClock } from '../support/shifted-clock.ts';
import { adminKey, request, startTestServer, type TestServer } from '../support/test-server.ts';

const patience = { timeout: 30_000, interval: 100 };
const settings = {
  RIVULET_LOG: 'trace',
  RIVULET_SECRET: 'hush of the whole server, 32 letters',
  OPENAI_API_KEY: 'hush-key-of-the-settings',
};
const logged = keptLog('trace', [adminKey, settings.RIVULET_SECRET, settings.OPENAI_API_KEY]);

/** Kind and value of what nobody may read. */
const planted = new Map<string, string>();
function plant(kind: string, value: string): string {
  expect(value, kind).toMatch(/./);
  planted.set(kind, value);
  return value;
}

const shifted = createShiftedClock();
let server: TestServer;
let broken: Server;
let at = '';
beforeAll(async () => {
  // A service that tells whoever it answers what it was sent.
  broken = createServer((incoming, response) => {
    response.writeHead(500, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: `Not accepted: ${JSON.stringify(incoming.headers)}` } }));
  });
  await new Promise<void>((done) => broken.listen(0, '127.0.0.1', done));
  at = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`;
  server = await startTestServer(settings, logged, { ...hastyClock, now: shifted.now });
});
afterAll(async () => {
  await server.close();
  broken.closeAllConnections();
  await new Promise((done) => broken.close(done));
});

async function done(method: string, path: string, body?: unknown) {
  const answer = await server.call(method, path, body);
  expect(answer.body, path).toMatchObject({ ok: true });
  return answer.body.data;
}
const as = (authorization: string, method: string, path: string, body?: unknown) =>
  request(server.url, method, path, body, { authorization });

/** Has accounts, keys, providers, webhooks and runs with secrets, right and wrong ones. */
async function live(): Promise<void> {
  const [password, email] = [plant('password', 'Hush-hush-2-whisper'), 'whisper@example.com'];
  await done('POST', '/api/users', { username: 'whisper', email, password });
  const login = (more: string) => request(server.url, 'POST', '/api/auth/login', { login: 'whisper', password: more });
  await login(plant('wrong password', 'Hush-hush-3-mistaken'));
  const { accessToken, refreshToken } = (await login(password)).body.data;
  await as(`Bearer ${plant('access token', accessToken)}`, 'GET', '/api/auth/me');
  await request(server.url, 'POST', '/api/auth/refresh', { refreshToken: plant('refresh token', refreshToken) });
  await request(server.url, 'POST', '/api/auth/password/forgot', { login: 'whisper' });
  plant('mailed token', await tokenTo(server.config.dataDir, email, 'reset'));
  plant('ticket', (await done('POST', '/api/ws/tickets', {})).ticket);
  const me = (await done('GET', '/api/auth/me')).identity.id;
  plant('API key', (await done('POST', `/api/identities/${me}/api-keys`, { name: 'planted' })).rawKey);
  plant('wrong API key', 'rvt_3kQ9vZt7LmX2cB8nRw5yHd4GfJs6PaUe');
  const provider = await done('POST', '/api/ai-router/providers', {
    ...{ name: 'Loud', kind: 'OpenAiCompatible', baseUrl: `${at}/v1` },
    apiKey: plant('provider key', 'sk-proj-9fK2mQx7Zt4LwB8cVn3RyHd6GsJa5PeU'),
    headersJson: JSON.stringify({ 'x-api-key': plant('header of a provider', 'Hush8zQ4kV7mT2xL9') }),
  });
  await server.call('POST', `/api/ai-router/providers/${provider.id}/test`, {});
  const made = await done('POST', '/api/webhooks', {
    ...{ name: 'Loud', url: `${at}/hook`, eventTypes: ['task.*'] },
    headersJson: JSON.stringify({ authorization: `Bearer ${plant('header of a webhook', 'Hush5wR8nK3vQ7tZ2')}` }),
  });
  plant('webhook secret', made.rawSecret);
  await done('POST', `/api/webhooks/${made.webhook.id}/deliveries`, {});
  const connection = plant('connection string', 'postgres://tide:Hush-4-db-pass@db.example.com:5432/tide');
  plant('password of a connection', 'Hush-4-db-pass');
  const environmentJson = JSON.stringify({ DATABASE_URL: connection, MQ: plant('queue', 'amqp://a:Hush-5-mq@mq/x') });
  await done('POST', '/api/agent/runs', { goal: 'x', environmentJson });
  plant('basic authorisation', Buffer.from('whisper:Hush-6-basic').toString('base64'));
  plant('cookie', 'hush7Cookie9Value');
  plant('admin key', adminKey);
  plant('secret of the server', settings.RIVULET_SECRET);
  plant('key of the settings', settings.OPENAI_API_KEY);
}

/** How a secret is written where somebody pastes it, or a client quotes what it sent. */
function quoted(kind: string, value: string): string {
  if (kind === 'cookie') return `Cookie: session=${value}`;
  if (kind === 'basic authorisation') return `Authorization: Basic ${value}`;
  if (/connection/.test(kind)) return planted.get('connection string') as string;
  if (kind === 'queue') return value;
  if (/password/.test(kind)) return `password=${value}`;
  if (/header|token|ticket/.test(kind)) return `token=${value}`;
  return value;
}

/** Sends each secret wherever a request has room for text, and has errors and fields say it. */
async function spread(): Promise<void> {
  const own = logged.log.child({ domain: 'Webhook' });
  let n = 0;
  for (const [kind, value] of planted) {
    const text = quoted(kind, value);
    const headers = {
      ...{ authorization: kind === 'basic authorisation' ? `Basic ${value}` : `Bearer ${value}` },
      ...{ cookie: `session=${value}; theme=dark`, 'x-api-key': value, 'user-agent': text, referer: `${at}/?${text}` },
    };
    const id = (part: string) => ({ 'x-request-id': `plant-${n}-${part}` });
    const get = (path: string, more: object) => request(server.url, 'GET', path, undefined, { ...headers, ...more });
    await get(`/api/nowhere/${encodeURIComponent(text)}?q=${encodeURIComponent(text)}`, id('nowhere'));
    const named = `/api/users/by-username/${encodeURIComponent(text)}`;
    await server.call('GET', named, undefined, id('name'));
    await get(`/api/events?topics=x&token=${encodeURIComponent(value)}`, id('query'));
    await request(server.url, 'POST', '/api/auth/login', `{"login":"x","password":"${text}`, id('body'));
    own.error(
      { err: new Error(`refused: ${text}`, { cause: new Error(`sent:\n${text}`) }), password: value },
      `plant-${n} ${text}`,
    );
    own.trace({ request: { headers, body: { apiKey: value } }, note: text }, `plant-${n} again`);
    n++;
  }
}

function expectNone(where: string, text: string): void {
  const leaks = [...planted].filter(([, value]) => {
    const forms = [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)];
    return forms.some((form) => text.includes(form));
  });
  expect({ where, leaks: leaks.map(([kind]) => kind) }).toEqual({ where, leaks: [] });
}

async function everyLine(): Promise<{ message: string; requestId: string | null }[]> {
  const lines = [];
  for (let before = ''; ; ) {
    const page = (await server.call('GET', `/api/system-logs?pageSize=200${before}`)).body.data;
    lines.push(...page.items);
    if (!page.moreAvailable) return lines;
    before = `&beforeId=${page.items.at(-1).id}`;
  }
}

/** What the live tail has sent, from the first line on, when it has sent this. */
async function tailUntil(last: string): Promise<string> {
  const stop = new AbortController();
  const headers = { authorization: `Bearer ${adminKey}` };
  const response = await fetch(`${server.url}/api/system-logs/stream?lastEventId=0`, { headers, signal: stop.signal });
  let text = '';
  for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(part).toString();
    if (text.includes(last)) break;
  }
  stop.abort();
  return text;
}

/** Files of the bundle of a support request, by name. */
async function bundleOf(subject: string): Promise<Map<string, string>> {
  const description = [...planted].map(([kind, value]) => quoted(kind, value)).join('\n');
  const { diagnosticsPath } = await done('POST', '/api/support/requests', { subject, description });
  const response = await fetch(server.url + diagnosticsPath, { headers: { authorization: `Bearer ${adminKey}` } });
  const path = join(tmpdir(), `rivulet-bundle-${crypto.randomUUID()}.zip`);
  await writeFile(path, Buffer.from(await response.arrayBuffer()));
  const files = new Map<string, string>();
  const zip = await openZip(path);
  try {
    for await (const item of zip.entries()) files.set(item.name, await text(await item.open()));
  } finally {
    zip.close();
    await rm(path);
  }
  return files;
}

it('neither lines, nor the tail, nor messages, nor the bundle hold a secret', async () => {
  for (const domain of ['Http', 'Security', 'Webhook'])
    await done('POST', '/api/log-subscriptions', { domain, minLevel: 'Trace' });
  const tail = tailUntil('plant-the-last');
  await live();
  expect(planted.size).toBeGreaterThan(17);
  await spread();
  logged.log.info('plant-the-last');
  const tailed = await tail;

  const lines = await everyLine();
  // Whatever was planted was written about, so that what is not there was hidden.
  for (let n = 0; n < planted.size; n++) {
    for (const part of ['nowhere', 'name', 'query', 'body'])
      expect(lines.filter(({ requestId }) => requestId === `plant-${n}-${part}`).length, `${n} ${part}`).toBe(1);
    expect(lines.filter(({ message }) => message.startsWith(`plant-${n} `)).length).toBe(2);
  }
  expectNone('the log', JSON.stringify(lines));
  expectNone('stdout', logged.printed.join(''));
  expect(tailed.split('event: log').length).toBeGreaterThan(6 * planted.size);
  expectNone('the tail', tailed);

  // Lines are gathered for a while before they are told by message.
  shifted.shift(gatherMs);
  const messages = async () => JSON.stringify((await done('GET', '/api/messages/inbox?pageSize=100')).items);
  const digested = (text: string) => ['Http', 'Security', 'Webhook'].filter((one) => text.includes(`lines of ${one}`));
  await expect.poll(async () => digested(await messages()), patience).toEqual(['Http', 'Security', 'Webhook']);
  expectNone('messages', await messages());

  const files = await bundleOf('It leaks');
  expect([...files.keys()]).toEqual(expect.arrayContaining(['request.json', 'log.ndjson', 'settings.json']));
  expect(files.get('log.ndjson')).toContain('plant-the-last');
  for (const [name, text] of files) expectNone(name, text);
  expectNone('what is stored', String(await readFile(join(server.config.dataDir, 'rivulet.db'), 'latin1')));
}, 60_000);
