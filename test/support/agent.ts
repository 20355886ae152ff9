// An agent of an identity for tests: connected over a WebSocket or socket.io, with its calls and events to wait on.
import { vi } from 'vitest';
import { openIo, openWs } from '../../src/stream/testing/clients.ts';

export const agentTransports = ['WebSocket', 'socket.io polling', 'socket.io websocket'] as const;
type AgentTransport = (typeof agentTransports)[number];

export interface AgentCall {
  id: string;
  type: string;
  data: {
    arguments: Record<string, unknown>;
    idempotencyKey: string;
    runId: number;
    timeoutMs: number;
    traceparent?: string;
  };
}

export const weatherTool = {
  name: 'weather_get',
  description: 'The weather of a place.',
  inputSchema: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
};

const patience = { timeout: 60_000, interval: 10 };

/** Connects; `cut` loses the connection without a word. */
export async function connectAgent(baseUrl: string, key: string, transport: AgentTransport = 'WebSocket') {
  const calls: AgentCall[] = [];
  const heard = (frame: AgentCall & { op?: string }) => {
    if (frame.op === 'Call') calls.push(frame);
  };
  const client =
    transport === 'WebSocket'
      ? await overWebSocket(baseUrl, key, heard)
      : await overSocketIo(baseUrl, key, transport, heard);
  return {
    ...client,
    calls,
    register: (...tools: object[]) =>
      client.command({ op: 'Call', type: 'tools.register', data: { tools: tools.length > 0 ? tools : [weatherTool] } }),
    /** The newest call, when there are `count`. */
    called: (count = 1) =>
      vi.waitFor(() => {
        if (calls.length < count) throw new Error(`${calls.length} calls, not ${count}`);
        return calls.at(-1) as AgentCall;
      }, patience),
    answer: (id: string, content: string, isError = false) =>
      client.send({ op: 'Ack', id, data: { content, isError } }),
    event: (type: string) =>
      vi.waitFor(() => {
        const event = client.events.all.find((one) => one.type === type);
        if (!event) throw new Error(`no ${type}`);
        return event;
      }, patience),
  };
}
export type TestAgent = Awaited<ReturnType<typeof connectAgent>>;

async function overWebSocket(baseUrl: string, key: string, heard: (frame: AgentCall) => void) {
  const { socket, command, events } = await openWs(`${baseUrl.replace(/^http/, 'ws')}/api/ws`, key);
  socket.on('message', (data) => heard(JSON.parse(String(data))));
  socket.on('error', () => undefined);
  return {
    command,
    events,
    send: (frame: object) => socket.send(JSON.stringify(frame)),
    cut: () => socket.terminate(),
  };
}

async function overSocketIo(baseUrl: string, key: string, transport: string, heard: (frame: AgentCall) => void) {
  const { socket, command, events } = await openIo(baseUrl, { token: key }, transport.replace('socket.io ', ''));
  socket.on('command', heard);
  return {
    command,
    events,
    send: (frame: object) => void socket.emit('command', frame),
    cut: () => {
      socket.io.reconnection(false);
      socket.io.engine.close();
    },
  };
}
