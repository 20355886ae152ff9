// Signing in end to end, on both transports: links, passwords, cookies, and those who guess.
import { parseSetCookie } from 'cookie';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, request, startTestServer, type TestServer, transports } from '../support/test-server.ts';

describe.each(transports)('signing in on %s', (transport) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ RIVULET_TRANSPORT: transport, RIVULET_TRUSTED_PROXIES: '127.0.0.1' });
  });
  afterAll(() => server.close());

  const post = (path: string, body: unknown, token?: string, headers: Record<string, string> = {}) =>
    request(server.url, 'POST', `/api/auth/${path}`, body, {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...headers,
    });
  const refused = async (call: Promise<Answer>, status: number, errorCode: string) => {
    const answer = await call;
    expect(answer).toMatchObject({ status, body: { ok: false, errorCode, hint: expect.stringMatching(/./) } });
  };

  it('turns the one-time link into a session that refreshes and ends', async () => {
    const token = new URL(server.firstBoot?.signInUrl.replace('/#/', '/') ?? '').searchParams.get('token');
    const first = await post('refresh', { refreshToken: token });
    expect(first.status).toBe(200);
    const { accessToken, refreshToken } = first.body.data;
    const me = await request(server.url, 'GET', '/api/auth/me', undefined, {
      authorization: `Bearer ${accessToken}`,
    });
    expect(me.body.data).toMatchObject({ kind: 'User', user: { username: 'admin' } });
    const second = await post('refresh', { refreshToken });
    expect(second.status).toBe(200);
    expect((await post('logout', {}, second.body.data.accessToken)).status).toBe(200);
    await refused(post('logout', {}, second.body.data.accessToken), 401, 'TOKEN_REVOKED');
    await refused(post('refresh', { refreshToken: second.body.data.refreshToken }), 401, 'TOKEN_REVOKED');
    await refused(post('refresh', { refreshToken: 'rft_nonsense' }), 401, 'UNAUTHENTICATED');
  });

  it('says who a key is, and that a key has no session', async () => {
    const { body } = await server.call('GET', '/api/auth/me');
    expect(body.data).toMatchObject({ kind: 'IdentityKey', identity: { name: 'Administrator' }, sessionId: null });
    await refused(server.call('POST', '/api/auth/logout', {}), 409, 'CONFLICT');
  });

  it('asks for credentials in a way that clients understand', async () => {
    for (const authorization of ['', 'Bearer', 'Basic abc', 'Bearer rvt_wrong', 'Bearer a.b.c']) {
      const answer = await request(server.url, 'GET', '/api/auth/me', undefined, { authorization });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      expect(answer.body.hint).toMatch(/./);
    }
  });

  describe('with a cookie', () => {
    const login = { login: 'admin', password: 'correct horse battery staple' };
    beforeAll(async () => {
      const password = { currentPassword: '', newPassword: login.password };
      expect((await server.call('POST', '/api/users/me/password', password)).status).toBe(200);
    });
    const cookieOf = ({ headers }: Answer) => headers.get('set-cookie') ?? '';
    const sent = (cookie: string) => ({ cookie: cookie.split(';', 1)[0] ?? '' });

    it('keeps the refresh token from scripts, changes it at each use, and takes it back', async () => {
      const first = await post('login', { ...login, useCookie: true });
      expect(first).toMatchObject({ status: 200, body: { data: { refreshToken: null } } });
      expect(parseSetCookie(cookieOf(first))).toEqual({
        name: `rivulet_refresh_${server.port}`,
        value: expect.stringMatching(/^rft_[\w-]+$/),
        expires: expect.any(Date),
        path: '/api/auth',
        httpOnly: true,
        sameSite: 'strict',
      });
      const second = await post('refresh', undefined, undefined, { ...sent(cookieOf(first)), origin: server.url });
      expect(second).toMatchObject({ status: 200, body: { data: { refreshToken: null } } });
      expect(cookieOf(second)).not.toBe(cookieOf(first));
      const { accessToken } = second.body.data;
      const out = await post('logout', {}, accessToken, sent(cookieOf(second)));
      expect(parseSetCookie(cookieOf(out))).toMatchObject({
        name: `rivulet_refresh_${server.port}`,
        value: '',
        maxAge: 0,
        path: '/api/auth',
      });
      await refused(post('refresh', {}, undefined, sent(cookieOf(second))), 401, 'TOKEN_REVOKED');
    });

    it('is of one server: another on this host neither takes nor replaces it', async () => {
      const other = await startTestServer({ RIVULET_TRANSPORT: transport });
      const cookie = sent(cookieOf(await post('login', { ...login, useCookie: true })));
      const there = await request(other.url, 'POST', '/api/auth/refresh', {}, { ...cookie, origin: other.url });
      expect(there.body.errorCode).toBe('VALIDATION_FAILED');
      await other.close();
      expect((await post('refresh', undefined, undefined, { ...cookie, origin: server.url })).status).toBe(200);
    });

    it('is secure over https, and not given to those who do not ask', async () => {
      const https = await post('login', { ...login, useCookie: true }, undefined, { 'x-forwarded-proto': 'https' });
      expect(parseSetCookie(cookieOf(https))).toMatchObject({ secure: true });
      // A browser says so itself where a proxy does not pass the scheme on.
      const origin = { origin: server.url.replace('http:', 'https:') };
      const page = await post('login', { ...login, useCookie: true }, undefined, origin);
      expect(parseSetCookie(cookieOf(page))).toMatchObject({ secure: true });
      const plain = await post('login', login);
      expect([cookieOf(plain), plain.body.data.refreshToken]).toEqual(['', expect.stringMatching(/^rft_/)]);
      await refused(post('refresh', {}), 400, 'VALIDATION_FAILED');
    });

    it('is good for no request that a page of another origin made', async () => {
      const cookie = sent(cookieOf(await post('login', { ...login, useCookie: true })));
      for (const headers of [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { origin: 'http://127.0.0.1:1' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
      ] as Record<string, string>[])
        await refused(post('refresh', {}, undefined, { ...cookie, ...headers }), 403, 'FORBIDDEN');
      expect((await post('refresh', {}, undefined, { ...cookie, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
      // A cookie alone is no credential for anything else.
      expect((await request(server.url, 'GET', '/api/auth/me', undefined, cookie)).status).toBe(401);
    });
  });

  it('slows down an address that tries passwords and keys, and no other behind the same proxy', async () => {
    const from = (ip: string) => ({ 'x-forwarded-for': ip });
    const guess = () =>
      request(server.url, 'GET', '/api/auth/me', undefined, {
        authorization: 'Bearer rvt_wrong',
        ...from('198.51.100.1'),
      });
    // However slowly the guesses come here, they come faster than they are forgiven.
    let limited: Answer | undefined;
    while (!limited) {
      const answers = await Promise.all(Array.from({ length: 40 }, guess));
      expect(answers.every(({ status }) => status === 401 || status === 429)).toBe(true);
      limited = answers.find(({ status }) => status === 429);
    }
    expect(limited.body.errorCode).toBe('RATE_LIMITED');
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    const login = (ip: string) => post('login', { login: 'admin', password: 'guess' }, undefined, from(ip));
    await expect.poll(async () => (await Promise.all([guess(), guess(), login('198.51.100.1')]))[2]?.status).toBe(429);
    await refused(login('198.51.100.2'), 401, 'INVALID_CREDENTIALS');
    // A right key is not held back by those who guess.
    expect((await server.call('GET', '/api/auth/me', undefined, from('198.51.100.1'))).status).toBe(200);
  });
});
