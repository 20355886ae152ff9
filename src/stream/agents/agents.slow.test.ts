// Agents over real sockets: they offer tools, are called, are cut and come back, are too slow, or are gone.
import { afterEach, expect, test } from 'vitest';
import { nodeAdapter } from '../../http/adapters/node/server.ts';
import { systemClock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import type { Broker } from '../brokers/broker.ts';
import { createNodes } from '../brokers/nodes.ts';
import { createSignals, type Signal } from '../brokers/signals.ts';
import type { Connection, ServerCall } from '../connections/connection.ts';
import { openIo, openWs } from '../testing/clients.ts';
import { startTestServer, type TestServer, testCaller } from '../testing/server.ts';
import { createAgentTools } from './across-nodes.ts';
import { createLocalCalls } from './local-calls.ts';

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
  expect(streams.agentTools.offered(1, 5)).toEqual([{ ...tool, connected: true }]);
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
    error: expect.stringContaining('The tools are not valid: data.tools.0.name: must look like weather_get.'),
  });
  expect(await client.command({ op: 'Call', type: 'tools.register', data: {} })).toMatchObject({
    error: expect.stringContaining('The tools are not valid: data.tools: is missing.'),
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
  const localCalls = createLocalCalls({ clock, nodeId: 'a', onChange: () => undefined });
  const calls: ServerCall[] = [];
  const connection = standIn(calls);
  localCalls.register(connection, 'tools.register', { tools: [tool] });
  const slow = localCalls.call(call);
  const late = expect(slow).rejects.toMatchObject({ code: 'CONNECTOR_TIMEOUT' });
  await clock.advance(10_000);
  await late;

  const lost = localCalls.call(call);
  const gone = expect(lost).rejects.toMatchObject({ code: 'CONNECTOR_ERROR' });
  localCalls.left(connection);
  await clock.advance(6000);
  await gone;

  const abort = new AbortController();
  const aborted = localCalls.call({ ...call, signal: abort.signal });
  abort.abort(new Fault('CONFLICT', 'The run was cancelled.'));
  await expect(aborted).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(calls).toHaveLength(2);
});

/** Nodes that share one bus of signals, each with the calls of its own agents. */
function startNodes(...names: string[]) {
  const clock = new SimulatedClock();
  const bus = createSignals();
  let isAway = false;
  const started = names.map((nodeId) => {
    let dead = false;
    const broker = {
      shared: true,
      signal: (message: Signal) => dead || isAway || bus.send(message),
      onSignal: (listen: (message: Signal) => void) => bus.listen((message) => dead || listen(message)),
    } as unknown as Broker;
    const nodes = createNodes({ broker, clock, nodeId });
    const localCalls = createLocalCalls({ clock, nodeId, onChange: (...who) => tools.changed(...who) });
    const tools = createAgentTools({ localCalls, broker, nodes, clock, nodeId });
    const calls: ServerCall[] = [];
    const connection = standIn(calls);
    return {
      tools,
      calls,
      register: () => localCalls.register(connection, 'tools.register', { tools: [tool] }),
      leave: () => localCalls.left(connection),
      answer: (id: string, content: string) => tools.answer(connection, id, { content }),
      /** Falls silent, as a killed process does. */
      die: () => {
        dead = true;
      },
    };
  });
  /** The broker loses what it is told, until it is back. */
  const away = (is: boolean) => {
    isAway = is;
    if (!is) bus.send({ kind: 'reconnected' });
  };
  return { clock, away, nodes: started as [(typeof started)[0], (typeof started)[0], ...typeof started] };
}
const names = (offered: readonly { name: string; connected: boolean }[]) =>
  offered.map(({ name, connected }) => [name, connected]);

test('a call finds the agent on another node', async () => {
  const { clock, nodes } = startNodes('a', 'b');
  const [a, b] = nodes;
  b.register();
  await clock.advance(0);
  expect(names(a.tools.offered(1, 5))).toEqual([['weather_get', true]]);
  expect(a.tools.identities(1)).toEqual([5]);
  const result = a.tools.call(call);
  await clock.advance(0);
  b.answer(b.calls[0]?.id ?? '', 'snow');
  expect(await result).toEqual({ content: 'snow', isError: false });
  b.leave();
  await clock.advance(1000);
  expect(names(a.tools.offered(1, 5))).toEqual([['weather_get', true]]);
  await clock.advance(5000);
  expect(names(a.tools.offered(1, 5))).toEqual([['weather_get', false]]);
  const late = expect(a.tools.call(call)).rejects.toMatchObject({ code: 'CONNECTOR_ERROR' });
  await clock.advance(5000);
  await late;
});

