// What a connector's server gets: credentials by each method, and calls only that a person has let.
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';

let other: Server;
let world: ServerWithModel;
const seen: { method: string; url: string; headers: IncomingHttpHeaders; body: string }[] = [];
beforeAll(async () => {
  other = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
  world = await startServerWithModel({ RIVULET_PRIVATE_CONNECTORS: 'operator' });
});
afterAll(async () => {
  await world.close();
  other.close();
});
beforeEach(() => {
  seen.length = 0;
});

const call = (method: string, path: string, body?: unknown) => world.server.call(method, `/api${path}`, body);
const data = async (method: string, path: string, body?: unknown) => {
  const answer = (await call(method, path, body)).body;
  expect([answer.error, answer.hint]).toEqual([null, null]);
  return answer.data;
};
const connector = (fields: object) =>
  data('POST', '/connectors', {
    type: 'RestApi',
    baseUrl: `http://127.0.0.1:${(other.address() as AddressInfo).port}`,
    ...fields,
  });
const endpoint = (id: number, name: string, method: string, path: string) =>
  data('POST', `/connectors/${id}/endpoints`, { name, method, path });

const hmac = { secret: 's', prefix: 'sha256=', timestampHeader: 'x-time' };
it.each([
  ['None', null, { authorization: undefined, 'x-api-key': undefined }, '/things'],
  ['ApiKey', { key: 'k' }, { 'x-api-key': 'k', authorization: undefined }, '/things'],
  ['ApiKey', { key: 'k', in: 'query', name: 'q' }, { 'x-api-key': undefined }, '/things?q=k'],
  ['Basic', { username: 'u', password: 'p' }, { authorization: 'Basic dTpw' }, '/things'],
  ['BearerToken', { token: 't' }, { authorization: 'Bearer t' }, '/things'],
  ['CustomHeaders', null, { 'x-a': 'b', authorization: undefined }, '/things'],
  ['HmacSignature', hmac, { 'x-signature': expect.stringMatching(/^sha256=[0-9a-f]{64}$/) }, '/things'],
])('%s reaches the server as %j', async (authMethod, credentials, headers, url) => {
  const { id } = await connector({
    name: `By ${authMethod} ${url}`,
    authMethod,
    ...(credentials && { credentials: JSON.stringify(credentials) }),
    ...(authMethod === 'CustomHeaders' && { headersJson: '{"x-a":"b"}' }),
  });
  const things = await endpoint(id, 'Make', 'Post', '/things');
  const answer = await data('POST', `/connectors/endpoints/${things.id}/call`, { input: {} });
  expect([answer.ok, answer.content]).toEqual([true, '{}']);
  const [one] = seen;
  expect(seen).toHaveLength(1);
  expect(one?.url).toBe(url);
  for (const [name, value] of Object.entries(headers)) expect(one?.headers[name], name).toEqual(value);
  if (authMethod !== 'HmacSignature') return;
  const mac = createHmac('sha256', 's').update(`${one?.headers['x-time']}.${one?.body}`).digest('hex');
  expect(one?.headers['x-signature']).toBe(`sha256=${mac}`);
});

it('an endpoint that a profile guards is called once, when a person has let it, and never one that is blocked', async () => {
  const { id } = await connector({ name: 'Guarded' });
  await endpoint(id, 'Remove user', 'Delete', '/users/{id}');
  await endpoint(id, 'Get user', 'Get', '/users/{id}');
  const lists = { safeTools: [], sandboxedTools: [], discoveryEnabled: true };
  const profile = { optInTools: ['guarded__remove_user'], blockedTools: ['guarded__get_user'], ...lists };
  await data('POST', '/agent/tool-profiles', { name: 'watched', role: 'watched', ...profile });
  const calling = (name: string, input: object) => ({
    toolCalls: [{ id: `call_${name}`, name, arguments: [JSON.stringify(input)] }],
  });
  world.model.reply(calling('guarded__get_user', { id: '7' }), calling('guarded__remove_user', { id: '8' }));
  world.model.otherwise = () => ({ text: ['Done.'] });
  const draft = { goal: 'Clean up.', toolProfileName: 'watched', autoStart: true };
  const { id: runId } = await data('POST', '/agent/runs', draft);
  const open = async () => (await data('GET', `/agent/escalations?runId=${runId}`)).items;
  await expect.poll(open).toMatchObject([{ kind: 'toolApproval', status: 'AwaitingHuman' }]);
  expect(seen).toEqual([]);
  const [question] = await open();
  expect(question.situation).toContain('Remove user');
  const decide = () => call('POST', `/agent/escalations/${question.id}/resolve`, { decision: 'approve' });
  expect((await decide()).status).toBe(200);
  await expect.poll(async () => (await data('GET', `/agent/runs/${runId}`)).status).toBe('Completed');
  expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual(['DELETE /users/8']);
  expect((await decide()).body.errorCode).toBe('INVALID_TRANSITION');
});
