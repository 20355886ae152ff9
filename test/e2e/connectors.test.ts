// Connectors against a server of another: REST, OAuth, GraphQL, SQLite, files; as tools of runs and chats; no secret gets out.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FakeReply } from '../support/openai-server.ts';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';
import type { Answer } from '../support/test-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'rivulet-connectors-'));
const allowed = join(folder, 'allowed');
/** What nobody may see: each is shown to the other side, which says it back. */
const planted = {
  token: 'planted-bearer-0123456789',
  clientSecret: 'planted-client-secret-0123456789',
  access: 'planted-access-token-0123456789',
  header: 'planted-header-0123456789',
};
let other: Server;
let world: ServerWithModel;
let base: string;
interface Seen {
  method: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}
const seen: Seen[] = [];
let tokens = 0;
let firstTokenIsStale = false;

const answerOf = ({ method, path, headers, body }: Seen): [number, unknown, Record<string, string>?] => {
  const url = new URL(path, 'http://x');
  if (url.pathname === '/token') {
    const basic = Buffer.from(`robot:${planted.clientSecret}`).toString('base64');
    if (headers.authorization !== `Basic ${basic}`) return [401, { error: 'invalid_client' }];
    return [200, { access_token: `${planted.access}-${++tokens}`, expires_in: 3600, token_type: 'Bearer' }];
  }
  if (url.pathname === '/oauth/things') {
    const isOld = firstTokenIsStale && headers.authorization === `Bearer ${planted.access}-1`;
    if (isOld || !String(headers.authorization).startsWith(`Bearer ${planted.access}`)) return [401, {}];
    return [200, [{ n: 1 }]];
  }
  if (url.pathname === '/graphql') return [200, { data: { echo: JSON.parse(body).variables, __typename: 'Query' } }];
  if (url.pathname === '/api/away') return [302, '', { location: 'http://169.254.169.254/latest/meta-data' }];
  if (url.pathname === '/api/missing') return [404, { error: 'no such thing' }];
  if (url.pathname === '/api/denied') return [401, {}];
  if (url.pathname.startsWith('/api/users/'))
    return [
      200,
      { user: { full_name: 'ada lovelace', cents: 1250 }, said: headers.authorization, also: headers['x-team'] },
    ];
  return [200, { method, path, body, headers }];
};

beforeAll(async () => {
  mkdirSync(allowed);
  other = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const one = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: String(Buffer.concat(parts)),
      };
      seen.push(one);
      if (one.path.startsWith('/api/silent')) return;
      const [status, data, headers = {}] = answerOf(one);
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(data));
    });
  });
  await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
  base = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  world = await startServerWithModel({ RIVULET_PRIVATE_CONNECTORS: 'operator', RIVULET_CONNECTOR_FOLDERS: allowed });
});
afterAll(async () => {
  await world.close();
  other.closeAllConnections();
  other.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  seen.length = 0;
});

const call = (method: string, path: string, body?: unknown) => world.server.call(method, `/api${path}`, body);
const data = async (answer: Promise<Answer>) => {
  const { body } = await answer;
  expect([body.error, body.hint, body.ok]).toEqual([null, null, true]);
  return body.data;
};
const failed = async (answer: Promise<Answer>) => {
  const { body } = await answer;
  expect(body.ok).toBe(false);
  return body;
};
const connector = (fields: object) => data(call('POST', '/connectors', fields));
const endpoint = (id: number, fields: object) => data(call('POST', `/connectors/${id}/endpoints`, fields));
const mapping = (id: number, fields: object) =>
  data(call('POST', `/connectors/endpoints/${id}/field-mappings`, fields));
const tried = async (id: number, input: object = {}) =>
  data(call('POST', `/connectors/endpoints/${id}/call`, { input }));
const calling = (name: string, input: object): FakeReply => ({
  toolCalls: [{ id: `call_${name}`, name, arguments: [JSON.stringify(input)] }],
});