test.each([
  ['gets the call once more', (id: string) => id, 1],
  ['or answers the old one', (_: string, old: string) => old, 0],
])('an agent that comes back to another node %s', async (_, choose, from) => {
  const { clock, nodes } = startNodes('a', 'b');
  const [a, b] = nodes;
  a.register();
  const result = a.tools.call(call);
  await clock.advance(0);
  a.leave();
  await clock.advance(1000);
  b.register();
  await clock.advance(0);
  expect(b.calls).toMatchObject([{ data: { idempotencyKey: 'k1' } }]);
  const id = choose(b.calls[0]?.id ?? '', a.calls[0]?.id ?? '');
  expect(id.startsWith('ab'.charAt(from))).toBe(true);
  b.answer(id, 'hail');
  await clock.advance(0);
  expect(await result).toEqual({ content: 'hail', isError: false });
});

test('a call to a node that dies waits for the agent to come back, and then says that it is gone', async () => {
  const { clock, nodes } = startNodes('a', 'b', 'c');
  const [a, b, c] = nodes;
  await clock.advance(2000);
  b.register();
  await clock.advance(0);
  const result = a.tools.call({ ...call, timeoutMs: 60_000 });
  const hopeless = a.tools.call({ ...call, name: 'weather_set', timeoutMs: 60_000 });
  const gone = expect(hopeless).rejects.toMatchObject({ code: 'CONNECTOR_ERROR' });
  await clock.advance(0);
  b.die();
  await clock.advance(4000);
  c?.register();
  await clock.advance(0);
  await clock.advance(10_000);
  expect(c?.calls).toMatchObject([{ data: { idempotencyKey: 'k1' } }]);
  c?.answer(c.calls[0]?.id ?? '', 'fog');
  await clock.advance(0);
  expect(await result).toMatchObject({ content: 'fog' });
  await gone;
});

test.each(['leaves', 'dies'])('the deadline of a call stays when the node of its agent %s', async (how) => {
  const { clock, nodes } = startNodes('a', 'b', 'c');
  const [a, b, c] = nodes;
  await clock.advance(2000);
  b.register();
  await clock.advance(0);
  const result = a.tools.call({ ...call, timeoutMs: 20_000 });
  const late = expect(result).rejects.toMatchObject({
    code: 'CONNECTOR_TIMEOUT',
    message: expect.stringContaining('within 20000 ms'),
  });
  await clock.advance(0);
  if (how === 'leaves') b.leave();
  else b.die();
  await clock.advance(4000);
  c?.register();
  await clock.advance(0);
  await clock.advance(10_000);
  expect(b.calls).toMatchObject([{ data: { timeoutMs: 20_000 } }]);
  const told = Number(c?.calls[0]?.data.timeoutMs);
  expect(told).toBeGreaterThan(6000);
  expect(told).toBeLessThanOrEqual(16_000);
  await clock.advance(6000);
  await late;
});

test('a call that is given up is given up on the other node too', async () => {
  const { clock, nodes } = startNodes('a', 'b');
  const [a, b] = nodes;
  b.register();
  await clock.advance(0);
  const abort = new AbortController();
  const result = a.tools.call({ ...call, signal: abort.signal });
  await clock.advance(0);
  abort.abort(new Fault('CONFLICT', 'The run was cancelled.'));
  await expect(result).rejects.toMatchObject({ code: 'CONFLICT' });
  await clock.advance(0);
  expect(b.calls).toHaveLength(1);
  b.leave();
  b.register();
  await clock.advance(0);
  expect(b.calls).toHaveLength(1);
});

test.each(['the call', 'the answer'])(
  '%s is lost with the broker: it is given within seconds of its return, once',
  async (what) => {
    const { clock, away, nodes } = startNodes('a', 'b');
    const [a, b] = nodes;
    b.register();
    await clock.advance(0);
    if (what === 'the call') away(true);
    const result = a.tools.call({ ...call, timeoutMs: 120_000 });
    await clock.advance(500);
    if (what === 'the answer') {
      away(true);
      b.answer(b.calls[0]?.id ?? '', 'hail');
    }
    await clock.advance(3000);
    away(false);
    await clock.advance(1000);
    if (what === 'the call') b.answer(b.calls[0]?.id ?? '', 'hail');
    await clock.advance(2000);
    expect(b.calls).toHaveLength(1);
    expect(await result).toEqual({ content: 'hail', isError: false });
  },
);

test('what an agent that moved says while the broker is away reaches the node that waits', async () => {
  const { clock, away, nodes } = startNodes('a', 'b');
  const [a, b] = nodes;
  a.register();
  const result = a.tools.call({ ...call, timeoutMs: 120_000 });
  await clock.advance(0);
  a.leave();
  away(true);
  b.answer(a.calls[0]?.id ?? '', 'sleet');
  await clock.advance(3000);
  away(false);
  await clock.advance(0);
  await clock.advance(1000);
  expect(await result).toEqual({ content: 'sleet', isError: false });
});
