// A key gives no more than it has, and nothing that came from it outlives it.
import { io } from 'socket.io-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Permission } from '../../src/contract/enums.ts';
import { failure } from '../support/failure.ts';
import { type Answer, request, startTestServer, type TestServer } from '../support/test-server.ts';
import { openSocket } from '../support/web-socket.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const as = (token: string, method: string, path: string, body?: unknown): Promise<Answer> =>
  request(server.url, method, path, body, bearer(token));
const login = (password: string, mfaCode?: string) =>
  request(server.url, 'POST', '/api/auth/login', { login: 'admin', password, mfaCode });
const setPassword = (token: string, newPassword: string, currentPassword = '') =>
  as(token, 'POST', '/api/users/me/password', { currentPassword, newPassword });

let number = 0;
let own = 0;
const password = () => `a long enough password ${++number}`;
/** A key of an identity, the administrator's own unless said otherwise. */
async function makeKey(scopes: string[], { of = own, maker = server.key, expiresAtUtc = null as string | null } = {}) {
  const made = await as(maker, 'POST', `/api/identities/${of}/api-keys`, {
    name: `k${++number}`,
    scopes,
    expiresAtUtc,
  });
  expect(made.body).toMatchObject({ ok: true });
  return { id: made.body.data.key.id as number, raw: made.body.data.rawKey as string, identityId: of };
}
const revoke = ({ id, identityId }: { id: number; identityId: number }) =>
  server.call('DELETE', `/api/identities/${identityId}/api-keys/${id}`);

beforeAll(async () => {
  own = (await server.call('GET', '/api/auth/me')).body.data.identity.id;
});

describe('a key of little scope', () => {
  it.each([['RunsRead'], ['DocsRead'], ['RunsWrite', 'ApiKeysManage']])('of %s sets no password', async (...scopes) => {
    const key = await makeKey(scopes);
    const wanted = password();
    await failure(setPassword(key.raw, wanted), 403, 'FORBIDDEN', /UsersWrite/);
    await failure(login(wanted), 401, 'INVALID_CREDENTIALS');
  });

  it('sets no password that opens more than it does, though it names the account', async () => {
    const key = await makeKey(['UsersWrite', 'RunsRead']);
    await failure(setPassword(key.raw, password()), 403, 'FORBIDDEN');
  });

  it('mints no key that has more', async () => {
    const { raw } = await makeKey(['ApiKeysManage', 'RunsRead']);
    for (const scopes of [[], ['RunsWrite'], ['UsersWrite'], ['RunsRead', 'SystemRead']])
      await failure(as(raw, 'POST', `/api/identities/${own}/api-keys`, { name: 'more', scopes }), 403, 'FORBIDDEN');
    expect(
      (await as(raw, 'POST', `/api/identities/${own}/api-keys`, { name: 'less', scopes: ['RunsRead'] })).status,
    ).toBe(200);
  });

  it('mints no key that ends later', async () => {
    const expiresAtUtc = new Date(Date.now() + 3_600_000).toISOString();
    const { raw } = await makeKey(['ApiKeysManage'], { expiresAtUtc });
    const mint = (body: object) =>
      as(raw, 'POST', `/api/identities/${own}/api-keys`, { name: 'later', scopes: ['IdentitiesRead'], ...body });
    expect((await mint({})).body.data.key.expiresAtUtc).toBe(expiresAtUtc);
    const later = new Date(Date.now() + 7_200_000).toISOString();
    await failure(mint({ expiresAtUtc: later }), 403, 'FORBIDDEN', /up to/);
  });

  it('gets a ticket that opens no more than the key', async () => {
    const { raw } = await makeKey(['LogsRead']);
    const { ticket } = (await as(raw, 'POST', '/api/ws/tickets', {})).body.data;
    await failure(request(server.url, 'GET', `/api/events?topics=runs&ticket=${ticket}`), 403, 'FORBIDDEN');
  });
});

describe('what came from a key', () => {
  it('ends with it: password, sessions, refresh tokens, tickets and sockets', async () => {
    const key = await makeKey([...Permission.options]);
    const wanted = password();
    expect((await setPassword(key.raw, wanted)).status).toBe(200);
    const session = (await login(wanted)).body.data;
    const socket = await openSocket(server.url, bearer(session.accessToken));
    const events = await fetch(`${server.url}/api/events?topics=runs`, { headers: bearer(session.accessToken) });
    const { ticket } = (await as(session.accessToken, 'POST', '/api/ws/tickets', {})).body.data;
    expect((await revoke(key)).status).toBe(200);
    expect((await socket.closed).code).toBe(4001);
    await events.text();
    await failure(as(session.accessToken, 'GET', '/api/auth/me'), 401, 'TOKEN_REVOKED');
    await failure(
      request(server.url, 'POST', '/api/auth/refresh', { refreshToken: session.refreshToken }),
      401,
      'TOKEN_REVOKED',
    );
    await failure(request(server.url, 'GET', `/api/events?topics=runs&ticket=${ticket}`), 401, 'TOKEN_REVOKED');
    await failure(login(wanted), 401, 'INVALID_CREDENTIALS');
    // It is as if there were none, so that the person can set one.
    expect((await server.call('GET', '/api/auth/me')).body.data.hasPassword).toBe(false);
  });

  it('is no key of the account, where the session came from it', async () => {
    const key = await makeKey([...Permission.options]);
    const [first, second] = [password(), password()];
    await setPassword(key.raw, first);
    const { accessToken } = (await login(first)).body.data;
    expect((await setPassword(accessToken, second, first)).status).toBe(200);
    await revoke(key);
    await failure(login(second), 401, 'INVALID_CREDENTIALS');
  });
});

