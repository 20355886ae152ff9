// Tasks of MCP over kill -9: on two processes each tells of the other's and ends them, and one server goes on with its own.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createClient } from '../../src/client/index.ts';
import { type ChildServer, createChildServer } from '../support/child-server.ts';
import { asksAndTakesTasks, in2026 } from '../support/mcp-messages.ts';
import { type Nodes, nodesMissing, startNodes } from '../support/nodes.ts';
import { environmentOf, type FakeServer, startFakeServer } from '../support/openai-server.ts';
import { fakeModel } from '../support/server-with-model.ts';
import { sceneOf, toReply } from '../support/stage.ts';

const missing = await nodesMissing();
if (missing) console.warn(`skipped: ${missing}`);

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was answered
type Answer = any;
type Era = '2025-11-25' | '2026-07-28';
const eras = ['2025-11-25', '2026-07-28'] as const;

const words = Array.from({ length: 20 }, (_, at) => `la${at} `);
const unknown = { code: -32_602, message: expect.stringMatching(/There is no such task\./) };
const related = (taskId: string) => ({ 'io.modelcontextprotocol/related-task': { taskId } });

/** Songs stop in the middle until `free`; who is told to hum says nothing before `hum`; who asks, asks once. */
function play(model: FakeServer) {
  const at = { free: false, hum: () => {} };
  const humming = new Promise<void>((resolve) => {
    at.hum = resolve;
  });
  model.otherwise = (request) => {
    const { goal, turn, results } = sceneOf(request);
    if (goal.startsWith('Hum')) return { text: ['Hummed.'], after: humming };
    if (goal.startsWith('Ask') && turn === 0)
      return toReply({ calls: [['run_escalate', { situation: 'Which key?', options: ['C', 'D'] }]] }, turn);
    if (goal.startsWith('Ask')) return { text: [`Sung in ${results.at(-1)}`] };
    return at.free ? { text: ['The whole song.'] } : { text: words, stallAfter: 5 };
  };
  return at;
}

/** The official client in both eras, one of each for a server and a key. */
function connections() {
  const opened = new Map<string, Promise<Client>>();
  async function open({ baseUrl }: ChildServer, key: string, era: Era): Promise<Client> {
    const mode = era === '2025-11-25' ? 'legacy' : 'auto';
    const client = new Client(
      { name: 'test', version: '1' },
      { versionNegotiation: { mode }, capabilities: asksAndTakesTasks },
    );
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), { requestInit }));
    expect(client.getNegotiatedProtocolVersion()).toBe(era);
    return client;
  }
  return {
    ask: async (server: ChildServer, era: Era, method: string, params: Answer, key = server.key): Promise<Answer> => {
      const name = `${server.baseUrl} ${era} ${key}`;
      const client = opened.get(name) ?? open(server, key, era);
      opened.set(name, client);
      return (await client).request({ method, params }, z.any());
    },
    close: async () => {
      for (const client of opened.values()) await (await client).close();
    },
  };
}
const { ask, close: disconnect } = connections();
afterAll(disconnect);

const begin = async (server: ChildServer, goal: string, idempotencyKey?: string): Promise<string> => {
  const params = { name: 'run_start', arguments: { goal, idempotencyKey }, task: {} };
  return (await ask(server, '2025-11-25', 'tools/call', params)).task.taskId;
};
const of = (server: ChildServer, era: Era, taskId: string) => ask(server, era, 'tasks/get', { taskId });
const listed = async (server: ChildServer, key?: string): Promise<string[]> =>
  (await ask(server, '2025-11-25', 'tasks/list', {}, key)).tasks.map((one: Answer) => one.taskId);
const resultOf = (server: ChildServer, taskId: string) => ask(server, '2025-11-25', 'tasks/result', { taskId });
/** The task once it has this status. */
async function reached(server: ChildServer, era: Era, taskId: string, status: string): Promise<Answer> {
  await expect.poll(async () => (await of(server, era, taskId)).status).toBe(status);
  return of(server, era, taskId);
}
const decide = async (server: ChildServer, taskId: string, decision: string) => {
  const { inputRequests } = await reached(server, '2026-07-28', taskId, 'input_required');
  const [key = ''] = Object.keys(inputRequests);
  expect(inputRequests[key]).toMatchObject({ params: { message: 'Which key?' } });
  const inputResponses = { [key]: { action: 'accept', content: { decision } } };
  // The official client takes the answers for those of a call, and leaves them out.
  return in2026(server.baseUrl, server.key, 'tasks/update', { taskId, inputResponses });
};

/** That another identity finds none of these, in either form. */
async function hidden(server: ChildServer, key: string, taskIds: readonly string[]): Promise<void> {
  expect(await listed(server, key)).toEqual([]);
  for (const taskId of taskIds)
    for (const method of ['tasks/get', 'tasks/cancel'])
      for (const era of eras) await expect(ask(server, era, method, { taskId }, key)).rejects.toMatchObject(unknown);
}

