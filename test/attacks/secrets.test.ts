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
  // The server that runs beside this removes files of its own meanwhile.
  const bytesOf = (path: string) =>
    readFile(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return Buffer.alloc(0);
      throw error;
    });
  const contents = await Promise.all(names.map((one) => bytesOf(join(one.parentPath, one.name))));
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

/** A server whose log is heard at every level. */
async function loud(environment: Record<string, string> = {}) {
  const own = await mkdtemp(join(tmpdir(), 'rivulet-loud-'));
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const settings = { RIVULET_DATA: own, RIVULET_PORT: '0', RIVULET_SANDBOX: 'off', RIVULET_LOG: 'trace' };
  const started = await startServer({ durable: false, config: loadConfig({ ...settings, ...environment }), log });
  return {
    folder: own,
    started,
    as: (token: string | null, method: string, path: string, body?: unknown) =>
      request(started.url, method, path, body, token ? { authorization: `Bearer ${token}` } : {}),
    /** Stops it; what it said. */
    async said() {
      await started.close();
      await rm(own, { recursive: true, force: true });
      return lines.join('');
    },
  };
}

describe('the log, at no level, and the audit log hold', () => {
  it('no credential of the first boot', async () => {
    const { started, as, said } = await loud();
    const { adminKey: key, signInUrl } = started.firstBoot as { adminKey: string; signInUrl: string };
    const token = new URL(signInUrl.replace('/#/', '/')).searchParams.get('token') as string;
    await as(key, 'GET', '/api/auth/me');
    const { refreshToken } = (await as(null, 'POST', '/api/auth/refresh', { refreshToken: token })).body.data;
    const { ticket } = (await as(key, 'POST', '/api/ws/tickets', {})).body.data;
    await as(null, 'GET', `/api/events?topics=nowhere&ticket=${ticket}`);
    const text = await said();
    expect(text).toContain('"route":"Auth_refresh"');
    for (const one of [key, token, refreshToken, ticket]) expect(text).not.toContain(one);
  });

  it('no password, code, token or key of an account, right or wrong', async () => {
    const { folder: own, as, said } = await loud({ RIVULET_ADMIN_KEY: adminKey });
    const made = { username: 'whisper', email: 'whisper@example.com', password: 'hush hush of whisper' };
    const planted: string[] = [made.password, adminKey];
    const plant = <T extends string>(text: T): T => {
      planted.push(text);
      return text;
    };
    const { id } = (await as(adminKey, 'POST', '/api/users', made)).body.data;
    const login = (more: object) => as(null, 'POST', '/api/auth/login', { login: made.username, ...more });
    await login({ password: plant('hush hush but wrong') });
    const { accessToken, refreshToken } = (await login({ password: made.password })).body.data;
    plant(refreshToken);
    const { secret } = (await as(plant(accessToken), 'POST', '/api/auth/mfa/totp/enroll', { password: made.password }))
      .body.data;
    const totp = new TOTP({ secret: Secret.fromBase32(plant(secret)) });
    const { recoveryCodes } = (await as(accessToken, 'POST', '/api/auth/mfa/totp/confirm', { code: totp.generate() }))
      .body.data;
    planted.push(...recoveryCodes);
    await login({ password: made.password, mfaCode: plant('hush-code') });
    expect((await login({ password: made.password, mfaCode: recoveryCodes[0] })).status).toBe(200);
    await as(null, 'POST', '/api/auth/password/forgot', { login: made.username });
    const token = plant(await tokenTo(own, made.email, 'reset'));
    const newPassword = plant('hush hush once more');
    await as(null, 'POST', '/api/auth/password/reset', { token: plant('hush-token'), newPassword });
    expect((await as(null, 'POST', '/api/auth/password/reset', { token, newPassword })).status).toBe(200);
    plant((await as(adminKey, 'POST', `/api/users/${id}/apikey`, {})).body.data.rawKey);
    const guest = { username: 'guest', email: 'guest@example.com', sendInvite: true };
    await as(adminKey, 'POST', '/api/users', guest);
    plant(await tokenTo(own, guest.email, 'invite'));
    await as(plant('rvt_hush-of-nobody-0123456789012345'), 'GET', '/api/auth/me');
    const audit = JSON.stringify((await as(adminKey, 'GET', '/api/audit-events?pageSize=200')).body.data);
    const text = await said();
    expect(audit).toContain('Auth_resetPassword');
    expect(text).toContain('"route":"Auth_resetPassword"');
    for (const one of planted) expect([one, text.includes(one), audit.includes(one)]).toEqual([one, false, false]);
  });
});
