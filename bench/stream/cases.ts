// The servers that are compared: ours, whole, and its peers. Each sends the same event to whoever is connected.
import { createServer } from 'node:http';
import { createChannel, createSession } from 'better-sse';
import { Server as SocketIoServer } from 'socket.io';
import { WebSocketServer } from 'ws';
import type { Caller } from '../../src/contract/caller.ts';
import { Permission } from '../../src/contract/enums.ts';
import { nodeAdapter } from '../../src/http/adapters/node/server.ts';
import { uwsAdapter } from '../../src/http/adapters/uws/server.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLogger } from '../../src/kernel/logger.ts';
import { MemoryBroker } from '../../src/stream/brokers/memory.ts';
import { createStreams } from '../../src/stream/create.ts';
import { createMemoryEventStore } from '../../src/stream/memory-event-store.ts';
import { requireTopic } from '../../src/stream/topics.ts';
import { socketIoOptions } from '../../src/stream/transports/socketio.ts';
import { hasNchan, startNchan } from './nchan.ts';

export interface RunningCase {
  port: number;
  /** Sends one event to all. */
  send(data: Record<string, unknown>): void;
  /** Appends events that are kept, for resuming. */
  keep?(count: number): Promise<void>;
  connections?(): { bufferedBytes: number }[];
  stop?(): void;
}

export interface BenchCase {
  name: string;
  /** How the load generator connects. */
  path: string;
  headers: string[];
  frames?: string[];
  start(): Promise<RunningCase>;
}

const upgrade = [
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];
const key = 'Authorization: Bearer bench';
const eventStream = 'Accept: text/event-stream';
const socketIoPath = '/socket.io/?EIO=4&transport=websocket';

let seq = 0;
/** The frame that peers send: the same fields and size as ours. */
const frame = (data: Record<string, unknown>) => ({
  epoch: '0a1b2c3d-1',
  seq: ++seq,
  topic: 'run:1',
  type: 'run.budget',
  atUtc: new Date().toISOString(),
  data,
});

async function ours(adapter: typeof nodeAdapter): Promise<RunningCase> {
  const caller: Caller = {
    tenantId: 1,
    kind: 'User',
    userId: 1,
    identityId: null,
    keyId: 1,
    sessionId: null,
    name: 'bench',
    permissions: new Set(Permission.options),
    expiresAt: null,
  };
  const store = createMemoryEventStore();
  const allow = async () => caller;
  const streams = await createStreams({
    broker: new MemoryBroker({ store, clock: systemClock }),
    store,
    auth: { authenticate: allow, fromToken: allow, refresh: allow },
    authorise: async (who, topic) => requireTopic(who, topic),
    clock: systemClock,
    log: silentLogger,
    nodeId: 'bench',
  });
  const socketIo = new SocketIoServer(socketIoOptions);
  streams.attachSocketIo(socketIo);
  const server = await adapter({
    host: '127.0.0.1',
    port: 0,
    webSocket: streams.webSocket,
    socketIo,
    handle: async (exchange) => {
      const query = new URLSearchParams(exchange.query);
      await streams.respond(exchange, {
        caller,
        reply: {
          kind: 'topics',
          topics: (query.get('topics') ?? '').split(','),
          lastEventId: query.get('lastEventId'),
          types: null,
          includeDeltas: true,
          replaySeconds: 0,
          heartbeatSeconds: 15,
        },
      });
    },
  });
  const publish = (type: string, data: unknown) =>
    streams.publisher.publish({ tenantId: 1, topics: ['run:1'], type, data });
  return {
    port: server.port,
    send: (data) => void publish('run.budget', data),
    keep: async (count) => {
      await Promise.all(
        Array.from({ length: count }, (_, n) => publish('run.event', { n, text: `^${'x'.repeat(150)}` })),
      );
    },
    connections: () => streams.connections(1),
  };
}

async function wsLoop(): Promise<RunningCase> {
  const http = createServer();
  const sockets = new WebSocketServer({ server: http, perMessageDeflate: false });
  const port = await listen(http);
  return {
    port,
    send(data) {
      const text = JSON.stringify(frame(data));
      for (const socket of sockets.clients) socket.send(text);
    },
  };
}

async function socketIo(): Promise<RunningCase> {
  const http = createServer();
  const io = new SocketIoServer(http, { transports: ['websocket'], pingInterval: 600_000 });
  const port = await listen(http);
  return { port, send: (data) => void io.emit('event', frame(data)) };
}

async function betterSse(): Promise<RunningCase> {
  const channel = createChannel();
  const http = createServer(async (request, response) => {
    channel.register(await createSession(request, response));
  });
  const port = await listen(http);
  return {
    port,
    send(data) {
      const event = frame(data);
      channel.broadcast(event, event.type, { eventId: `${event.epoch}.${event.seq}` });
    },
  };
}

const listen = (http: ReturnType<typeof createServer>) =>
  new Promise<number>((resolve) => {
    http.listen(0, '127.0.0.1', () => {
      const address = http.address();
      resolve(typeof address === 'object' && address ? address.port : 0);
    });
  });

const subscribe = '420["command",{"op":"Subscribe","id":"1","topics":["run:1"]}]';

export const cases: readonly BenchCase[] = [
  { name: 'rivulet ws (uws)', path: '/api/ws?topics=run:1', headers: [...upgrade, key], start: () => ours(uwsAdapter) },
  {
    name: 'rivulet ws (node)',
    path: '/api/ws?topics=run:1',
    headers: [...upgrade, key],
    start: () => ours(nodeAdapter),
  },
  {
    name: 'rivulet socket.io (uws)',
    path: socketIoPath,
    headers: upgrade,
    frames: ['40{"token":"bench"}', subscribe],
    start: () => ours(uwsAdapter),
  },
  { name: 'ws loop', path: '/', headers: upgrade, start: wsLoop },
  { name: 'socket.io on ws', path: socketIoPath, headers: upgrade, frames: ['40'], start: socketIo },
  {
    name: 'rivulet sse (uws)',
    path: '/api/events?topics=run:1',
    headers: [eventStream, key],
    start: () => ours(uwsAdapter),
  },
  {
    name: 'rivulet sse (node)',
    path: '/api/events?topics=run:1',
    headers: [eventStream, key],
    start: () => ours(nodeAdapter),
  },
  { name: 'better-sse on node:http', path: '/', headers: [eventStream], start: betterSse },
  ...(hasNchan()
    ? [
        { name: 'nchan ws', path: '/sub', headers: upgrade, start: startNchan },
        { name: 'nchan sse', path: '/sub', headers: [eventStream], start: startNchan },
      ]
    : []),
];
