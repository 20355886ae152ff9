// A server of the stream layer alone, for tests with real clients: keys are `key-<user>`, and `forbidden` topics are
// run:13.
import { Server as SocketIoServer } from 'socket.io';
import type { Caller } from '../../contract/caller.ts';
import { Permission } from '../../contract/enums.ts';
import type { HttpAdapter, HttpServer } from '../../http/adapter.ts';
import { systemClock } from '../../kernel/clock.ts';
import { Fault, toFault } from '../../kernel/fault.ts';
import { silentLogger } from '../../kernel/logger.ts';
import type { EventStore } from '../../ports/event-store.ts';
import { MemoryBroker } from '../brokers/one-process.ts';
import { createStreams, type Streams, type StreamsDeps } from '../create.ts';
import { createMemoryEventStore } from '../log/memory-event-store.ts';
import { requireTopic } from '../log/topics.ts';
import { socketIoOptions } from '../transports/socketio.ts';

export interface TestServer {
  url: string;
  wsUrl: string;
  streams: Streams;
  store: EventStore;
  /** Revoked keys, and callers who lost their permission for run:7. */
  revoked: Set<string>;
  demoted: Set<number>;
  close(): Promise<void>;
  /** Ends without any further message, as a killed process does; `cut` cuts its connections. */
  die(cut: () => void): Promise<void>;
}

/** Caller of a test key. */
export function testCaller(userId: number, change: Partial<Caller> = {}): Caller {
  return {
    tenantId: 1,
    kind: 'User',
    userId,
    identityId: null,
    keyId: userId,
    sessionId: null,
    originKeyId: null,
    name: `user ${userId}`,
    role: 'Owner',
    rank: 6,
    permissions: new Set(Permission.options),
    managesAccount: true,
    provenAt: null,
    expiresAt: null,
    lendsUntil: null,
    ...change,
  };
}

/** The stream layer on memory, with the callers of test keys. */
export async function testStreams(options: Partial<StreamsDeps> = {}) {
  const revoked = new Set<string>();
  const demoted = new Set<number>();
  const fromToken = async (token: string): Promise<Caller> => {
    const userId = Number(/^key-(\d+)$/.exec(token)?.[1]);
    if (!userId || revoked.has(token)) throw new Fault('UNAUTHENTICATED', 'This key is not known.');
    return testCaller(userId);
  };
  const store = options.store ?? createMemoryEventStore();
  const streams = await createStreams({
    broker: new MemoryBroker({ store, clock: systemClock }),
    store,
    auth: {
      fromToken,
      authenticate: (authorization) => fromToken(authorization.replace('Bearer ', '')),
      refresh: (caller) => fromToken(`key-${caller.userId}`),
    },
    authorise: async (caller, topic) => {
      requireTopic(caller, topic);
      const forbidden = topic === 'run:13' || (topic === 'run:7' && demoted.has(caller.userId ?? 0));
      if (forbidden) throw new Fault('FORBIDDEN', `Topic ${topic} is not yours.`);
    },
    clock: systemClock,
    log: silentLogger,
    nodeId: 'test',
    ...options,
  });
  return { streams, store, revoked, demoted, fromToken };
}

/** Starts the server on a free port of the loopback. */
export async function startTestServer(adapter: HttpAdapter, options: Partial<StreamsDeps> = {}): Promise<TestServer> {
  const { streams, store, revoked, demoted, fromToken } = await testStreams(options);
  const io = new SocketIoServer(socketIoOptions([]));
  streams.attachSocketIo(io);
  const server: HttpServer = await adapter({
    host: '127.0.0.1',
    port: 0,
    webSocket: streams.webSocket,
    socketIo: io,
    handle: async (exchange) => {
      try {
        const query = new URLSearchParams(exchange.query);
        const caller = await fromToken((exchange.header('authorization') ?? '').replace('Bearer ', ''));
        await streams.respond(exchange, {
          caller,
          reply: {
            kind: 'topics',
            topics: (query.get('topics') ?? '').split(','),
            lastEventId: exchange.header('last-event-id') ?? query.get('lastEventId'),
            types: query.get('types')?.split(',') ?? null,
            includeDeltas: query.get('includeDeltas') !== 'false',
            replaySeconds: Number(query.get('replaySeconds') ?? 0),
            heartbeatSeconds: Number(query.get('heartbeatSeconds') ?? 15),
          },
        });
      } catch (error) {
        const fault = toFault(error);
        exchange.send(fault.status, [['content-type', 'application/json']], JSON.stringify({ errorCode: fault.code }));
      }
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    wsUrl: `ws://127.0.0.1:${server.port}/api/ws`,
    streams,
    store,
    revoked,
    demoted,
    die: async (cut) => {
      server.stopListening();
      cut();
      await io.close().catch(() => undefined);
      await server.close();
    },
    close: async () => {
      streams.drain();
      await io.close().catch(() => undefined);
      await server.close();
      await streams.close();
    },
  };
}