describe('REST', () => {
  it('fills templates by mappings with defaults and transforms, and tells the answer by them', async () => {
    const { id } = await connector({
      name: 'People',
      type: 'RestApi',
      baseUrl: `${base}/api`,
      authMethod: 'BearerToken',
      credentials: planted.token,
      headersJson: JSON.stringify({ 'x-team': planted.header }),
    });
    const read = await endpoint(id, { name: 'Get user', method: 'Get', path: '/users/{id}?expand={expand}' });
    await mapping(read.id, {
      externalFieldName: 'id',
      internalFieldName: 'userName',
      direction: 'Outbound',
      dataType: 'string',
      isRequired: true,
      transformExpression: '$lowercase($)',
    });
    await mapping(read.id, {
      externalFieldName: 'limit',
      direction: 'Outbound',
      dataType: 'integer',
      defaultValue: '5',
    });
    await mapping(read.id, {
      externalFieldName: 'name',
      externalFieldPath: '$.user.full_name',
      direction: 'Inbound',
      transformExpression: '$uppercase($)',
    });
    await mapping(read.id, {
      externalFieldName: 'euros',
      externalFieldPath: 'user.cents',
      direction: 'Inbound',
      transformExpression: '$ / 100',
    });
    const { ok, content } = await tried(read.id, { userName: 'ADA/../x', expand: 'all' });
    expect([ok, JSON.parse(content)]).toEqual([true, { name: 'ADA LOVELACE', euros: 12.5 }]);
    expect(seen[0]).toMatchObject({
      path: '/api/users/ada%2F..%2Fx?expand=all&limit=5',
      headers: { authorization: `Bearer ${planted.token}`, 'x-team': planted.header },
    });
    expect((await tried(read.id, { userName: '..' })).content).toMatch(/cannot be a part of a path/);
    expect((await tried(read.id, {})).content).toMatch(/"userName" is missing.*Fields: userName/);
    expect((await tried(read.id, { userName: 'a', limit: 'many' })).content).toMatch(/has to be of the type integer/);
    expect(seen).toHaveLength(1);
    const bad = await failed(
      call('POST', `/connectors/endpoints/${read.id}/field-mappings`, {
        externalFieldName: 'x',
        transformExpression: '$uppercase(',
      }),
    );
    expect(bad.hint).toMatch(/JSONata/);
    const spin = await endpoint(id, { name: 'Spin', method: 'Get', path: '/spin' });
    await mapping(spin.id, {
      externalFieldName: 'x',
      direction: 'Outbound',
      transformExpression: '( $f := function($n) { $f($n + 1) }; $f(0) )',
    });
    expect((await tried(spin.id, { x: 1 })).content).toMatch(/longer than 1000 ms/);
    const leak = await endpoint(id, { name: 'Echo', method: 'Post', path: '/echo' });
    await mapping(leak.id, { externalFieldName: 'name', externalFieldPath: 'body.user.name', direction: 'Outbound' });
    const echoed = await tried(leak.id, { name: 'Ada' });
    expect(JSON.parse(echoed.content).body).toBe('{"user":{"name":"Ada"}}');
    expect(echoed.content).not.toMatch(/planted/);
    expect(echoed.content).toContain('[hidden]');
  });

  it('follows nobody to the metadata service, and tells what a server refused', async () => {
    const { id } = await connector({ name: 'Odd', type: 'RestApi', baseUrl: `${base}/api` });
    const away = await endpoint(id, { name: 'away', path: '/away' });
    expect((await tried(away.id)).content).toMatch(/169\.254\.169\.254 leads to an address that may not be reached/);
    const missing = await endpoint(id, { name: 'missing', path: '/missing' });
    expect(await tried(missing.id)).toMatchObject({
      ok: false,
      content: 'The server answered 404: {"error":"no such thing"}',
    });
    for (const path of ['http://evil.test/', '/../admin', 'file:///etc/passwd'])
      expect((await failed(call('POST', `/connectors/${id}/endpoints`, { name: 'bad', path }))).errorCode, path).toBe(
        'VALIDATION_FAILED',
      );
  });

  it('asks the policy of the tenant for each host', async () => {
    const { version: _, updatedByName: __, updatedAtUtc: ___, ...plain } = await data(call('GET', '/tenant-policy'));
    const { id } = await connector({ name: 'Listed', type: 'RestApi', baseUrl: `${base}/api` });
    const one = await endpoint(id, { name: 'one', path: '/one' });
    await data(call('PUT', '/tenant-policy', { ...plain, allowedConnectorHosts: ['api.example.com'] }));
    expect((await tried(one.id)).content).toMatch(/policy of this tenant does not allow/);
    expect((await data(call('POST', `/connectors/${id}/verify`, {}))).lastVerificationStatus).toBe('Misconfigured');
    await data(call('PUT', '/tenant-policy', { ...plain, allowedConnectorHosts: ['127.0.0.1'] }));
    expect((await tried(one.id)).ok).toBe(true);
    await data(call('PUT', '/tenant-policy', plain));
  });
});

