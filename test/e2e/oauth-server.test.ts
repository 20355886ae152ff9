// The OAuth server as other people's clients see it, openid-client, oauth4webapi and the MCP SDK, and what their tokens let them do.
import { auth, Client, type OAuthClientProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import * as strict from 'oauth4webapi';
import * as openid from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oauthClients, oauthState, password, personOf, redirect } from '../support/oauth-people.ts';
import { request, startTestServer } from '../support/test-server.ts';

const state = {} as Awaited<ReturnType<typeof oauthState>>;
beforeAll(async () => {
  Object.assign(state, await oauthState(await startTestServer()));
});
afterAll(() => state.server.close());
const { register, authorizeUrl, form, as, codeFor, tokensFor } = oauthClients(state);
type Metadata = Record<string, unknown>;

describe("other people's clients", () => {
  it('openid-client discovers, registers, signs in, reads, refreshes and revokes', async () => {
    const options = { execute: [openid.allowInsecureRequests], algorithm: 'oauth2' as const };
    const metadata = {
      client_name: 'openid-client',
      redirect_uris: [redirect],
      grant_types: ['authorization_code', 'refresh_token'],
    };
    const config = await openid.dynamicClientRegistration(new URL(state.server.url), metadata, undefined, options);
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: redirect,
      scope: 'openid profile runs:read',
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: 'of mine',
      nonce: 'a nonce',
    });
    const back = await state.person.answer(url);
    const tokens = await openid.authorizationCodeGrant(config, back, {
      pkceCodeVerifier,
      expectedState: 'of mine',
      expectedNonce: 'a nonce',
      idTokenExpected: true,
    });
    const me = await openid.fetchUserInfo(config, tokens.access_token, tokens.claims()?.sub ?? '');
    expect(me).toMatchObject({
      preferred_username: 'admin',
      permissions: ['AgentConfigRead', 'RoutinesRead', 'RunsRead'],
    });
    const next = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect((await as(next.access_token, 'GET', '/api/agent/runs')).status).toBe(200);
    expect(await openid.tokenIntrospection(config, next.access_token)).toMatchObject({
      active: true,
      username: 'admin',
    });
    await openid.tokenRevocation(config, next.refresh_token ?? '');
    expect((await as(next.access_token, 'GET', '/api/agent/runs')).body.errorCode).toBe('TOKEN_REVOKED');
    expect(await openid.tokenIntrospection(config, next.access_token)).toEqual({ active: false });
  });

  it('a resource server verifies an access token by the public keys alone (RFC 9068)', async () => {
    const issuer = new URL(state.server.url);
    const insecure = { [strict.allowInsecureRequests]: true } as const;
    const discovered = await strict.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
    const known = await strict.processDiscoveryResponse(issuer, discovered);
    const { access_token } = await tokensFor('runs:read', { resource: state.server.url });
    const bearer = () => new Request(state.server.url, { headers: { authorization: `Bearer ${access_token}` } });
    const claims = await strict.validateJwtAccessToken(known, bearer(), state.server.url, insecure);
    expect(claims).toMatchObject({ scope: 'runs:read', iss: state.server.url });
    // After the keys were rotated, tokens of the key before hold on.
    await state.server.call('POST', '/api/system/maintenance', { task: 'RotateSigningKeys' });
    await expect
      .poll(async () => (await request(state.server.url, 'GET', '/api/oauth2/jwks')).body.keys.length)
      .toBe(2);
    expect((await as(access_token, 'GET', '/api/agent/runs')).status).toBe(200);
    const anew = await tokensFor('runs:read');
    const wrong = new Request(state.server.url, { headers: { authorization: `Bearer ${anew.access_token}` } });
    await expect(strict.validateJwtAccessToken(known, wrong, `${state.server.url}/mcp`, insecure)).rejects.toThrow();
  });

  it("the MCP SDK's client finds its way from the address of /mcp alone", async () => {
    const kept: Metadata = {};
    let sentTo: URL | undefined;
    const provider: OAuthClientProvider = {
      redirectUrl: redirect,
      clientMetadata: {
        client_name: 'An MCP client',
        redirect_uris: [redirect],
        grant_types: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_method: 'none',
      },
      clientInformation: () => kept.client as never,
      saveClientInformation: (client) => void Object.assign(kept, { client }),
      tokens: () => kept.tokens as never,
      saveTokens: (tokens) => void Object.assign(kept, { tokens }),
      redirectToAuthorization: (url) => {
        sentTo = url;
      },
      saveCodeVerifier: (verifier) => void Object.assign(kept, { verifier }),
      codeVerifier: () => kept.verifier as string,
    };
    const serverUrl = `${state.server.url}/mcp`;
    const challenged = await request(state.server.url, 'POST', '/mcp', {});
    const metadata = `${state.server.url}/.well-known/oauth-protected-resource/mcp`;
    expect(challenged.headers.get('www-authenticate')).toBe(`Bearer resource_metadata="${metadata}"`);
    expect(await auth(provider, { serverUrl })).toBe('REDIRECT');
    expect(sentTo?.searchParams.get('resource')).toBe(serverUrl);
    const back = await state.person.answer(sentTo as URL);
    const iss = back.searchParams.get('iss') ?? '';
    const authorizationCode = back.searchParams.get('code') ?? '';
    expect(await auth(provider, { serverUrl, authorizationCode, iss } as never)).toBe('AUTHORIZED');
    const { access_token } = kept.tokens as { access_token: string };
    const client = new Client({ name: 'test', version: '1' });
    const headers = { authorization: `Bearer ${access_token}` };
    await client.connect(new StreamableHTTPClientTransport(new URL(serverUrl), { requestInit: { headers } }));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['run_list', 'memory_search']));
    const { structuredContent } = await client.callTool({ name: 'run_list', arguments: {} });
    expect(structuredContent).toMatchObject({ items: expect.any(Array) });
    await client.close();
    // A token that is for the API does not hold there.
    const { access_token: ofApi } = await tokensFor('runs:read');
    expect((await as(ofApi, 'POST', '/mcp', {})).status).toBe(401);
    // It is for the MCP endpoint and for nothing else of this server.
    const elsewhere = await as(access_token, 'GET', '/api/agent/runs');
    expect(elsewhere).toMatchObject({ status: 401, body: { error: 'This access token is for another resource.' } });
    expect(await auth(provider, { serverUrl })).toBe('AUTHORIZED');
    expect((kept.tokens as { access_token: string }).access_token).not.toBe(access_token);
  });

  it('a client with a secret acts for who registered it, within its scopes, until that ends', async () => {
    const metadata = {
      redirect_uris: [],
      grant_types: ['client_credentials'],
      scope: 'runs:read',
      client_name: 'A job',
    };
    expect((await request(state.server.url, 'POST', '/api/oauth2/register', metadata)).body.error).toBe(
      'invalid_client_metadata',
    );
    const client = (await as(state.person.token, 'POST', '/api/oauth2/register', metadata)).body;
    const credentials = {
      grant_type: 'client_credentials',
      client_id: client.client_id,
      client_secret: client.client_secret,
    };
    const { access_token } = (await form('token', credentials)).body;
    expect((await as(access_token, 'GET', '/api/agent/runs')).status).toBe(200);
    expect((await as(access_token, 'POST', '/api/agent/runs', { goal: 'more' })).status).toBe(403);
    expect((await form('token', { ...credentials, scope: 'runs:write' })).body.error).toBe('invalid_scope');
    expect(await form('token', { ...credentials, client_secret: 'ocs_wrong' })).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    });
    const { data } = (await as(state.person.token, 'GET', '/api/auth/sessions')).body;
    const grant = data.find((one: { clientName: string }) => one.clientName === 'A job');
    expect(grant).toMatchObject({ kind: 'OAuthClient', scopes: ['runs:read'] });
    await as(state.person.token, 'DELETE', `/api/auth/sessions/${grant.id}`);
    expect((await as(access_token, 'GET', '/api/agent/runs')).status).toBe(401);
    expect((await form('token', credentials)).body.error).toBe('unauthorized_client');
  });
});

