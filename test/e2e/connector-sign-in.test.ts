// A connector signs in by OAuth authorization code with PKCE at a real OpenID provider, and its tokens are renewed once.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { agree, Browser } from '../support/signing-in.ts';
import { type Answer, request, startTestServer, type TestServer } from '../support/test-server.ts';

const publicUrl = 'http://rivulet.test';
const clientSecret = 'planted-client-secret-0123456789';
let world: TestServer;
let other: Server;
let issuer: string;
let provider: Provider;
/** Grants that the token endpoint was asked for. */
const grants: string[] = [];
const issued: { destroy(): Promise<void> }[] = [];

const call = (method: string, path: string, body?: object) => world.call(method, `/api${path}`, body);
const data = async (answer: Promise<Answer>) => {
  const { body } = await answer;
  expect([body.error, body.hint, body.ok]).toEqual([null, null, true]);
  return body.data;
};

/** Things that only a live token of the provider opens. */
async function things(asked: IncomingMessage, response: ServerResponse) {
  const token = await provider.AccessToken.find((asked.headers.authorization ?? '').replace('Bearer ', ''));
  response.writeHead(token ? 200 : 401, { 'content-type': 'application/json' }).end('[{"n":1}]');
}

beforeAll(async () => {
  world = await startTestServer({ RIVULET_PRIVATE_CONNECTORS: 'operator', RIVULET_PUBLIC_URL: publicUrl });
  other = createServer((asked, response) => {
    const path = asked.url ?? '';
    if (path === '/api/things') return void things(asked, response);
    if (path.startsWith('/interaction/')) return void agree(provider, asked, response);
    provider.callback()(asked, response);
  });
  await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
  issuer = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  provider = new Provider(issuer, {
    clients: [
      {
        ...{ client_id: 'rivulet', client_secret: clientSecret, grant_types: ['authorization_code', 'refresh_token'] },
        redirect_uris: [`${publicUrl}/api/connectors/oauth/callback`],
      },
    ],
    cookies: { keys: ['of a test'] },
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    ttl: { AccessToken: 3600, Grant: 3600, IdToken: 3600, Interaction: 3600, RefreshToken: 3600, Session: 3600 },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
  });
  provider.on('grant.success', ({ oidc }) => grants.push(String(oidc.params?.grant_type)));
  provider.on('access_token.saved', (token) => issued.push(token));
  provider.on('grant.error', (_, error) => grants.push(error.message));
});
afterAll(async () => {
  await world.close();
  other.closeAllConnections();
  other.close();
});

const browse = (from: string) => new Browser({ publicUrl, url: world.url }).go(from);

const credentials = (more: object = {}) =>
  JSON.stringify({
    ...{ authorizationUrl: `${issuer}/auth?prompt=consent`, tokenUrl: `${issuer}/token`, issuer },
    ...{ clientId: 'rivulet', clientSecret, scope: 'openid offline_access', ...more },
  });
const make = async (name: string) => {
  const { id } = await data(
    call('POST', '/connectors', {
      ...{ name, type: 'RestApi', baseUrl: `${issuer}/api`, authMethod: 'OAuth2AuthorizationCode' },
      credentials: credentials(),
    }),
  );
  const endpoint = await data(call('POST', `/connectors/${id}/endpoints`, { name: 'things', path: '/things' }));
  return { id, tried: () => data(call('POST', `/connectors/endpoints/${endpoint.id}/call`, {})) };
};

it('signs in, calls, and renews a token that was refused once for all that need it', async () => {
  const { id, tried } = await make('Provider');
  expect((await tried()).content).toMatch(/Nobody has signed in yet.*sign-in/);
  const begun = await data(call('POST', `/connectors/${id}/sign-in`));
  expect(begun.redirectUri).toBe(`${publicUrl}/api/connectors/oauth/callback`);
  const back = Object.fromEntries(await browse(begun.authorizationUrl));
  expect(back).toEqual({ state: expect.any(String), code: expect.any(String), iss: issuer });
  const done = await data(call('POST', '/connectors/oauth/sign-in', back));
  expect(done).toMatchObject({ id, credentialsSummary: { signedIn: true }, lastVerificationStatus: 'Unverified' });
  expect((await tried()).ok).toBe(true);
  expect(grants).toEqual(['authorization_code']);
  const { items } = await data(call('GET', '/audit-events?action=Connectors_endSignIn'));
  expect(items[0]).toMatchObject({ outcome: 'Success', targetId: id });

  // All are refused at once; the provider would end the whole grant if a refresh token came twice.
  for (const refreshes of [1, 2]) {
    await Promise.all(issued.splice(0).map((token) => token.destroy()));
    const all = await Promise.all(Array.from({ length: 6 }, tried));
    expect(all.map(({ ok }) => ok)).toEqual(Array(6).fill(true));
    expect(grants).toEqual(['authorization_code', ...Array(refreshes).fill('refresh_token')]);
  }
  expect((await data(call('POST', `/connectors/${id}/verify`, {}))).lastVerificationStatus).toBe('Ok');
  await world.restart();
  expect((await tried()).ok).toBe(true);
  expect(grants).toHaveLength(3);
});

it('takes a state once, from who began, while the credentials are those of then', async () => {
  const { id, tried } = await make('Careful');
  const sent = async (body: object, key = world.key) =>
    (await request(world.url, 'POST', '/api/connectors/oauth/sign-in', body, { authorization: `Bearer ${key}` })).body;
  const begin = async () =>
    Object.fromEntries(await browse((await data(call('POST', `/connectors/${id}/sign-in`))).authorizationUrl));
  const first = await begin();
  const username = `mallory-${id}`;
  await data(call('POST', '/users', { username, password: 'a few words make one', role: 'Admin' }));
  const login = { login: username, password: 'a few words make one' };
  const { accessToken } = await data(call('POST', '/auth/login', login));
  expect(await sent(first, accessToken)).toMatchObject({ ok: false, errorCode: 'NOT_FOUND' });
  expect(await sent({ ...first, state: 'guessed' })).toMatchObject({ errorCode: 'NOT_FOUND' });
  expect((await sent({ ...first, iss: 'https://evil.example' })).error).toMatch(/another server than the issuer/);
  // That was its one use.
  expect(await sent(first)).toMatchObject({ errorCode: 'NOT_FOUND' });
  expect((await sent({ state: (await begin()).state, error: 'access_denied' })).error).toMatch(
    /nobody in: access_denied/,
  );
  const second = await begin();
  await data(call('PATCH', `/connectors/${id}`, { credentials: credentials({ audience: 'other' }) }));
  expect(await sent(second)).toMatchObject({ errorCode: 'CONFLICT' });
  expect((await sent({ ...(await begin()), code: 'forged' })).error).toMatch(/refused the credentials: invalid_grant/);
  expect((await tried()).ok).toBe(false);
  await data(
    call('PATCH', `/connectors/${id}`, { credentials: credentials({ authorizationUrl: 'javascript:alert(1)' }) }),
  );
  expect((await call('POST', `/connectors/${id}/sign-in`)).body.errorCode).toBe('NOT_CONFIGURED');
  const page = await fetch(`${world.url}/api/connectors/oauth/callback?state=s&code=c&x=y`, { redirect: 'manual' });
  expect([page.status, page.headers.get('location')]).toEqual([302, '/#/connector-sign-in?state=s&code=c']);
});