it('gets OAuth tokens by client credentials, once, and anew where one is refused', async () => {
  const credentials = JSON.stringify({
    tokenUrl: `${base}/token`,
    clientId: 'robot',
    clientSecret: planted.clientSecret,
  });
  const { id } = await connector({
    name: 'OAuth',
    type: 'RestApi',
    baseUrl: `${base}/oauth`,
    authMethod: 'OAuth2ClientCredentials',
    credentials,
  });
  const things = await endpoint(id, { name: 'things', path: '/things' });
  expect(JSON.parse((await tried(things.id)).content)).toEqual([{ n: 1 }]);
  await tried(things.id);
  expect(tokens).toBe(1);
  firstTokenIsStale = true;
  expect((await tried(things.id)).ok).toBe(true);
  expect(tokens).toBe(2);
  await data(call('PATCH', `/connectors/${id}`, { credentials: credentials.replace('0123456789', 'wrong') }));
  expect((await tried(things.id)).content).toMatch(/refused the credentials: invalid_client/);
  expect((await data(call('POST', `/connectors/${id}/verify`, {}))).lastVerificationStatus).toBe('AuthFailed');
});

it('verifies with a word that says what is wrong', async () => {
  const verified = async (fields: object, timeoutMs = 2000) => {
    const { id } = await connector({ name: `v${Math.random()}`, type: 'RestApi', ...fields });
    return (await data(call('POST', `/connectors/${id}/verify`, { timeoutMs }))).lastVerificationStatus;
  };
  expect(await verified({ baseUrl: `${base}/api` })).toBe('Ok');
  expect(await verified({ baseUrl: `${base}/api/denied` })).toBe('AuthFailed');
  expect(await verified({ baseUrl: 'http://127.0.0.1:1/' })).toBe('Unreachable');
  expect(await verified({ baseUrl: `${base}/api/silent` }, 1000)).toBe('Timeout');
  expect(await verified({})).toBe('Misconfigured');
  expect(await verified({ type: 'FileSystem', baseUrl: 'file:///etc' })).toBe('Misconfigured');
  expect(await verified({ type: 'GraphQl', baseUrl: `${base}/graphql` })).toBe('Ok');
});

it('asks GraphQL with the variables that its document declares', async () => {
  const { id } = await connector({ name: 'Graph', type: 'GraphQl', baseUrl: `${base}/graphql` });
  const one = await endpoint(id, {
    name: 'echo',
    methodSignature: 'query ($id: ID!, $tags: [String!]) { echo(id: $id, tags: $tags) }',
  });
  expect(JSON.parse((await tried(one.id, { id: '7', tags: ['a'] })).content)).toEqual({
    echo: { id: '7', tags: ['a'] },
    __typename: 'Query',
  });
  expect((await tried(one.id, {})).content).toMatch(/"id" is missing/);
});

