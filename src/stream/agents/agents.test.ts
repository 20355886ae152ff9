// Agents over real sockets: they offer tools, are called, are cut and come back, are too slow, or are gone.
import { afterEach, expect, test } from 'vitest';
import { nodeAdapter } from '../../http/adapters/node/server.ts';
import { systemClock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import type { Broker } from '../broker.ts';
import { createSignals } from '../brokers/signals.ts';
import type { Connection, ServerCall } from '../connection.ts';
import { openIo, openWs } from '../testing/clients.ts';
import { startTestServer, type TestServer, testCaller } from '../testing/server.ts';
import { createAgentTools } from './across-nodes.ts';
import { createAgentDesk } from './desk.ts';

const tool = { name: 'weather_get', description: 'The weather of a place.', inputSchema: { type: 'object' } };
const call = {
  tenantId: 1,
  identityId: 5,
  name: 'weather_get',
  input: { place: 'Oslo' },
  idempotencyKey: 'k1',
  timeoutMs: 10_000,
};

let server: TestServer | null = null;
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await server?.close();
  server = null;
});

async function start(): Promise<TestServer> {
  const agent = async () => testCaller(5, { kind: 'IdentityKey', identityId: 5 });
  const auth = { authenticate: agent, fromToken: agent, refresh: agent };
  server = await startTestServer(nodeAdapter, { auth, clock: systemClock });
  return server;
}

async function agent() {
  const client = await openWs(server?.wsUrl ?? '', 'key-5');
  closing.push(() => client.socket.terminate());
  const calls: ServerCall[] = [];
  client.socket.on('message', (data) => {
    const frame = JSON.parse(String(data));
    if (frame.op !== 'Call') return;
    calls.push(frame);
    client.socket.emit('called');
  });
  return {
    ...client,
    calls,
    register: () => client.command({ op: 'Call', type: 'tools.register', data: { tools: [tool] } }),
    called: async () => {
      if (calls.length === 0) await new Promise((resolve) => client.socket.once('called', resolve));
      return calls.at(-1) as ServerCall;
    },
    answer: (id: string, content: string) => client.socket.send(JSON.stringify({ op: 'Ack', id, data: { content } })),
  };
}

test('a run calls a tool of an agent over its socket', async () => {
  const { streams } = await start();
  const client = await agent();
  expect(await client.register()).toMatchObject({ op: 'Ack', ok: true });
  expect(streams.agentTools.offered(1, 5)).toEqual([tool]);
  expect(streams.agentTools.offered(1, 6)).toEqual([]);
  const result = streams.agentTools.call({ ...call, runId: 42 });
  const asked = await client.called();
  expect(asked).toMatchObject({ type: 'weather_get', data: { arguments: { place: 'Oslo' }, runId: 42 } });
  client.answer(asked.id, 'rain');
  expect(await result).toEqual({ content: 'rain', isError: false });
});

test('the same over socket.io', async () => {
  const { streams, url } = await start();
  const client = await openIo(url, { token: 'key-5' }, 'websocket');
  closing.push(() => client.socket.close());
  client.socket.on('command', ({ id }: ServerCall) => {
    client.socket.emit('command', { op: 'Ack', id, data: { content: 'no such place', isError: true } });
  });
  await client.command({ op: 'Call', type: 'tools.register', data: { tools: [tool] } });
  expect(await streams.agentTools.call(call)).toEqual({ content: 'no such place', isError: true });
});

test('an agent that is cut in the middle takes the call up again', async () => {
  const { streams } = await start();
  const first = await agent();
  await first.register();
  const result = streams.agentTools.call(call);
  const { id } = await first.called();
  first.socket.terminate();
  const second = await agent();
  await second.register();
  const again = await second.called();
  expect(again).toMatchObject({ id, data: { idempotencyKey: 'k1' } });
  second.answer(id, 'sun');
  expect(await result).toMatchObject({ content: 'sun' });
});

test('bad registrations and answers are told', async () => {
  const { streams } = await start();
  const client = await agent();
  const bad = { ...tool, name: 'Weather!' };
  expect(await client.command({ op: 'Call', type: 'tools.register', data: { tools: [bad] } })).toMatchObject({
    errorCode: 'VALIDATION_FAILED',
  });
  expect(await client.command({ op: 'Call', type: 'dance' })).toMatchObject({ errorCode: 'VALIDATION_FAILED' });
  await client.register();
  const result = streams.agentTools.call(call);
  const { id } = await client.called();
  client.socket.send(JSON.stringify({ op: 'Ack', id, data: { text: 1 } }));
  await expect(result).rejects.toMatchObject({ code: 'CONNECTOR_ERROR' });
});

/** An agent without a socket, for what takes time. */
function standIn(calls: ServerCall[]): Connection {
  const link = { call: (command: ServerCall) => void calls.push(command) };
  return {
    caller: testCaller(5, { kind: 'IdentityKey', identityId: 5 }),
    closed: false,
    link,
  } as unknown as Connection;
}

test('a slow agent is a timeout, a lost one an error, an aborted call its reason', async () => {
  const clock = new SimulatedClock();
  const desk = createAgentDesk({ clock, nodeId: 'a', onChange: () => undefined });
  const calls: ServerCall[] = [];
  const connection = standIn(calls);
  desk.register(connection, 'tools.register', { tools: [tool] });
  const slow = desk.call(call);
  const late = expect(slow).rejects.toMatchObject({ code: 'CONNECTOR_TIMEOUT' });
  await clock.advance(10_000);
  await late;

  const lost = desk.call(call);
  const gone = expect(lost).rejects.toMatchObject({ code: 'CONNECTOR_ERROR' });
  desk.left(connection);
  await clock.advance(6000);
  await gone;

  const abort = new AbortController();
  const aborted = desk.call({ ...call, signal: abort.signal });
  abort.abort(new Fault('CONFLICT', 'The run was cancelled.'));
  await expect(aborted).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(calls).toHaveLength(2);
});

test('a call finds the agent on another node', async () => {
  const clock = new SimulatedClock();
  const bus = createSignals();
  const broker = { shared: true, signal: bus.send, onSignal: bus.listen } as unknown as Broker;
  const node = (nodeId: string) => {
    const desk = createAgentDesk({ clock, nodeId, onChange: (...who) => tools.tell(...who) });
    const tools = createAgentTools({ desk, broker, clock, nodeId });
    return { desk, tools };
  };
  const [a, b] = [node('a'), node('b')];
  const calls: ServerCall[] = [];
  const connection = standIn(calls);
  b.desk.register(connection, 'tools.register', { tools: [tool] });
  await clock.advance(0);
  expect(a.tools.offered(1, 5)).toEqual([tool]);
  const result = a.tools.call(call);
  await clock.advance(0);
  b.desk.answer(connection, calls[0]?.id ?? '', { content: 'snow' });
  expect(await result).toEqual({ content: 'snow', isError: false });
  b.desk.left(connection);
  await clock.advance(0);
  expect(a.tools.offered(1, 5)).toEqual([]);
  a.tools.stop();
  b.tools.stop();
});
