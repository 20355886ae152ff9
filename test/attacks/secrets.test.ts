// Secrets are in no file, no answer and no log as they are, and go to nobody whom they were not given for.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret, TOTP } from 'otpauth';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { startServer } from '../../src/server.ts';
import { runs } from '../../src/stores/runs/collections.ts';
import { failure } from '../support/failure.ts';
import { tokenTo } from '../support/mailbox.ts';
import { seedStore } from '../support/people.ts';
import { adminKey, request, startTestServer, type TestServer } from '../support/test-server.ts';

let folder: string;
let server: TestServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rivulet-secrets-'));
  server = await startTestServer({ RIVULET_DATA: folder });
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

async function made(path: string, body: unknown, headers: Record<string, string> = {}) {
  const answer = await server.call('POST', path, body, headers);
  expect(answer.body).toMatchObject({ ok: true });
  return answer.body.data;
}

/** Whether a text is in any file of the data folder. */
async function isStored(text: string): Promise<boolean> {
  const names = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) => one.isFile());
  const contents = await Promise.all(names.map((one) => readFile(join(one.parentPath, one.name))));
  return contents.some((bytes) => bytes.includes(text));
}

describe('what is stored', () => {
  it('holds no environment, key, password or token in clear, and gives environments back', async () => {
    const secret = {
      env: 'hush-environment',
      patched: 'hush-patched',
      password: 'hush hush password',
      model: 'sk-hush-model-key',
    };
    const { id } = await made('/api/agent/runs', { goal: 'x', environmentJson: JSON.stringify({ TOKEN: secret.env }) });
    const other = await made('/api/agent/runs', { goal: 'x' });
    const environmentJson = JSON.stringify({ TOKEN: secret.patched });
    expect((await server.call('PATCH', `/api/agent/runs/${other.id}`, { environmentJson })).status).toBe(200);
    await made('/api/ai-router/providers', {
      name: 'Sealed',
      kind: 'OpenAi',
      apiKey: secret.model,
      headersJson: '{"x-more":"hush-header"}',
    });
    const me = (await server.call('GET', '/api/auth/me')).body.data.identity.id;
    const { rawKey } = await made(`/api/identities/${me}/api-keys`, { name: 'k' }, { 'idempotency-key': 'once' });
    await made('/api/users/me/password', { currentPassword: '', newPassword: secret.password });
    const tokens = await made('/api/auth/login', { login: 'admin', password: secret.password });
    const { ticket } = await made('/api/ws/tickets', {});
    const clear = [
      ...Object.values(secret),
      'hush-header',
      rawKey,
      tokens.refreshToken,
      tokens.accessToken,
      ticket,
      adminKey,
    ];
    await server.restart();
    for (const text of clear) expect([text, await isStored(text)]).toEqual([text, false]);
    const shown = async (run: number) => (await server.call('GET', `/api/agent/runs/${run}`)).body.data.environmentJson;
    expect(JSON.parse(await shown(id))).toEqual({ TOKEN: secret.env });
    expect(await shown(other.id)).toBe(environmentJson);
  });

  it('holds no password, second factor, recovery code or mailed token in clear; the outbox alone holds mails', async () => {
    const made = { username: 'sealed', email: 'sealed@example.com', password: 'hush hush of sealed' };
    await server.call('POST', '/api/users', made);
    const login = { login: made.username, password: made.password };
    const { accessToken } = (await request(server.url, 'POST', '/api/auth/login', login)).body.data;
    const as = (path: string, body: unknown) =>
      request(server.url, 'POST', path, body, { authorization: `Bearer ${accessToken}` });
    const { secret } = (await as('/api/auth/mfa/totp/enroll', { password: made.password })).body.data;
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
    const { recoveryCodes } = (await as('/api/auth/mfa/totp/confirm', { code })).body.data;
    await request(server.url, 'POST', '/api/auth/password/forgot', { login: made.username });
    const token = await tokenTo(folder, made.email, 'reset');
    await server.restart();
    for (const text of [made.password, secret, ...recoveryCodes])
      expect([text, await isStored(text)]).toEqual([text, false]);
    expect(await isStored(token)).toBe(true);
    await rm(join(folder, 'outbox'), { recursive: true });
    expect(await isStored(token)).toBe(false);
  });

  it('is sealed when it is of a version that did not', async () => {
    const own = await mkdtemp(join(tmpdir(), 'rivulet-unsealed-'));
    const first = await startTestServer({ RIVULET_DATA: own });
    const { id } = (await first.call('POST', '/api/agent/runs', { goal: 'x', environmentJson: '{"A":"b"}' })).body.data;
    await first.close();
    await seedStore(own, async ({ storage: { db } }) => {
      await db.collection(runs).updateOne({ _id: id }, { $set: { environmentJson: '{"A":"plain"}' } });
      await db.collection<{ _id: number }>('migrations').deleteMany({ _id: 1 });
    });
    const second = await startTestServer({ RIVULET_DATA: own });
    expect((await second.call('GET', `/api/agent/runs/${id}`)).body.data.environmentJson).toBe('{"A":"plain"}');
    await second.close();
    await seedStore(own, async ({ storage: { db } }) => {
      expect((await db.collection(runs).findOne({ _id: id }))?.environmentJson).toMatch(/^v1\./);
    });
    await rm(own, { recursive: true, force: true });
  });
});