it('reads SQLite by parameters, writes only where an endpoint says so, and stays in its folder', async () => {
  const file = join(allowed, 'shop.db');
  const db = new Database(file);
  db.exec("CREATE TABLE orders (id INTEGER PRIMARY KEY, who TEXT); INSERT INTO orders VALUES (1, 'ada'), (2, 'bob')");
  db.close();
  const { id } = await connector({
    name: 'Shop',
    type: 'Database',
    authMethod: 'ConnectionString',
    connectionString: `file://${file}`,
  });
  const read = await endpoint(id, { name: 'by who', methodSignature: 'SELECT * FROM orders WHERE who = :who' });
  expect(JSON.parse((await tried(read.id, { who: 'ada' })).content)).toEqual([{ id: 1, who: 'ada' }]);
  expect(JSON.parse((await tried(read.id, { who: "' OR 1=1 --" })).content)).toEqual([]);
  const sly = await endpoint(id, { name: 'sly', method: 'Query', methodSignature: 'DELETE FROM orders' });
  expect((await tried(sly.id)).content).toMatch(/readonly/);
  const slow = await endpoint(id, { name: 'attach', methodSignature: "ATTACH '/tmp/x.db' AS x" });
  expect((await tried(slow.id)).content).toMatch(/may not open other files/);
  const add = await endpoint(id, { name: 'add', method: 'Post', tableName: 'orders' });
  await mapping(add.id, { externalFieldName: 'who', direction: 'Outbound', dataType: 'string', isRequired: true });
  expect(JSON.parse((await tried(add.id, { who: 'eve"; DROP TABLE orders' })).content)).toEqual({ changed: 1 });
  const all = await endpoint(id, { name: 'all', method: 'Get', tableName: 'orders' });
  expect(JSON.parse((await tried(all.id)).content)).toHaveLength(3);
  writeFileSync(join(folder, 'secret.db'), '');
  symlinkSync(join(folder, 'secret.db'), join(allowed, 'link.db'));
  await data(call('PATCH', `/connectors/${id}`, { connectionString: `file://${join(allowed, 'link.db')}` }));
  expect((await tried(all.id)).content).toMatch(/not below a folder/);
});

it('reads and writes files below its folder alone', async () => {
  writeFileSync(join(allowed, 'hello.txt'), 'Hello.');
  symlinkSync('/etc', join(allowed, 'etc'));
  const { id } = await connector({ name: 'Files', type: 'FileSystem', baseUrl: `file://${allowed}` });
  const read = await endpoint(id, { name: 'read', method: 'Get', path: '/{path}' });
  const write = await endpoint(id, { name: 'write', method: 'Put', path: '/{path}' });
  expect((await tried(read.id, { path: 'hello.txt' })).content).toBe('Hello.');
  expect((await tried(write.id, { path: 'new/one.txt', content: 'Hi' })).ok).toBe(true);
  expect((await tried(read.id, { path: 'new/one.txt' })).content).toBe('Hi');
  for (const path of ['../secret.db', 'etc/passwd', '/etc/../../secret.db'])
    expect((await tried(read.id, { path })).content, path).toMatch(/leads out|no such file/);
  expect((await tried(write.id, { path: 'etc/x', content: 'x' })).content).toMatch(/leads out/);
});