describe('what a token lets its bearer do', () => {
  it('is what its scopes say and the person may, everywhere', async () => {
    const { access_token: token } = await tokensFor('runs:read chat');
    expect((await as(token, 'GET', '/api/auth/me')).body.data).toMatchObject({
      kind: 'OAuthClient',
      permissions: ['AgentConfigRead', 'ChatRead', 'ChatWrite', 'RoutinesRead', 'RunsRead'],
    });
    const codeOf = async (method: string, path: string, body?: unknown) =>
      (await as(token, method, path, body)).body.errorCode;
    expect(await codeOf('POST', '/api/agent/runs', { goal: 'more' })).toBe('FORBIDDEN');
    expect(await codeOf('GET', '/api/tenant-policy')).toBe('FORBIDDEN');
    // The account is its person's: no sessions, keys, password, clients or consents by a client.
    expect(await codeOf('GET', '/api/auth/sessions')).toBe('FORBIDDEN');
    expect(
      await codeOf('POST', '/api/users/me/password', { currentPassword: password, newPassword: `${password} 2` }),
    ).toBe('FORBIDDEN');
    const metadata = { redirect_uris: [redirect], token_endpoint_auth_method: 'none' };
    expect(await codeOf('POST', '/api/oauth2/register', metadata)).toBe('FORBIDDEN');
    const { client_id } = await register();
    const challenge = { code_challenge: 'a'.repeat(43), code_challenge_method: 'S256' };
    const { pathname, search } = authorizeUrl({ client_id, redirect_uri: redirect, ...challenge });
    const asked = await request(state.server.url, 'GET', pathname + search, undefined, {
      authorization: `Bearer ${token}`,
    });
    expect(asked.body.errorCode).toBe('FORBIDDEN');
    // A socket ticket of it opens topics that it may read, and no others.
    const ticket = (topics: string[]) => as(token, 'POST', '/api/ws/tickets', { topics });
    expect((await ticket(['runs'])).status).toBe(200);
    expect((await ticket(['audit'])).status).toBe(403);
    const opened = (await ticket([])).body.data.ticket;
    const stream = await request(state.server.url, 'GET', `/api/events?topics=audit&ticket=${opened}`);
    expect(stream.status).toBe(403);
  });

  it('is nobody’s where the person took scopes away, and no more than asked for', async () => {
    const { access_token } = await tokensFor('runs:read runs:write', {}, { scopes: ['runs:read'] });
    expect((await as(access_token, 'POST', '/api/agent/runs', { goal: 'more' })).status).toBe(403);
    await expect(codeFor((await register()).client_id, 'runs:read', {}, { scopes: ['chat'] })).rejects.toThrow(
      'was not asked for',
    );
    const bare = await tokensFor('openid');
    expect((await as(bare.access_token, 'GET', '/api/auth/me')).body.data.permissions).toEqual([]);
  });

  it('shrinks with the person, and signs out nobody but the client', async () => {
    const { id } = (await state.server.call('POST', '/api/users', { username: 'vic', role: 'Member', password })).body
      .data;
    const vic = await personOf(state.server, 'vic', password);
    const mine = state.person;
    state.person = vic;
    const { access_token: token } = await tokensFor('runs:read runs:write models').finally(() => {
      state.person = mine;
    });
    const permissions = async () => (await as(token, 'GET', '/api/auth/me')).body.data?.permissions ?? [];
    expect(await permissions()).toContain('RunsWrite');
    await state.server.call('PATCH', `/api/users/${id}`, { role: 'Viewer' });
    await expect.poll(permissions).not.toContain('RunsWrite');
    await as(token, 'POST', '/api/auth/logout', { allSessions: true });
    expect((await as(token, 'GET', '/api/auth/me')).status).toBe(401);
    expect((await as(vic.token, 'GET', '/api/auth/me')).status).toBe(200);
  });
});
