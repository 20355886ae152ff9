// Accounts end to end: registration, mailed links, second factors, sessions, and their end.
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure } from '../support/failure.ts';
import { mailsOf, tokenTo } from '../support/mailbox.ts';
import { openRegistration, strangersPassword as password, register } from '../support/strangers.ts';
import { request, startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const as = (token: string, method: string, path: string, body?: unknown) =>
  request(server.url, method, path, body, { authorization: `Bearer ${token}` });
const post = (path: string, body: unknown) => request(server.url, 'POST', path, body);
const login = (name: string, more: object = {}) => post('/api/auth/login', { login: name, password, ...more });
const mailed = (address: string, kind: 'confirm' | 'reset' | 'invite') => tokenTo(server.config.dataDir, address, kind);
const code = (secret: string, stepsLater = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + stepsLater * 30_000 });

describe('registration', () => {
  it('takes an invitation unless the first tenant opens it, and is refused where it is closed', async () => {
    await failure(register(server, 'early'), 403, 'REGISTRATION_CLOSED');
    await openRegistration(server, { registrationMode: 'Closed' });
    await failure(register(server, 'early'), 403, 'REGISTRATION_CLOSED');
    expect((await request(server.url, 'GET', '/api/system/info')).body.data.registrationMode).toBe('Closed');
    await openRegistration(server);
  });

  it('starts a tenant whose owner finds roles, definitions and profiles there', async () => {
    const { body } = await register(server, 'Ada');
    const token = body.data.accessToken;
    expect(body.data.user).toMatchObject({ username: 'ada', role: 'Owner', emailConfirmed: false });
    const me = (await as(token, 'GET', '/api/auth/me')).body.data;
    expect(me).toMatchObject({ tenantName: 'Ada', identity: { name: 'Ada', type: 'Human' } });
    expect(me.roles).toMatchObject([{ name: 'Owner', isSystem: true, memberCount: 1 }]);
    for (const path of ['/api/roles', '/api/agent/role-definitions', '/api/agent/tool-profiles'])
      expect((await as(token, 'GET', path)).body.data.totalCount).toBe(
        (await server.call('GET', path)).body.data.totalCount,
      );
    expect((await as(token, 'GET', '/api/users')).body.data.totalCount).toBe(1);
    const run = await as(token, 'POST', '/api/agent/runs', { goal: 'x', autoStart: true });
    expect(run.status).toBe(200);
  });

  it('gives a name once, also to many who ask at the same time', async () => {
    await failure(register(server, 'ADA'), 409, 'DUPLICATE');
    const answers = await Promise.all(Array.from({ length: 8 }, () => register(server, 'grace')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.errorCode === 'DUPLICATE')).toHaveLength(7);
  });

  it('refuses weak passwords by the policy of the tenant', async () => {
    await failure(register(server, 'weak', { password: 'short' }), 400, 'WEAK_PASSWORD');
    await failure(register(server, 'weak-and-long', { password: 'Weak-And-Long' }), 400, 'WEAK_PASSWORD');
    await failure(register(server, 'weak', { password: 'aaaaaaaaaaaaaa' }), 400, 'WEAK_PASSWORD');
  });
});