describe.skipIf(missing !== null)('on two nodes', () => {
  let model: FakeServer;
  let nodes: Nodes;
  let a: ChildServer;
  let b: ChildServer;
  let another: string;
  let part: ReturnType<typeof play>;
  let tasks: Record<'hum' | 'first' | 'second' | 'doomed' | 'song' | 'asking', string>;

  beforeAll(async () => {
    model = await startFakeServer();
    part = play(model);
    nodes = await startNodes(2, environmentOf(model, fakeModel));
    [a, b] = nodes.servers as [ChildServer, ChildServer];
    // While it is away, the first node claims every run.
    await b.stop();
    const { identities, identityKeys } = createClient({ baseUrl: a.baseUrl, token: a.key });
    const { id } = await identities.create({ body: { name: 'Another' } });
    another = (await identityKeys.create({ params: { identityId: id }, body: { name: 'k' } })).rawKey;
    tasks = {
      hum: await begin(a, 'Hum'),
      first: await begin(a, 'Sing one'),
      second: await begin(a, 'Sing two'),
      doomed: await begin(a, 'Sing three'),
      song: await begin(a, 'Sing four', 'once'),
      asking: await begin(a, 'Ask'),
    };
    await model.arrived(6);
    await b.start();
  });
  afterAll(async () => {
    model?.release();
    await nodes?.close();
    await model?.close();
  });

  it('are found, followed and cancelled by the other node, for who began them alone', async () => {
    const { hum, first, second } = tasks;
    expect(await listed(b)).toEqual(Object.values(tasks).reverse());
    for (const era of eras) expect(await of(b, era, hum)).toMatchObject({ taskId: hum, status: 'working' });
    for (const node of [a, b]) await hidden(node, another, Object.values(tasks));
    const result = resultOf(b, hum);
    part.hum();
    const done = { structuredContent: { status: 'Completed', progressSummary: 'Hummed.' } };
    expect(await result).toMatchObject({ ...done, _meta: related(hum) });
    expect(await of(b, '2025-11-25', hum)).toMatchObject({ status: 'completed' });
    expect(await of(b, '2026-07-28', hum)).toMatchObject({ status: 'completed', result: done });

    expect(await ask(b, '2025-11-25', 'tasks/cancel', { taskId: first })).toMatchObject({ status: 'cancelled' });
    await ask(b, '2026-07-28', 'tasks/cancel', { taskId: second });
    await model.left(2);
    for (const taskId of [first, second])
      for (const node of [a, b])
        for (const era of eras) expect(await of(node, era, taskId)).toMatchObject({ status: 'cancelled' });
  });

  it('are taken over when their node is killed, and told truly meanwhile', async () => {
    const { doomed, song, asking } = tasks;
    await reached(b, '2026-07-28', asking, 'input_required');
    const asked = model.requests.length;
    const result = resultOf(b, song);
    await a.kill();
    part.free = true;
    for (const era of eras) expect(await of(b, era, song)).toMatchObject({ status: 'working' });
    expect(await ask(b, '2025-11-25', 'tasks/cancel', { taskId: doomed })).toMatchObject({ status: 'cancelled' });
    expect(await resultOf(b, doomed)).toMatchObject({ isError: true, structuredContent: { status: 'Cancelled' } });
    // Who has not heard the answer of its call asks again, and gets the same task.
    expect(await begin(b, 'Sing four', 'once')).toBe(song);
    const sung = { structuredContent: { status: 'Completed', progressSummary: 'The whole song.' } };
    expect(await result).toMatchObject({ ...sung, _meta: related(song) });
    expect(await of(b, '2026-07-28', song)).toMatchObject({ status: 'completed', result: sung });
    expect(await of(b, '2025-11-25', asking)).toMatchObject({
      ...{ status: 'working', statusMessage: expect.stringMatching(/decision.*Which key\?/) },
    });
    expect(await decide(b, asking, 'D')).toMatchObject({ resultType: 'complete' });
    expect(await resultOf(b, asking)).toMatchObject({ structuredContent: { status: 'Completed' } });
    // The song once more, and the end of the run that asked: nothing of the run that was cancelled.
    expect(model.requests.slice(asked).map((one) => sceneOf(one).goal.slice(0, 9))).toEqual(['Sing four', 'Ask']);

    await a.start();
    for (const node of [a, b]) {
      expect(await listed(node)).toEqual(Object.values(tasks).reverse());
      await hidden(node, another, [song]);
      for (const era of eras) expect(await of(node, era, song)).toMatchObject({ status: 'completed' });
    }
  });
});

it('go on when a server of its own is killed and started again', async () => {
  const model = await startFakeServer();
  const part = play(model);
  const server = await createChildServer(environmentOf(model, fakeModel));
  try {
    await server.start();
    const song = await begin(server, 'Sing', 'once');
    const asking = await begin(server, 'Ask');
    const call = { name: 'run_start', arguments: { goal: 'Sing, too' } };
    // The official client knows no result of a call that is a task of the extension.
    const modern = await in2026(server.baseUrl, server.key, 'tools/call', call);
    expect(modern).toMatchObject({ resultType: 'task', status: 'working' });
    await reached(server, '2026-07-28', asking, 'input_required');
    await model.arrived(3);
    await server.kill();
    part.free = true;
    await server.start();
    expect(await listed(server)).toEqual([modern.taskId, asking, song]);
    expect(await begin(server, 'Sing', 'once')).toBe(song);
    const sung = { structuredContent: { status: 'Completed', progressSummary: 'The whole song.' } };
    for (const taskId of [song, modern.taskId]) {
      expect(await resultOf(server, taskId)).toMatchObject({ ...sung, _meta: related(taskId) });
      expect(await of(server, '2026-07-28', taskId)).toMatchObject({ status: 'completed', result: sung });
    }
    expect(await decide(server, asking, 'C')).toMatchObject({ resultType: 'complete' });
    expect(await resultOf(server, asking)).toMatchObject({ structuredContent: { status: 'Completed' } });
  } finally {
    model.release();
    await server.close();
    await model.close();
  }
});
