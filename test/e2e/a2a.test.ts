// Published bots as agents of A2A, as the protocol's own client talks to them over both of its bindings.
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Message, Role, type StreamResponse, type Task, TaskState } from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';
import { request } from '../support/test-server.ts';

let world: ServerWithModel;
let receiver: Server;
let uid: string;
let identityId: number;
const robin = {
  ...{ displayName: 'Robin', tagline: 'Knows birds.', isPublished: true },
  ...{ systemPromptOverride: 'You speak of birds alone.', defaultModelId: 'openai:gpt-5-bots' },
};
const received: { headers: IncomingHttpHeaders; body: Record<string, never> }[] = [];
beforeAll(async () => {
  world = await startServerWithModel({ RIVULET_PRIVATE_CONNECTORS: 'operator' });
  receiver = createServer(async (asked, answer) => {
    let text = '';
    for await (const chunk of asked) text += chunk;
    received.push({ headers: asked.headers, body: JSON.parse(text) });
    answer.end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  identityId = (await call('POST', '/identities', { name: 'Robin' })).id;
  const bot = await call('PUT', `/bot-profiles/${identityId}`, robin);
  uid = bot.publicUrl.split('/').at(-1);
});
afterAll(async () => {
  receiver.close();
  receiver.closeAllConnections();
  await world.close();
});

const call = async (method: string, path: string, body?: unknown) => {
  const answer = await world.server.call(method, `/api${path}`, body);
  expect([answer.body.error, answer.body.hint]).toEqual([null, null]);
  return answer.body.data;
};
const base = () => `${world.server.url}/a2a/${uid}`;
const bindings = ['JSONRPC', 'HTTP+JSON'] as const;
type Binding = (typeof bindings)[number];

function connect(binding: Binding, key: string = world.server.key): Promise<Client> {
  const signedIn: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${key}`);
    return fetch(input, { ...init, headers });
  };
  const options = { fetchImpl: signedIn };
  const transport = binding === 'JSONRPC' ? new JsonRpcTransportFactory(options) : new RestTransportFactory(options);
  return new ClientFactory({
    transports: [transport],
    cardResolver: new DefaultAgentCardResolver({}),
  }).createFromUrl(`${base()}/`);
}

let count = 0;
const say = (text: string, more: Partial<Message> = {}) => ({
  tenant: '',
  message: {
    ...Message.fromJSON({ messageId: `m${++count}`, parts: [{ text }] }),
    role: Role.ROLE_USER,
    ...more,
  },
  configuration: undefined,
  metadata: undefined,
});
const send = async (client: Client, text: string, more: Partial<Message> = {}) =>
  (await client.sendMessage(say(text, more))) as Task;
const resultOf = ({ artifacts }: Task) =>
  artifacts.flatMap(({ parts }) => parts.map(({ content }) => content?.value)).join('');
const all = async (events: AsyncIterable<StreamResponse>) => {
  const found: StreamResponse[] = [];
  for await (const event of events) found.push(event);
  return found;
};
const working = (question = 'Which way?') => ({
  toolCalls: [{ id: 'c1', name: 'run_escalate', arguments: [JSON.stringify({ situation: question })] }],
});
const lastAsked = () => JSON.stringify(world.model.requests.at(-1)?.body);
const rpc = (body: unknown, headers: Record<string, string> = {}, key = world.server.key) =>
  request(world.server.url, 'POST', `/a2a/${uid}`, body, {
    authorization: `Bearer ${key}`,
    'a2a-version': '1.0',
    ...headers,
  });

describe('the card of a published bot', () => {
  it('is shown to anybody, and goes with its publication', async () => {
    const path = `/a2a/${uid}/.well-known/agent-card.json`;
    const { status, body, headers } = await request(world.server.url, 'GET', path);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: 'Robin',
      description: 'Knows birds.',
      supportedInterfaces: bindings.map((protocolBinding) => ({
        protocolBinding,
        url: base(),
        protocolVersion: '1.0',
      })),
      capabilities: { streaming: true, pushNotifications: true },
    });
    const again = await request(world.server.url, 'GET', path, undefined, {
      'if-none-match': headers.get('etag') ?? '',
    });
    expect(again.status).toBe(304);
    expect((await call('GET', `/bot-profiles/${identityId}`)).a2aUrl).toBe(base());
    const hidden = (await call('POST', '/identities', { name: 'Hidden' })).id;
    const profile = await call('PUT', `/bot-profiles/${hidden}`, { displayName: 'Hidden', isPublished: true });
    const at = `/a2a/${profile.publicUrl.split('/').at(-1)}/.well-known/agent-card.json`;
    expect((await request(world.server.url, 'GET', at)).status).toBe(200);
    expect((await call('PUT', `/bot-profiles/${hidden}`, { displayName: 'Hidden' })).a2aUrl).toBeNull();
    expect((await request(world.server.url, 'GET', at)).status).toBe(404);
  });
});

describe.each(bindings)('an agent over %s', (binding) => {
  it('does a task as a run of its identity, in the voice of the bot', async () => {
    const client = await connect(binding);
    const task = await send(client, 'Which bird sings first?');
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(resultOf(task)).toBe('Hello world');
    expect(lastAsked()).toContain('You speak of birds alone.');
    expect(world.model.requests.at(-1)?.body.model).toBe('gpt-5-bots');
    const run = await call('GET', `/agent/runs/${task.metadata?.runId}`);
    expect(run).toMatchObject({ identityId, status: 'Completed', goal: 'Which bird sings first?' });
    const again = await client.getTask({ tenant: '', id: task.id, historyLength: 0 });
    expect(again).toMatchObject({ id: task.id, contextId: task.contextId, history: [] });
    // A later task of the context knows what was said.
    await send(client, 'And the second?', { contextId: task.contextId });
    expect(lastAsked()).toContain('Which bird sings first?');
    await send(client, 'And elsewhere?');
    expect(lastAsked()).not.toContain('Which bird sings first?');
  });

  it('streams what it says and its states, to the whole result', async () => {
    const client = await connect(binding);
    const events = await all(client.sendMessageStream(say('Sing.')));
    expect(events[0]?.payload?.$case).toBe('task');
    const pieces = events.flatMap(({ payload }) => (payload?.$case === 'artifactUpdate' ? [payload.value] : []));
    const textOf = (piece: (typeof pieces)[number]) =>
      piece.artifact?.parts.map(({ content }) => content?.value).join('');
    const spoken = pieces.filter(({ lastChunk }) => !lastChunk);
    expect(spoken.map(textOf).join('')).toBe('Hello world');
    expect(spoken[0]?.append).toBe(false);
    expect(pieces.filter(({ lastChunk }) => lastChunk).map(textOf)).toEqual(['Hello world']);
    const states = events.flatMap(({ payload }) =>
      payload?.$case === 'statusUpdate' ? [payload.value.status?.state] : [],
    );
    expect(states.at(-1)).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(new Set(states).size).toBe(states.length);
  });

  it('asks where it needs a decision, goes on with the answer, and is told nothing once it has ended', async () => {
    const client = await connect(binding);
    world.model.reply(working(), { text: ['North it is.'] });
    const asked = await send(client, 'Fly.');
    expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    expect(JSON.stringify(asked.status?.message)).toContain('Which way?');
    const wrong = say('North', { taskId: asked.id, contextId: 'another' });
    await expect(client.sendMessage(wrong)).rejects.toThrow(/contextId/);
    const done = await send(client, 'North', { taskId: asked.id });
    expect(resultOf(done)).toBe('North it is.');
    expect(lastAsked()).toContain('North');
    expect(done.history.map(({ role }) => role)).toEqual([Role.ROLE_USER, Role.ROLE_AGENT, Role.ROLE_USER]);
    await expect(send(client, 'West', { taskId: asked.id })).rejects.toThrow(/ended/);
    await expect(client.cancelTask({ tenant: '', id: asked.id, metadata: undefined })).rejects.toThrow(/ended/);
  });

  it('is cancelled with its run, lists its tasks by state, and can be followed meanwhile', async () => {
    const client = await connect(binding);
    world.model.reply(working());
    const { id, contextId } = await send(client, 'Wait.');
    const list = (more: object) =>
      client.listTasks({
        ...{ tenant: '', contextId, status: TaskState.TASK_STATE_UNSPECIFIED, pageToken: '' },
        ...{ statusTimestampAfter: undefined, ...more },
      });
    expect((await list({ status: TaskState.TASK_STATE_INPUT_REQUIRED })).tasks.map((task) => task.id)).toEqual([id]);
    const followed = all(client.resubscribeTask({ tenant: '', id }));
    const cancelled = await client.cancelTask({ tenant: '', id, metadata: undefined });
    expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    const last = (await followed).at(-1)?.payload;
    expect(last?.$case === 'statusUpdate' && last.value.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    expect((await list({ status: TaskState.TASK_STATE_INPUT_REQUIRED })).totalSize).toBe(0);
    await send(client, 'One more.', { contextId });
    const first = await list({ pageSize: 1 });
    expect(first).toMatchObject({ totalSize: 2, pageSize: 1 });
    const second = await list({ pageSize: 1, pageToken: first.nextPageToken });
    expect([...first.tasks, ...second.tasks].map((task) => task.id).at(-1)).toBe(id);
    expect(second.nextPageToken).toBe('');
    await expect(list({ pageToken: 'made up' })).rejects.toThrow(/pageToken/);
  });

  it('refuses what it cannot read, and tasks that are not there', async () => {
    const client = await connect(binding);
    const picture = Message.fromJSON({ parts: [{ raw: 'dGNr', mediaType: 'image/png' }] }).parts;
    await expect(send(client, '', { parts: picture })).rejects.toThrow(/image\/png/);
    await expect(send(client, '   ')).rejects.toThrow(/says nothing/);
    await expect(send(client, 'Hello', { messageId: '' })).rejects.toThrow(/messageId/);
    await expect(send(client, 'Hello', { role: Role.ROLE_AGENT })).rejects.toThrow(/role/);
    await expect(client.getTask({ tenant: '', id: 'nothing' })).rejects.toMatchObject({ name: 'TaskNotFoundError' });
  });
});

describe('what a run has made', () => {
  const writing = (path: string, content: string) => ({
    toolCalls: [{ id: 'c1', name: 'file_write', arguments: [JSON.stringify({ path, content })] }],
  });

  it('comes with its task: small files whole, large ones by an address that the same key opens', async () => {
    const client = await connect('JSONRPC');
    world.model.reply(writing('notes/wren.md', '# Wren'), writing('songs.txt', 'la '.repeat(50_000)), {
      text: ['Written.'],
    });
    const task = await send(client, 'Write it down.');
    const [small, large, result] = task.artifacts;
    expect([small?.name, large?.name, result?.name]).toEqual(['notes/wren.md', 'songs.txt', 'Result']);
    expect(small?.parts[0]).toMatchObject({ filename: 'wren.md', mediaType: 'text/markdown' });
    expect(String(small?.parts[0]?.content?.value)).toBe('# Wren');
    const address = String(large?.parts[0]?.content?.value);
    const load = (headers: Record<string, string>) => fetch(address, { headers });
    const loaded = await load({ authorization: `Bearer ${world.server.key}` });
    expect((await loaded.text()).length).toBe(150_000);
    expect((await load({})).status).toBe(401);
    const { tasks } = await client.listTasks({
      ...{ tenant: '', contextId: task.contextId, status: TaskState.TASK_STATE_UNSPECIFIED, pageToken: '' },
      ...{ statusTimestampAfter: undefined, includeArtifacts: true },
    });
    expect(tasks[0]?.artifacts.map(({ parts }) => parts[0]?.content?.$case)).toEqual(['url', 'url', 'text']);
  });

  it('is one bare message for who asks for that, and the task where it needs somebody', async () => {
    const client = await connect('HTTP+JSON');
    const plain = { extensions: ['urn:rivulet:a2a:plain-answer:v1'] };
    const card = await client.getAgentCard();
    expect(card.capabilities?.extensions.map(({ uri }) => uri)).toEqual(plain.extensions);
    const said = (await client.sendMessage(say('Which bird?', plain))) as Message;
    expect([said.role, said.taskId, said.parts[0]?.content?.value]).toEqual([Role.ROLE_AGENT, '', 'Hello world']);
    const streamed = await all(client.sendMessageStream(say('Which bird?', plain)));
    expect(streamed.map(({ payload }) => payload?.$case)).toEqual(['message']);
    world.model.reply(working());
    const task = await send(client, 'Fly.', plain);
    expect(task.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    await client.cancelTask({ tenant: '', id: task.id, metadata: undefined });
  });
});

describe('push notifications', () => {
  it('are sent for each change of state, with what their receiver wants to be shown, and never shown again', async () => {
    const client = await connect('HTTP+JSON');
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    const authentication = { scheme: 'Bearer', credentials: 'planted-credentials' };
    const config = { ...{ tenant: '', taskId: '', id: 'mine', url }, token: 'planted-token', authentication };
    world.model.reply(working(), { text: ['Done.'] });
    const asked = say('Wait.');
    const configuration = {
      ...{ acceptedOutputModes: [], returnImmediately: false },
      taskPushNotificationConfig: config,
    };
    const { id: taskId } = (await client.sendMessage({ ...asked, configuration })) as Task;
    const of = { tenant: '', taskId };
    const shown = await client.getTaskPushNotificationConfig({ ...of, id: 'mine' });
    expect(shown).toMatchObject({ id: 'mine', url, taskId });
    const { configs } = await client.listTaskPushNotificationConfig({ ...of, pageSize: 10, pageToken: '' });
    expect(JSON.stringify([shown, configs])).not.toContain('planted');
    await send(client, 'North', { taskId });
    await expect
      .poll(() => received.at(-1)?.body)
      .toMatchObject({ task: { id: taskId, status: { state: 'TASK_STATE_COMPLETED' } } });
    expect(received.at(-1)?.headers).toMatchObject({
      authorization: 'Bearer planted-credentials',
      'x-a2a-notification-token': 'planted-token',
    });
    await client.deleteTaskPushNotificationConfig({ ...of, id: 'mine' });
    await client.deleteTaskPushNotificationConfig({ ...of, id: 'mine' });
    await expect(client.getTaskPushNotificationConfig({ ...of, id: 'mine' })).rejects.toThrow(/no receiver/);
    const bad = { ...config, taskId, url: 'ftp://127.0.0.1/' };
    await expect(client.createTaskPushNotificationConfig(bad)).rejects.toThrow(/url/);
  });
});

describe('a caller', () => {
  it('needs a key of the tenant, and the permissions that runs need', async () => {
    const asked = {
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'Hello' }] } },
    };
    expect(await rpc(asked, {}, 'rvt_wrong')).toMatchObject({
      status: 401,
      body: { error: { data: [{ reason: 'UNAUTHENTICATED' }] } },
    });
    const reader = await call('POST', `/identities/${identityId}/api-keys`, { name: 'reader', scopes: ['RunsRead'] });
    const refused = await rpc(asked, {}, reader.rawKey);
    expect(refused.body.error).toMatchObject({ code: -32050, data: [{ reason: 'FORBIDDEN' }] });
    expect(refused.body.error.message).toContain('RunsWrite');
    const rest = await connect('HTTP+JSON', reader.rawKey);
    await expect(send(rest, 'Hello')).rejects.toMatchObject({ statusCode: 403 });
  });

  it('says which version it speaks, and hears what is wrong with a call', async () => {
    const list = { jsonrpc: '2.0', id: 'x', method: 'ListTasks', params: {} };
    expect((await rpc(list)).body.result.tasks.length).toBeGreaterThan(0);
    expect((await rpc(list, { 'a2a-version': '0.3' })).body).toMatchObject({ id: 'x', error: { code: -32009 } });
    expect((await rpc(list, { 'a2a-version': '' })).body.error.code).toBe(-32009);
    expect((await rpc({ ...list, method: 'Nothing' })).body.error.code).toBe(-32601);
    expect((await rpc([list])).body.error.code).toBe(-32600);
    expect((await rpc(list, { 'content-type': 'text/plain' })).body.error.code).toBe(-32005);
    const path = `/a2a/${uid}/nothing`;
    const headers = { authorization: `Bearer ${world.server.key}`, 'a2a-version': '1.0' };
    const missing = await request(world.server.url, 'GET', path, undefined, headers);
    expect(missing).toMatchObject({ status: 404, body: { error: { code: 404, status: 'NOT_FOUND' } } });
  });

  it('that repeats a request by its key begins one task', async () => {
    const asked = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: say('Once.') };
    const body = JSON.parse(JSON.stringify({ ...asked, params: { message: Message.toJSON(asked.params.message) } }));
    const [one, two] = [await rpc(body, { 'idempotency-key': 'k1' }), await rpc(body, { 'idempotency-key': 'k1' })];
    expect(one.body.result.task.id).toBe(two.body.result.task.id);
    // What the bot is like has changed since.
    await call('PUT', `/bot-profiles/${identityId}`, { ...robin, defaultModelId: 'openai:gpt-5-mini' });
    expect((await rpc(body, { 'idempotency-key': 'k1' })).body.result?.task.id).toBe(one.body.result.task.id);
    await call('PUT', `/bot-profiles/${identityId}`, robin);
    const other = await rpc(body, { 'idempotency-key': 'k2' });
    expect(other.body.result.task.id).not.toBe(one.body.result.task.id);
    // Another message is no repeat.
    for (const change of [{ parts: [{ text: 'Twice.' }] }, { contextId: other.body.result.task.contextId }]) {
      const params = { message: { ...body.params.message, ...change } };
      const { error } = (await rpc({ ...body, params }, { 'idempotency-key': 'k1' })).body;
      expect(error).toMatchObject({ code: -32050, data: [{ reason: 'IDEMPOTENCY_MISMATCH' }] });
    }
  });

  it('finds its tasks again after a restart, at work', async () => {
    const before = await connect('JSONRPC');
    world.model.reply(working('Still there?'));
    const { id } = await send(before, 'Wait for me.');
    await world.server.restart();
    world.model.reply({ text: ['Welcome back.'] });
    const after = await connect('JSONRPC');
    expect((await after.getTask({ tenant: '', id })).status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    expect(resultOf(await send(after, 'Yes', { taskId: id }))).toBe('Welcome back.');
  });
});