describe('an invitation', () => {
  const invite = (username: string, more: object = {}) =>
    server.call('POST', '/api/users', { username, email: `${username}@example.com`, sendInvite: true, ...more });

  it('lets somebody join as the user that was made for them, once of fifty who try', async () => {
    const { id } = (await invite('hopper', { role: 'Operator' })).body.data;
    const inviteToken = await mailed('hopper@example.com', 'invite');
    const tries = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        register(server, `hopper-${i}`, { email: 'hopper@example.com', inviteToken }),
      ),
    );
    const won = tries.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(won[0]?.body.data.user).toMatchObject({ id, role: 'Operator', emailConfirmed: true });
    const me = (await as(won[0]?.body.data.accessToken, 'GET', '/api/auth/me')).body.data;
    expect(me.tenantName).toBe((await server.call('GET', '/api/auth/me')).body.data.tenantName);
    const codes = new Set(tries.filter(({ status }) => status !== 200).map(({ body }) => body.errorCode));
    for (const one of codes) expect(['INVALID_TOKEN', 'RATE_LIMITED', 'CONCURRENCY_LIMITED']).toContain(one);
  });

  it('is refused without an address, and where the tenant has closed', async () => {
    await failure(
      server.call('POST', '/api/users', { username: 'nobody', sendInvite: true }),
      400,
      'VALIDATION_FAILED',
    );
    await failure(invite('both', { password: 'words and words' }), 400, 'VALIDATION_FAILED');
    await invite('late');
    const inviteToken = await mailed('late@example.com', 'invite');
    await openRegistration(server, { registrationMode: 'Closed' });
    await failure(register(server, 'late', { inviteToken }), 403, 'REGISTRATION_CLOSED');
    await openRegistration(server, { registrationMode: 'InviteOnly' });
    expect((await register(server, 'late', { inviteToken })).status).toBe(200);
    await openRegistration(server);
  });
});

describe('mailed links', () => {
  it('confirm an address once, and ask for it by a policy before anything else', async () => {
    const { body } = await register(server, 'mia');
    const token = body.data.accessToken;
    const policy = (await as(token, 'GET', '/api/tenant-policy')).body.data;
    const { version: _v, updatedByName: _n, updatedAtUtc: _u, ...fields } = policy;
    const strict = await as(token, 'PUT', '/api/tenant-policy', { ...fields, requireEmailConfirmation: true });
    expect(strict.body.data).toMatchObject({ requireEmailConfirmation: true, version: 1, updatedByName: 'mia' });
    await failure(as(token, 'GET', '/api/users'), 403, 'EMAIL_NOT_CONFIRMED');
    expect((await login('mia')).body.data).toMatchObject({ emailConfirmationRequired: true });
    const confirm = await mailed('mia@example.com', 'confirm');
    const tries = await Promise.all(
      Array.from({ length: 50 }, () => post('/api/auth/email/confirm', { token: confirm })),
    );
    expect(tries.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await as(token, 'GET', '/api/users')).status).toBe(200);
    // A new address has to be confirmed anew.
    const moved = await as(token, 'PUT', '/api/users/me/profile', { email: 'mia2@example.com' });
    expect(moved.body.data).toMatchObject({ email: 'mia2@example.com', emailConfirmed: false });
    await mailed('mia2@example.com', 'confirm');
    await expect
      .poll(async () =>
        (await mailsOf(server.config.dataDir)).some(
          (one) => one.includes('To: mia@example.com\n') && one.includes('was changed'),
        ),
      )
      .toBe(true);
  });

  it('set a password once, end every session, and are asked for alike by everybody', async () => {
    const { body } = await register(server, 'noor');
    const unknown = await post('/api/auth/password/forgot', { login: 'nobody at all' });
    const known = await post('/api/auth/password/forgot', { login: 'noor@example.com' });
    const same = ({ body: { requestId: _, ...rest }, status }: typeof known) => ({ rest, status });
    expect(same(known)).toEqual(same(unknown));
    const token = await mailed('noor@example.com', 'reset');
    const newPassword = 'other words, and many';
    await failure(post('/api/auth/password/reset', { token, newPassword: 'short' }), 400, 'WEAK_PASSWORD');
    const tries = await Promise.all(
      Array.from({ length: 50 }, () => post('/api/auth/password/reset', { token, newPassword })),
    );
    expect(tries.filter(({ status }) => status === 200)).toHaveLength(1);
    await failure(as(body.data.accessToken, 'GET', '/api/auth/me'), 401, 'TOKEN_REVOKED');
    await failure(login('noor'), 401, 'INVALID_CREDENTIALS');
    expect((await login('Noor@Example.com', { password: newPassword })).body.data.user.emailConfirmed).toBe(true);
    // Nobody is mailed twice within a minute.
    await post('/api/auth/password/forgot', { login: 'noor' });
    await failure(post('/api/auth/password/reset', { token, newPassword }), 400, 'INVALID_TOKEN');
  });
});