it('keeps secrets to itself: sealed, not answered, given again for another server, sealed by the report', async () => {
  const made = await connector({
    name: 'Sealed',
    type: 'RestApi',
    baseUrl: `${base}/api`,
    authMethod: 'Basic',
    credentials: `robot:${planted.token}`,
    headersJson: JSON.stringify({ 'x-key': planted.header }),
  });
  expect(made).toMatchObject({
    hasCredentials: true,
    credentials: null,
    headersJson: null,
    headerNames: ['x-key'],
    credentialsSummary: { fields: ['username', 'password'] },
  });
  const moved = await failed(call('PATCH', `/connectors/${made.id}`, { baseUrl: 'https://evil.example.com' }));
  expect(moved.error).toMatch(/credentials and headers again/);
  expect((await data(call('POST', '/connectors/maintenance/encrypt-headers', {}))).alreadyProtected).toBeGreaterThan(0);
  const bad = await failed(
    call('POST', '/connectors', {
      name: 'x',
      type: 'RestApi',
      authMethod: 'OAuth2ClientCredentials',
      credentials: '{"clientId":"planted-id"}',
    }),
  );
  expect(bad.error).toBe('credentials lacks tokenUrl and clientSecret.');
  for (const baseUrl of ['http://169.254.169.254/', 'https://user:pass@example.com/', 'file:///etc'])
    expect((await failed(call('POST', '/connectors', { name: 'y', type: 'RestApi', baseUrl }))).errorCode).toBe(
      'VALIDATION_FAILED',
    );
});

it('gives its endpoints to runs and chats as tools, under policy, and no secret gets anywhere', async () => {
  const { id } = await connector({
    name: 'My CRM',
    type: 'RestApi',
    baseUrl: `${base}/api`,
    authMethod: 'BearerToken',
    credentials: planted.token,
  });
  await endpoint(id, { name: 'Get user', method: 'Get', path: '/users/{id}', description: 'Reads a user.' });
  await endpoint(id, { name: 'Remove user', method: 'Delete', path: '/users/{id}' });
  const tools = await data(call('GET', '/agent/tools'));
  const listed = (tools.items ?? tools).filter((one: { name: string }) => one.name.startsWith('my_crm__'));
  expect(
    listed.map((one: { name: string; risk: string; source: string; connectorId: number }) => [
      one.name,
      one.risk,
      one.source,
      one.connectorId,
    ]),
  ).toEqual([
    ['my_crm__get_user', 'Safe', 'Connector', id],
    ['my_crm__remove_user', 'Dangerous', 'Connector', id],
  ]);
  world.model.reply(calling('my_crm__get_user', { id: '7' }));
  world.model.otherwise = () => ({ text: ['Done.'] });
  const run = await data(call('POST', '/agent/runs', { goal: 'Look.', autoStart: true }));
  await expect.poll(async () => (await data(call('GET', `/agent/runs/${run.id}`))).status).toBe('Completed');
  expect(JSON.stringify(world.model.requests)).toContain('ada lovelace');
  const offered = world.model.requests.at(-1)?.body.tools as { function: { name: string; parameters: unknown } }[];
  expect(offered.find((one) => one.function.name === 'my_crm__get_user')?.function.parameters).toMatchObject({
    required: ['id'],
    properties: { id: { type: 'string' } },
  });
  const [admin] = (await data(call('GET', '/identities'))).items;
  const session = await data(
    call('POST', '/chat/sessions', {
      ...{ identityId: admin.id, title: 'Talk', enabledTools: ['my_crm__get_user'] },
    }),
  );
  world.model.reply(calling('my_crm__get_user', { id: '8' }));
  await data(call('POST', `/chat/sessions/${session.id}/chat`, { message: 'Who?' }));
  expect(seen.map(({ path }) => path)).toEqual(['/api/users/7', '/api/users/8']);
  await data(call('PATCH', `/connectors/${id}`, { enabled: false }));
  world.model.reply(calling('my_crm__get_user', { id: '9' }));
  await data(call('POST', `/chat/sessions/${session.id}/chat`, { message: 'Again?' }));
  expect(seen).toHaveLength(2);
  const told = [
    ...(await Promise.all(
      [
        `/agent/runs/${run.id}/events`,
        `/chat/sessions/${session.id}`,
        '/connectors',
        '/audit-events',
        '/system-logs?pageSize=200',
      ].map((path) => call('GET', path)),
    )),
    world.model.requests,
  ];
  expect(JSON.stringify(told)).not.toMatch(/planted-(bearer|client|access|header)/);
});