describe('the key of a provider', () => {
  it('is not sent to an address that it was not given for', async () => {
    const seen: string[] = [];
    const thief = createServer((incoming, response) => {
      seen.push(`${incoming.headers.authorization} ${incoming.headers['x-team']}`);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"object":"list","data":[]}');
    });
    await new Promise<void>((resolve) => thief.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${(thief.address() as AddressInfo).port}/v1`;
    const first = {
      baseUrl: 'http://127.0.0.1:9/v1',
      apiKey: 'sk-first-0123456789',
      headersJson: '{"x-team":"first"}',
    };
    const provider = await made('/api/ai-router/providers', { name: 'Moves', kind: 'OpenAiCompatible', ...first });
    const path = `/api/ai-router/providers/${provider.id}`;
    await failure(server.call('PATCH', path, { baseUrl }), 400, 'VALIDATION_FAILED', /apiKey and headersJson/);
    await failure(
      server.call('PATCH', path, { baseUrl, apiKey: 'sk-second' }),
      400,
      'VALIDATION_FAILED',
      /headersJson/,
    );
    await failure(server.call('PATCH', path, { baseUrl, headersJson: null }), 400, 'VALIDATION_FAILED', /apiKey/);
    await server.call('POST', `${path}/test`, {});
    expect(seen).toEqual([]);
    // The same address, and anything else, needs nothing again.
    expect((await server.call('PATCH', path, { baseUrl: first.baseUrl, priority: 7 })).status).toBe(200);
    const moved = await server.call('PATCH', path, {
      baseUrl,
      apiKey: 'sk-second',
      headersJson: '{"x-team":"second"}',
    });
    expect(moved.body.data).toMatchObject({ baseUrl, keyCount: 1 });
    await server.call('POST', `${path}/test`, {});
    expect([...new Set(seen)]).toEqual(['Bearer sk-second second']);
    await new Promise((resolve) => thief.close(resolve));
  });
});

describe('the credentials of the first boot', () => {
  it('are in no log, at no level', async () => {
    const own = await mkdtemp(join(tmpdir(), 'rivulet-first-boot-'));
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    const config = loadConfig({ RIVULET_DATA: own, RIVULET_PORT: '0', RIVULET_SANDBOX: 'off', RIVULET_LOG: 'trace' });
    const fresh = await startServer({ config, log });
    const { adminKey: key, signInUrl } = fresh.firstBoot as { adminKey: string; signInUrl: string };
    const token = new URL(signInUrl.replace('/#/', '/')).searchParams.get('token') as string;
    await request(fresh.url, 'GET', '/api/auth/me', undefined, { authorization: `Bearer ${key}` });
    const { refreshToken } = (await request(fresh.url, 'POST', '/api/auth/refresh', { refreshToken: token })).body.data;
    const { ticket } = (await request(fresh.url, 'POST', '/api/ws/tickets', {}, { authorization: `Bearer ${key}` }))
      .body.data;
    await request(fresh.url, 'GET', `/api/events?topics=nowhere&ticket=${ticket}`);
    await fresh.close();
    await rm(own, { recursive: true, force: true });
    const said = lines.join('');
    expect(said).toContain('"route":"Auth_refresh"');
    for (const text of [key, token, refreshToken, ticket]) expect(said).not.toContain(text);
  });
});