describe('a second factor', () => {
  it('is asked for once it is on; each code and each recovery code works once', async () => {
    const { body } = await register(server, 'tess');
    const token = body.data.accessToken;
    await failure(
      as(token, 'POST', '/api/auth/mfa/totp/enroll', { password: 'wrong words' }),
      401,
      'INVALID_CREDENTIALS',
    );
    const { secret, otpauthUri, qrSvg } = (await as(token, 'POST', '/api/auth/mfa/totp/enroll', { password })).body
      .data;
    expect(otpauthUri).toContain(secret);
    expect(qrSvg).toMatch(/^<svg/);
    expect((await login('tess')).status).toBe(200);
    await failure(as(token, 'POST', '/api/auth/mfa/totp/confirm', { code: '000000' }), 401, 'MFA_INVALID');
    // As long as a code, in more bytes than it has.
    await failure(as(token, 'POST', '/api/auth/mfa/totp/confirm', { code: '😀😀😀' }), 401, 'MFA_INVALID');
    const first = code(secret);
    const { recoveryCodes } = (await as(token, 'POST', '/api/auth/mfa/totp/confirm', { code: first })).body.data;
    expect(new Set(recoveryCodes).size).toBe(10);
    await failure(login('tess'), 401, 'MFA_REQUIRED');
    await failure(login('tess', { mfaCode: first }), 401, 'MFA_INVALID');
    expect((await login('tess', { mfaCode: code(secret, 1) })).status).toBe(200);
    await failure(login('tess', { mfaCode: code(secret, 1) }), 401, 'MFA_INVALID');
    const spent = await Promise.all(Array.from({ length: 8 }, () => login('tess', { mfaCode: recoveryCodes[0] })));
    expect(spent.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await as(token, 'GET', '/api/auth/me')).body.data).toMatchObject({
      mfaEnabled: true,
      recoveryCodesLeft: 9,
    });
    const off = { password, code: recoveryCodes[1] };
    expect((await as(token, 'POST', '/api/auth/mfa/totp/disable', off)).status).toBe(200);
    expect((await login('tess')).status).toBe(200);
  });

  it('is needed where the policy names the role, before anything else may be done', async () => {
    const { body } = await register(server, 'uma');
    const token = body.data.accessToken;
    const {
      version: _v,
      updatedByName: _n,
      updatedAtUtc: _u,
      ...fields
    } = (await as(token, 'GET', '/api/tenant-policy')).body.data;
    await as(token, 'PUT', '/api/tenant-policy', { ...fields, mfaRequiredForRoles: ['Owner'] });
    await failure(as(token, 'GET', '/api/users'), 403, 'FORBIDDEN', /api\/auth\/mfa\/totp\/enroll/);
    const again = (await login('uma')).body.data;
    expect(again).toMatchObject({ mfaEnrollmentRequired: true });
    const { secret } = (await as(again.accessToken, 'POST', '/api/auth/mfa/totp/enroll', { password })).body.data;
    await as(again.accessToken, 'POST', '/api/auth/mfa/totp/confirm', { code: code(secret) });
    expect((await as(token, 'GET', '/api/users')).status).toBe(200);
  });
});

