// What is tried against the OAuth server: replays, thefts, mix-ups, downgrades, redirects to elsewhere.
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

describe('those who try more', () => {
  it('a code works once of fifty at once, and its tokens end with the replay', async () => {
    const { client_id } = await register();
    const { fields } = await codeFor(client_id, 'runs:read');
    const answers = await Promise.all(Array.from({ length: 50 }, () => form('token', fields)));
    const given = answers.filter(({ status }) => status === 200);
    expect(given).toHaveLength(1);
    expect(answers.filter(({ body }) => body.error === 'invalid_grant')).toHaveLength(49);
    expect((await as(given[0]?.body.access_token, 'GET', '/api/agent/runs')).status).toBe(401);
  });

  it('a request is answered once of fifty at once, and by its person alone', async () => {
    const { client_id } = await register();
    const asked = { client_id, redirect_uri: redirect, code_challenge: 'a'.repeat(43), code_challenge_method: 'S256' };
    const { requestId } = (await state.person.read(authorizeUrl(asked))).body.data;
    const say = (token: string) => as(token, 'POST', '/api/oauth/consents', { requestId, approved: true });
    await state.server.call('POST', '/api/users', { username: 'mallory', role: 'Admin', password });
    const mallory = await personOf(state.server, 'mallory', password);
    expect((await say(mallory.token)).body.errorCode).toBe('NOT_FOUND');
    const answers = await Promise.all(Array.from({ length: 50 }, () => say(state.person.token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(49).fill(410)]);
  });

  it('a stolen refresh token ends the grant for thief and owner', async () => {
    const { client_id, refresh_token } = await tokensFor('runs:read');
    const refresh = (token: string, client = client_id) =>
      form('token', { grant_type: 'refresh_token', client_id: client, refresh_token: token });
    // Another client cannot use it, and does not end it.
    expect((await refresh(refresh_token, (await register()).client_id)).body.error).toBe('invalid_grant');
    const owner = (await refresh(refresh_token)).body;
    expect((await refresh(refresh_token)).body.error).toBe('invalid_grant');
    expect((await refresh(owner.refresh_token)).body.error).toBe('invalid_grant');
    expect((await as(owner.access_token, 'GET', '/api/agent/runs')).status).toBe(401);
  });

  it('tokens of clients and tokens of people are not taken for each other', async () => {
    const { refresh_token, access_token } = await tokensFor('openid');
    const swapped = await request(state.server.url, 'POST', '/api/auth/refresh', { refreshToken: refresh_token });
    expect([swapped.status, swapped.body.data]).toEqual([401, null]);
    const mine = await request(state.server.url, 'POST', '/api/auth/login', { login: 'admin', password });
    const { client_id } = await register();
    const other = { grant_type: 'refresh_token', client_id, refresh_token: mine.body.data.refreshToken };
    expect((await form('token', other)).body.error).toBe('invalid_grant');
    // An ID token is no access token, and no head makes an HMAC of the public key one.
    const [head = '', claims = '', mac = ''] = access_token.split('.');
    const forged = Buffer.from(JSON.stringify({ alg: 'none', typ: 'at+jwt', kid: 'first' })).toString('base64url');
    expect((await as(`${forged}.${claims}.`, 'GET', '/api/auth/me')).status).toBe(401);
    expect((await as(`${head}.${claims}.${mac.slice(0, -2)}AA`, 'GET', '/api/auth/me')).status).toBe(401);
    const more = JSON.parse(Buffer.from(claims, 'base64url').toString());
    const wide = Buffer.from(JSON.stringify({ ...more, scope: 'runs:write' })).toString('base64url');
    expect((await as(`${head}.${wide}.${mac}`, 'GET', '/api/auth/me')).status).toBe(401);
  });

  it('PKCE is not left out, weakened or guessed', async () => {
    const { client_id } = await register();
    const asked = { client_id, redirect_uri: redirect, scope: 'runs:read', state: 's' };
    for (const more of [
      {},
      { code_challenge: 'a'.repeat(43) },
      { code_challenge: 'a'.repeat(43), code_challenge_method: 'plain' },
      { code_challenge: 'short', code_challenge_method: 'S256' },
    ] as Record<string, string>[]) {
      const { data } = (await state.person.read(authorizeUrl({ ...asked, ...more }))).body;
      expect(data.requestId).toBe('');
      expect(new URL(data.redirectUrl).searchParams.get('error')).toBe('invalid_request');
    }
    for (const code_verifier of ['', 'x'.repeat(43)]) {
      const { fields } = await codeFor(client_id, 'runs:read');
      expect((await form('token', { ...fields, code_verifier })).body.error).toBe('invalid_grant');
      // It is used up by the attempt.
      expect((await form('token', fields)).body.error).toBe('invalid_grant');
    }
  });

  it('nobody is sent to an address that was not registered', async () => {
    const { client_id } = await register({ redirect_uris: [redirect, 'https://app.example/cb'] });
    const challenge = { code_challenge: 'a'.repeat(43), code_challenge_method: 'S256', scope: 'runs:read' };
    for (const redirect_uri of [
      'https://evil.example/cb',
      'https://app.example.evil.example/cb',
      'https://app.example/cb/../evil',
      'https://app.example/cb?x=1',
      'https://user@app.example/cb',
      'https://app.example:444/cb',
      'http://127.0.0.1:7/other',
      'http://127.0.0.1.evil.example:7/callback',
      'http://evil@127.0.0.1:7/callback',
      '/callback',
    ]) {
      const read = await state.person.read(authorizeUrl({ client_id, redirect_uri, ...challenge }));
      expect([redirect_uri, read.status, read.body.data]).toEqual([redirect_uri, 400, null]);
    }
    // A native program takes the port that it finds.
    const other = await state.person.read(
      authorizeUrl({ client_id, redirect_uri: 'http://127.0.0.1:9/callback', ...challenge }),
    );
    expect(other.body.data).toMatchObject({ redirectHost: '127.0.0.1:9', redirectUrl: null, isVerified: false });
    // The address of the request for the code is that of the request for the token.
    const { fields } = await codeFor(client_id, 'runs:read');
    expect((await form('token', { ...fields, redirect_uri: 'http://127.0.0.1:9/callback' })).body.error).toBe(
      'invalid_grant',
    );
    // Browsers go to this server's own page first, whatever they bring.
    const browser = await fetch(authorizeUrl({ client_id, redirect_uri: 'https://evil.example' }), {
      headers: { accept: 'text/html' },
      redirect: 'manual',
    });
    expect([browser.status, browser.headers.get('location')]).toEqual([302, expect.stringMatching(/^\/#\/consent\?/)]);
  });

  it('what may not be registered is not', async () => {
    const errorOf = async (metadata: Metadata) =>
      (await request(state.server.url, 'POST', '/api/oauth2/register', metadata)).body.error;
    for (const uri of [
      'javascript:alert(1)',
      'http://app.example/cb',
      'https://a.example/#x',
      'data:text/html,x',
      'no url',
      'https://u:p@a.example',
    ])
      expect([uri, await errorOf({ redirect_uris: [uri] })]).toEqual([uri, 'invalid_redirect_uri']);
    expect(await errorOf({ redirect_uris: [redirect], scope: 'runs:read admin' })).toBe('invalid_scope');
    expect(await errorOf({ redirect_uris: [redirect], grant_types: ['password'] })).toBe('invalid_client_metadata');
    expect(await errorOf({ redirect_uris: [redirect], logo_uri: 'javascript:alert(1)' })).toBe(
      'invalid_client_metadata',
    );
    expect(await errorOf({})).toBe('invalid_request');
  });

  it('a token goes to no other resource than the person agreed to', async () => {
    const { client_id } = await register();
    const { fields } = await codeFor(client_id, 'runs:read', { resource: state.server.url });
    expect((await form('token', { ...fields, resource: `${state.server.url}/mcp` })).body.error).toBe('invalid_target');
    const read = await state.person.read(
      authorizeUrl({
        client_id,
        redirect_uri: redirect,
        resource: 'https://other.example',
        code_challenge: 'a'.repeat(43),
        code_challenge_method: 'S256',
      }),
    );
    expect(new URL(read.body.data.redirectUrl).searchParams.get('error')).toBe('invalid_target');
    const narrow = await tokensFor('runs:read');
    const more = { grant_type: 'refresh_token', client_id: narrow.client_id, refresh_token: narrow.refresh_token };
    expect((await form('token', { ...more, scope: 'runs:read chat' })).body.error).toBe('invalid_scope');
    // What was refused has not used the token up.
    expect((await form('token', more)).status).toBe(200);
  });

  it('the policy keeps out programs that registered themselves', async () => {
    const { client_id } = await register();
    const { data: policy } = (await state.server.call('GET', '/api/tenant-policy')).body;
    const set = (allowDynamicClients: boolean) =>
      state.server.call('PUT', '/api/tenant-policy', { ...policy, allowDynamicClients });
    expect((await set(false)).status).toBe(200);
    const refused = await request(state.server.url, 'POST', '/api/oauth2/register', { redirect_uris: [redirect] });
    expect(refused).toMatchObject({ status: 403, body: { error: 'access_denied', errorCode: 'POLICY_VIOLATION' } });
    const read = await state.person.read(authorizeUrl({ client_id, redirect_uri: redirect, scope: 'runs:read' }));
    expect(read.body.errorCode).toBe('POLICY_VIOLATION');
    // One that somebody of the tenant registered is let in.
    const own = (await as(state.person.token, 'POST', '/api/oauth2/register', { redirect_uris: [redirect] })).body;
    const challenge = { code_challenge: 'a'.repeat(43), code_challenge_method: 'S256' };
    const asked = await state.person.read(
      authorizeUrl({ client_id: own.client_id, redirect_uri: redirect, ...challenge }),
    );
    expect(asked.body.data).toMatchObject({ isVerified: true, redirectUrl: null });
    await set(true);
  });
});
