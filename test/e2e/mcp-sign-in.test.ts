// A person signs a connector in to an MCP server: all is found out from the server, at a real OpenID provider.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type McpHost, startMcpHost } from '../support/mcp-host.ts';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';
import { agree, Browser } from '../support/signing-in.ts';

const publicUrl = 'http://rivulet.test';
let world: ServerWithModel;
let host: McpHost;
let issuer: string;
let other: Server;
let provider: Provider;
/** What the provider was asked, and the tokens that it gave. */
const grants: string[] = [];
const clients: string[] = [];
const issued: { destroy(): Promise<void> }[] = [];
/** Scopes that a tool needs, and what the server says of itself. */
let needed: Record<string, string> = {};
let described: Record<string, unknown> = {};

const call = async (method: string, path: string, body?: object) => {
  const answer = await world.server.call(method, `/api${path}`, body);
  return answer.body.ok ? answer.body.data : { ...answer.body, status: answer.status };
};

/** A protected resource: it says who signs its clients in, and takes tokens that are for it alone. */
async function guard(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
  const metadata = new URL('/.well-known/oauth-protected-resource/mcp', host.url).href;
  if (request.url === new URL(metadata).pathname) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(described));
    return true;
  }
  const refuse = (status: number, more: string) => {
    response.writeHead(status, { 'www-authenticate': `Bearer resource_metadata="${metadata}", ${more}` }).end();
    return true;
  };
  const token = await provider.AccessToken.find((request.headers.authorization ?? '').replace('Bearer ', ''));
  if (token?.aud !== host.url) return refuse(401, 'scope="tools:read"');
  const scope = needed[String(request.headers['mcp-name'])];
  if (scope !== undefined && !token.scope?.split(' ').includes(scope))
    return refuse(403, `error="insufficient_scope", scope="${scope}"`);
  return false;
}

beforeAll(async () => {
  world = await startServerWithModel({ RIVULET_PRIVATE_CONNECTORS: 'operator', RIVULET_PUBLIC_URL: publicUrl });
  host = await startMcpHost({ echo: { annotations: { readOnlyHint: true }, answer: ({ text }) => `echo: ${text}` } });
  host.guard = guard;
  other = createServer((asked, response) => {
    if (asked.url?.startsWith('/interaction/')) return void agree(provider, asked, response);
    provider.callback()(asked, response);
  });
  await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
  issuer = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const scope = 'tools:read tools:write';
  provider = new Provider(issuer, {
    cookies: { keys: ['of a test'] },
    scopes: ['openid', 'offline_access', ...scope.split(' ')],
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, audience) => ({ scope, audience, accessTokenFormat: 'opaque' as const }),
      },
    },
    pkce: { required: () => true },
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    ttl: { AccessToken: 3600, Grant: 3600, IdToken: 3600, Interaction: 3600, RefreshToken: 3600, Session: 3600 },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
  });
  provider.on('grant.success', ({ oidc }) => grants.push(String(oidc.params?.grant_type)));
  provider.on('grant.error', (_, error) => grants.push(error.message));
  provider.on('access_token.saved', (token) => issued.push(token));
  provider.on('registration_create.success', (_, client) => clients.push(client.clientId));
});
afterAll(async () => {
  await world.close();
  await host.close();
  other.closeAllConnections();
  other.close();
});
beforeEach(() => {
  needed = {};
  described = { resource: host.url, authorization_servers: [issuer], scopes_supported: ['tools:read', 'tools:write'] };
  for (const list of [grants, clients, issued]) list.length = 0;
});

const connect = (name: string, more: object = {}) =>
  call('POST', '/connectors', {
    ...{ name, type: 'Mcp', baseUrl: host.url, authMethod: 'OAuth2AuthorizationCode', ...more },
  });
const discover = (id: number) => call('POST', `/connectors/${id}/mcp/discover`);
const begin = (id: number) => call('POST', `/connectors/${id}/sign-in`);
const back = async (authorizationUrl: string) =>
  Object.fromEntries(await new Browser({ publicUrl, url: world.server.url }).go(authorizationUrl));
const end = (body: object) => call('POST', '/connectors/oauth/sign-in', body);

/** A run that calls one tool; what its model was told of it. */
async function runCalling(name: string): Promise<string> {
  world.model.reply({ toolCalls: [{ id: 'c1', name, arguments: ['{"text":"hello"}'] }] }, { text: ['Done.'] });
  const { id } = await call('POST', '/agent/runs', { goal: 'Use the tool.', autoStart: true });
  await expect.poll(async () => (await call('GET', `/agent/runs/${id}`)).status).toBe('Completed');
  const events = await call('GET', `/agent/runs/${id}/events`);
  const told = events.find(({ type }: { type: string }) => /^ToolCall(Completed|Failed)$/.test(type));
  return JSON.stringify(told);
}