describe('sessions', () => {
  it('are listed to their person and ended one by one', async () => {
    const { body } = await register(server, 'vera');
    const token = body.data.accessToken;
    const other = (await login('vera', { deviceName: 'Phone' })).body.data;
    const listed = (await as(token, 'GET', '/api/auth/sessions')).body.data;
    expect(listed).toMatchObject([
      { id: other.sessionId, deviceName: 'Phone', isCurrent: false, kind: 'User' },
      { id: body.data.sessionId, isCurrent: true },
    ]);
    expect((await as(token, 'DELETE', `/api/auth/sessions/${other.sessionId}`)).status).toBe(200);
    await failure(as(other.accessToken, 'GET', '/api/auth/me'), 401, 'TOKEN_REVOKED');
    await failure(as(token, 'DELETE', `/api/auth/sessions/${other.sessionId}`), 404, 'NOT_FOUND');
  });

  it('follow the times of the policy', async () => {
    const { body } = await register(server, 'wren');
    const token = body.data.accessToken;
    expect(body.data.expiresInSeconds).toBe(15 * 60);
    const {
      version: _v,
      updatedByName: _n,
      updatedAtUtc: _u,
      ...fields
    } = (await as(token, 'GET', '/api/tenant-policy')).body.data;
    const times = { accessTokenMinutes: 2, sessionIdleMinutes: 10, sessionAbsoluteHours: 1 };
    await as(token, 'PUT', '/api/tenant-policy', { ...fields, ...times });
    const { data } = (await login('wren', { rememberMe: true })).body;
    expect(data.expiresInSeconds).toBe(120);
    const left = Date.parse(data.refreshExpiresAtUtc) - Date.now();
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(10 * 60_000);
  });
});

describe('children', () => {
  it('are as many as the policy of the tenant allows', async () => {
    const token = (await register(server, 'walt')).body.data.accessToken;
    const policy = (await as(token, 'GET', '/api/tenant-policy')).body.data;
    const { version: _v, updatedByName: _n, updatedAtUtc: _u, ...fields } = policy;
    await as(token, 'PUT', '/api/tenant-policy', { ...fields, swarmChildCeiling: 1 });
    const provision = (name: string) => as(token, 'POST', '/api/identities/provision', { name });
    expect((await provision('first child')).status).toBe(200);
    await failure(provision('second child'), 409, 'SWARM_CEILING_REACHED');
  });
});

describe('a token', () => {
  it('is explained to its owner and to nobody of another tenant', async () => {
    const { accessToken, refreshToken } = (await register(server, 'xena')).body.data;
    const explain = async (who: string, token: string) =>
      (await as(who, 'POST', '/api/auth/tokens/introspect', { token })).body.data;
    expect(await explain(accessToken, accessToken)).toMatchObject({ active: true, kind: 'AccessJwt', subject: 'xena' });
    expect(await explain(accessToken, refreshToken)).toMatchObject({ active: true, kind: 'RefreshToken' });
    expect(await explain(server.key, server.key)).toMatchObject({ active: true, kind: 'IdentityKey' });
    const unknown = await explain(accessToken, 'rvt_nobody-has-this-key-0123456789abcdef');
    expect(unknown).toMatchObject({ active: false, kind: null });
    for (const foreign of [accessToken, refreshToken]) expect(await explain(server.key, foreign)).toEqual(unknown);
    expect(await explain(accessToken, server.key)).toEqual(unknown);
  });
});