describe('a credential that ends', () => {
  const password1 = password();
  beforeAll(async () => {
    expect((await setPassword(server.key, password1)).status).toBe(200);
  });
  let session: { accessToken: string; refreshToken: string; sessionId: number };
  beforeEach(async () => {
    // The code of a second factor is taken and, without one, ignored.
    session = (await login(password1, '123456')).body.data;
  });

  /** Opens one connection of each kind with a token; resolves when all of them have been ended by the server. */
  async function connect(token: string) {
    const socket = await openSocket(server.url, bearer(token));
    const events = await fetch(`${server.url}/api/events?topics=identities`, { headers: bearer(token) });
    const socketIo = io(server.url, { auth: { token }, reconnection: false, transports: ['websocket'] });
    await new Promise((resolve) => socketIo.once('connect', () => resolve(null)));
    const left = new Promise((resolve) => socketIo.once('disconnect', resolve));
    return async () => {
      expect((await socket.closed).code).toBe(4001);
      await Promise.all([events.text(), left]);
    };
  }

  it('ends its connections when a refresh token is used twice', async () => {
    const closed = await connect(session.accessToken);
    const refresh = () => request(server.url, 'POST', '/api/auth/refresh', { refreshToken: session.refreshToken });
    expect((await refresh()).status).toBe(200);
    await failure(refresh(), 401, 'TOKEN_REVOKED');
    await closed();
    await failure(as(session.accessToken, 'GET', '/api/auth/me'), 401, 'TOKEN_REVOKED');
  });

  it('ends its connections at logout, from another session too', async () => {
    const closed = await connect(session.accessToken);
    const other = (await login(password1)).body.data;
    expect((await as(other.accessToken, 'POST', '/api/auth/logout', { allSessions: true })).status).toBe(200);
    await closed();
  });

  it('ends its connections when its password changes and other sessions are to end', async () => {
    const closed = await connect(session.accessToken);
    const other = (await login(password1)).body.data;
    const body = { currentPassword: password1, newPassword: password1, endOtherSessions: true };
    expect((await as(other.accessToken, 'POST', '/api/users/me/password', body)).status).toBe(200);
    await closed();
    expect((await as(other.accessToken, 'GET', '/api/auth/me')).status).toBe(200);
  });

  it.each(['revoked', 'rotated', 'disabled', 'expired', 'deleted'])(
    'ends its connections when its key is or its identity is %s',
    async (how) => {
      const { id } = (await server.call('POST', '/api/identities', { name: `Ends ${how}`, type: 'Human' })).body.data;
      const key = await makeKey([], { of: id });
      const closed = await connect(key.raw);
      const path = `/api/identities/${id}`;
      const ways: Record<string, () => Promise<Answer>> = {
        revoked: () => revoke(key),
        rotated: () => server.call('POST', `${path}/api-keys/${key.id}/rotate`, {}),
        disabled: () => server.call('PATCH', path, { isActive: false }),
        expired: () => server.call('PATCH', path, { expiresAtUtc: '2001-01-01T00:00:00.000Z' }),
        deleted: () => server.call('DELETE', path),
      };
      expect((await (ways[how] as () => Promise<Answer>)()).status).toBe(200);
      await closed();
    },
  );
});

describe('signing in', () => {
  it('by a link that was used ends no session', async () => {
    const fresh = await startTestServer();
    const token = new URL(fresh.firstBoot?.signInUrl.replace('/#/', '/') ?? '').searchParams.get('token');
    const open = () => request(fresh.url, 'POST', '/api/auth/refresh', { refreshToken: token });
    const first = await open();
    expect(first.status).toBe(200);
    await failure(open(), 401, 'TOKEN_REVOKED', /password|key/);
    const { accessToken, refreshToken } = first.body.data;
    expect((await request(fresh.url, 'GET', '/api/auth/me', undefined, bearer(accessToken))).status).toBe(200);
    expect((await request(fresh.url, 'POST', '/api/auth/refresh', { refreshToken })).status).toBe(200);
    await fresh.close();
  });
});