it('finds out who signs in, registers, and renews and widens what it was given', async () => {
  const { id } = await connect('Harbour');
  expect(await discover(id)).toMatchObject({ status: 'AuthRequired', error: expect.stringContaining('sign-in') });
  const begun = await begin(id);
  const asked = new URL(begun.authorizationUrl).searchParams;
  expect(Object.fromEntries(asked)).toMatchObject({
    ...{ resource: host.url, scope: 'tools:read offline_access', code_challenge_method: 'S256' },
    ...{ client_id: clients[0], redirect_uri: `${publicUrl}/api/connectors/oauth/callback` },
  });
  const answer = await back(begun.authorizationUrl);
  expect(answer).toEqual({ state: expect.any(String), code: expect.any(String), iss: issuer });
  expect(await end(answer)).toMatchObject({ mcpStatus: 'Disconnected', credentialsSummary: { signedIn: true } });
  expect(await end(answer)).toMatchObject({ errorCode: 'NOT_FOUND' });
  expect(await discover(id)).toMatchObject({ status: 'Connected', toolCount: 1 });
  expect(await runCalling('harbour__echo')).toContain('echo: hello');
  expect(grants).toEqual(['authorization_code']);

  // The provider would end the whole grant if a refresh token came twice.
  await Promise.all(issued.splice(0).map((token) => token.destroy()));
  await Promise.all([discover(id), discover(id), discover(id)]);
  await world.server.restart();
  expect(await discover(id)).toMatchObject({ status: 'Connected' });
  expect(grants).toEqual(['authorization_code', 'refresh_token']);

  needed = { echo: 'tools:write' };
  expect(await runCalling('harbour__echo')).toContain('wants more than the sign-in');
  expect(await call('GET', `/connectors/${id}`)).toMatchObject({ mcpStatus: 'AuthRequired' });
  const wider = await begin(id);
  const scope = new URL(wider.authorizationUrl).searchParams.get('scope')?.split(' ');
  expect(scope).toEqual(expect.arrayContaining(['tools:read', 'tools:write']));
  await end(await back(wider.authorizationUrl));
  expect(await runCalling('harbour__echo')).toContain('echo: hello');
  expect(await call('GET', `/connectors/${id}`)).toMatchObject({ mcpStatus: 'Connected' });

  // What was given is for one server.
  const moved = await call('PATCH', `/connectors/${id}`, { baseUrl: issuer });
  expect(moved).toMatchObject({ credentialsSummary: { signedIn: false } });
});

it('believes neither the server nor the answer more than the protocol lets it', async () => {
  const { id } = await connect('Careful');
  const { authorizationUrl } = await begin(id);
  expect(await end({ ...(await back(authorizationUrl)), iss: 'https://evil.example' })).toMatchObject({ status: 502 });
  const meanwhile = await back((await begin(id)).authorizationUrl);
  await call('PATCH', `/connectors/${id}`, { mcpEndpoint: '/elsewhere' });
  expect(await end(meanwhile)).toMatchObject({ errorCode: 'CONFLICT' });
  await call('PATCH', `/connectors/${id}`, { mcpEndpoint: null });
  const said = { status: 502, error: expect.stringMatching(/could not begin/) };
  described = { ...described, resource: 'https://other.example/mcp' };
  expect(await begin(id)).toMatchObject(said);
  described = { resource: host.url, authorization_servers: [`${issuer}/another`] };
  expect(await begin(id)).toMatchObject(said);
  described = { resource: host.url, authorization_servers: ['http://169.254.169.254'] };
  expect(await begin(id)).toMatchObject({ ok: false });
  // A client that was registered by hand is for the server that it was registered at.
  described = { resource: host.url, authorization_servers: [issuer] };
  const own = await connect('By hand', {
    credentials: JSON.stringify({ clientId: 'a', issuer: 'https://id.example' }),
  });
  expect(await begin(own.id)).toMatchObject(said);
  expect(clients).toHaveLength(2);
  expect(grants).toEqual([]);
});

it('says who it is to servers that read that', async () => {
  const answer = await fetch(`${world.server.url}/client-metadata.json`);
  expect(await answer.json()).toMatchObject({
    client_id: `${publicUrl}/client-metadata.json`,
    redirect_uris: [`${publicUrl}/api/connectors/oauth/callback`],
    token_endpoint_auth_method: 'none',
  });
});