describe('an account', () => {
  it('takes its data along and closes for good, its chats erased if it likes', async () => {
    const { body } = await register(server, 'yara');
    const token = body.data.accessToken;
    const chat = (await as(token, 'POST', '/api/chat/sessions', { title: 'Mine', modelId: 'scripted:echo' })).body.data;
    await as(token, 'POST', `/api/chat/sessions/${chat.id}/chat`, { message: 'Remember me' });
    await as(token, 'POST', '/api/prompts', { name: 'Mine', command: 'mine', text: 'Write.' });
    const provision = { name: 'yara child', createApiKey: true };
    const { identity, rawApiKey } = (await as(token, 'POST', '/api/identities/provision', provision)).body.data;
    const send = async (content: string) =>
      (await as(token, 'POST', '/api/messages', { recipientIds: [identity.id], content })).body.data.id;
    const [read] = [await send('Read me'), await send('Not yet')];
    expect((await as(rawApiKey, 'POST', `/api/messages/${read}/read`, {})).status).toBe(200);
    const data = (await as(token, 'GET', '/api/users/me/export')).body.data;
    expect(data).toMatchObject({
      user: { username: 'yara' },
      identities: [{ name: 'yara' }],
      chatSessions: [{ title: 'Mine', messages: [{ content: 'Remember me' }, {}] }],
      prompts: [{ command: 'mine', text: 'Write.' }],
      messages: [
        { content: 'Read me', recipients: [{ identityId: identity.id, readAtUtc: expect.any(String) }] },
        { content: 'Not yet', recipients: [{ identityId: identity.id, readAtUtc: null }] },
      ],
    });
    const zip = await fetch(`${server.url}/api/users/me/export?format=Zip`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(zip.headers.get('content-type')).toBe('application/zip');
    expect(
      Buffer.from(await zip.arrayBuffer())
        .subarray(0, 2)
        .toString(),
    ).toBe('PK');
    await failure(as(token, 'POST', '/api/users/me/close', { password: 'wrong words' }), 401, 'INVALID_CREDENTIALS');
    expect((await as(token, 'POST', '/api/users/me/close', { password, deleteData: true })).status).toBe(200);
    await failure(as(token, 'GET', '/api/auth/me'), 401, 'TOKEN_REVOKED');
    await failure(login('yara'), 401, 'INVALID_CREDENTIALS');
  });

  it('is not closed by the last owner of the first tenant', async () => {
    const { body } = await server.call('POST', '/api/users/me/close', { password: '' });
    expect(body.errorCode).toBe('LAST_OWNER');
  });
});

describe('an administrator', () => {
  const make = async (username: string, more: object = {}) =>
    (await server.call('POST', '/api/users', { username, ...more })).body.data;

  it('makes a user with an identity, resets the password, and gives it a key', async () => {
    const { id } = await make('zoe', { displayName: 'Zoë', email: 'Zoe@example.com' });
    expect((await server.call('GET', '/api/users/by-username/ZOE')).body.data).toMatchObject({ id, role: 'Member' });
    const reset = (await server.call('POST', `/api/users/${id}/reset-password`, {})).body.data;
    expect(reset).toMatchObject({ userId: id, resetLinkSent: false });
    const signedIn = (await login('zoe', { password: reset.temporaryPassword })).body.data;
    expect(signedIn.identityId).toEqual(expect.any(Number));
    const linked = (await server.call('POST', `/api/users/${id}/reset-password`, { sendEmail: true })).body.data;
    expect(linked).toMatchObject({ temporaryPassword: null, resetLinkSent: true });
    const { rawKey } = (await server.call('POST', `/api/users/${id}/apikey`, {})).body.data;
    expect((await as(rawKey, 'GET', '/api/auth/me')).body.data).toMatchObject({ kind: 'UserKey', user: { id } });
    const second = (await server.call('POST', `/api/users/${id}/apikey`, {})).body.data;
    await failure(as(rawKey, 'GET', '/api/auth/me'), 401, 'TOKEN_REVOKED');
    expect((await server.call('DELETE', `/api/users/${id}/apikey`)).status).toBe(200);
    await failure(as(second.rawKey, 'GET', '/api/auth/me'), 401, 'TOKEN_REVOKED');
    await failure(server.call('DELETE', `/api/users/${id}/apikey`), 404, 'NOT_FOUND');
  });

  it('deletes a user, whose name is free then', async () => {
    const { id } = await make('gone', { password: 'words and more words' });
    const { accessToken } = (await login('gone', { password: 'words and more words' })).body.data;
    expect((await server.call('DELETE', `/api/users/${id}`)).status).toBe(200);
    await failure(as(accessToken, 'GET', '/api/auth/me'), 401, 'TOKEN_REVOKED');
    await failure(server.call('GET', `/api/users/${id}`), 404, 'NOT_FOUND');
    expect((await make('gone')).id).not.toBe(id);
  });
});
