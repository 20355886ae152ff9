// Assembly of the stream layer: the parts that the rest of the server uses.
import type { Server as SocketIoServer } from 'socket.io';
import type { StreamReply } from '../contract/replies.ts';
import type { Exchange, WebSocketRoute } from '../http/adapter.ts';
import type { ClientAddress } from '../kernel/client-address.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import type { AgentTools } from '../ports/agent-tools.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { Follower, Payloads } from '../ports/stream.ts';
import type { TicketStore } from '../ports/tickets.ts';
import { createAgentTools } from './agents/across-nodes.ts';
import { createLocalCalls, type LocalCalls } from './agents/local-calls.ts';
import type { Broker } from './brokers/broker.ts';
import { createNodes, type Nodes } from './brokers/nodes.ts';
import { type AnyPublisher, createPublisher } from './brokers/publisher.ts';
import type { Authorise, Connection } from './connections/connection.ts';
import { type ConnectionDto, connectionDto } from './connections/connection-dto.ts';
import { type ConnectionList, createConnectionList } from './connections/connection-list.ts';
import {
  type ConnectionLimits,
  Connections,
  defaultConnectionLimits,
  type PrincipalMatch,
} from './connections/connections.ts';
import { createPrincipals } from './connections/principals.ts';
import { createFollower } from './hub/follower.ts';
import { Hub } from './hub/hub.ts';
import { StreamMemory } from './log/memory-budget.ts';
import { createStreamMetrics, type StreamMetrics } from './log/metrics.ts';
import { topicKey } from './log/topics.ts';
import type { SocketHooks } from './transports/commands.ts';
import { createDurable } from './transports/durable/durable.ts';
import type { StreamAuth } from './transports/entrance.ts';
import { attachSocketIo } from './transports/socketio.ts';
import { createSse, type SseRequest } from './transports/sse.ts';
import { createMemoryTicketStore, createTickets, type Tickets } from './transports/tickets.ts';
import { createWebSocketRoute } from './transports/ws.ts';

export interface StreamsDeps {
  broker: Broker;
  store: EventStore;
  auth: StreamAuth;
  /** Whether a caller may read a topic: the same rule as the REST read. @throws Fault */
  authorise: Authorise;
  clock: Clock;
  log: Logger;
  nodeId: string;
  tickets?: TicketStore;
  limits?: Partial<ConnectionLimits>;
  /** Memory limit of streams in this process; the broker counts in the same budget. */
  memory?: StreamMemory;
  /** Handler of a client's `Publish`, e.g. progress of a run that the client owns. */
  onPublish?: NonNullable<SocketHooks['publish']>;
  onPresence?: (change: { tenantId: number; identityId: number; online: boolean }) => void;
  /** Whether a tool name is reserved, so that agents cannot use it. */
  isToolName?: (name: string) => boolean;
  /** Client addresses of socket.io connections; other transports get them from their server. */
  clientAddress?: ClientAddress;
}

export type Respond = (
  exchange: Exchange,
  request: Omit<SseRequest, 'reply'> & { reply: StreamReply },
) => Promise<void>;

export interface Streams {
  publisher: AnyPublisher;
  follower: Follower;
  tickets: Tickets;
  /** Tools that connected agents offer to runs. */
  agentTools: AgentTools;
  /** Answers a request with an event stream, or as the Durable Streams protocol does. @throws Fault */
  respond: Respond;
  webSocket: WebSocketRoute;
  /** Serves a socket.io server made with `socketIoOptions`. */
  attachSocketIo(io: SocketIoServer): void;
  /** Live connections of this node that a tenant may see. */
  connections(tenantId: number): ConnectionDto[];
  /** Live connections of all nodes. */
  pageOfConnections: ConnectionList['page'];
  /** The last durable events of a topic, by key, including those that a dead node did not store. */
  tail: EventStore['tail'];
  /** Publishes a volatile event on a tenant's `system` topic, if it may have subscribers. */
  tell<Type extends keyof Payloads>(
    tenantId: number,
    type: Type,
    describe: () => Payloads[Type] | Promise<Payloads[Type]>,
  ): void;
  /** Checks these principals' rights again on every node; call after a key, role or permission has changed. */
  recheck(match: PrincipalMatch): void;
  /** Closes all connections with a request to reconnect later, and accepts no more. */
  drain(): void;
  /** Stops cleanly; call after `drain`, when no publisher is left. */
  close(): Promise<void>;
  metrics: StreamMetrics;
  /** Present values, besides the counters. */
  gauges(): { connections: number; eventStreams: number; topics: number };
  /** Bytes that streams hold in this process, by holder. */
  memory: StreamMemory;
}

/** Retention in ms of durable events: an older cursor gets `stream.gap`. */
const retentionMs = 30 * 86_400_000;
const trimEveryMs = 3_600_000;

/** The stream layer. */
export async function createStreams(deps: StreamsDeps): Promise<Streams> {
  const { broker, store, clock, log, nodeId, auth, authorise } = deps;
  const metrics = createStreamMetrics();
  const memory = deps.memory ?? new StreamMemory();
  const hub = new Hub({ broker, store, clock, log, metrics, origin: await store.origin(), memory });
  const publisher = createPublisher({ broker, clock, metrics });
  const tell = tellerOf(deps, hub, publisher);
  const announce = (type: 'connection.opened' | 'connection.closed', connection: Connection) =>
    tell(connection.caller.tenantId, type, () => connectionDto(connection, nodeId));
  const nodes = createNodes({ broker, clock, nodeId });
  const { localCalls, agentTools, hooks } = createAgents(deps, nodes);
  const limits = { ...defaultConnectionLimits, ...deps.limits };
  const principals = createPrincipals({ ...principalLimits(limits), broker, nodes, clock, nodeId });
  const connections = new Connections({
    hub,
    clock,
    log,
    nodeId,
    authorise,
    limits,
    principals,
    refresh: auth.refresh,
    onOpened: (opened) => announce('connection.opened', opened),
    onClosed: (closed) => {
      localCalls.left(closed);
      announce('connection.closed', closed);
    },
    ...(deps.onPresence ? { onPresence: deps.onPresence } : {}),
  });
  const list = createConnectionList({ connections, broker, nodes, clock, nodeId });
  const tickets = createTickets({ store: deps.tickets ?? createMemoryTicketStore(clock), clock });
  const addresses = deps.clientAddress ? { clientAddress: deps.clientAddress } : {};
  const sockets = { connections, hooks, log, auth, tickets, clock, ...addresses };

  const tail = tailOf(deps);
  const respond = responder({ ...deps, connections, origin: hub.origin, tail });
  const stopUpkeep = startUpkeep({ connections, broker, store, clock, log });

  return {
    publisher,
    follower: createFollower(hub),
    tickets,
    agentTools,
    metrics,
    memory,
    respond,
    webSocket: createWebSocketRoute(sockets),
    attachSocketIo: (io) => attachSocketIo(io, sockets),
    connections: (tenantId) => dtosOf(connections, nodeId, tenantId),
    pageOfConnections: list.page,
    tell,
    tail,
    recheck: (match) => broker.signal({ kind: 'recheck', match }),
    drain: () => connections.drain(),
    close: async () => {
      connections.drain();
      stopUpkeep();
      agentTools.stop();
      list.stop();
      principals.stop();
      nodes.stop();
      await broker.close();
    },
    gauges: () => gaugesOf(connections, hub),
  };
}

/** The last durable events of a topic, those that a dead node did not store included. */
const tailOf =
  ({ broker, store }: Pick<StreamsDeps, 'broker' | 'store'>): EventStore['tail'] =>
  async (key, limit) => {
    await broker.settle(key);
    return store.tail(key, limit);
  };

interface Responding extends Pick<StreamsDeps, 'store' | 'clock' | 'log'> {
  connections: Connections;
  origin: string;
  tail: EventStore['tail'];
}

/** Event streams of our own form, and those of the Durable Streams protocol. */
function responder({ connections, clock, log, store, origin, tail }: Responding): Respond {
  const events = createSse({ connections, clock, log });
  const durable = createDurable({ connections, clock, origin, tail, read: store.read });
  return async (exchange, { reply, allowed = null, headers = [], caller }) => {
    if (reply.kind === 'durable') return durable(exchange, { caller, allowed, headers, reply });
    return events(exchange, { caller, allowed, headers, reply });
  };
}

/** Publisher of operators' events. */
function tellerOf({ broker, log }: StreamsDeps, hub: Hub, publisher: Streams['publisher']): Streams['tell'] {
  return (tenantId, type, describe) => {
    // Thousands of clients may reconnect at once after a restart: without a subscriber nothing is published.
    if (!broker.shared && !hub.isFollowed(topicKey(tenantId, 'system'))) return;
    const publish = async () => publisher.publish({ tenantId, topics: ['system'], type, data: await describe() });
    publish().catch((error: unknown) => log.debug({ err: error, type }, 'the system was not told'));
  };
}

/** Limits of one key or user. */
const principalLimits = (limits: ConnectionLimits) => ({
  limit: limits.perPrincipal,
  subscriptions: limits.subscriptionsPerPrincipal,
  topics: limits.topicsPerPrincipal,
});

/** Tools of connected agents: local calls, calls across nodes, and the hooks of sockets. */
function createAgents({ broker, clock, nodeId, isToolName, onPublish }: StreamsDeps, nodes: Nodes) {
  const localCalls: LocalCalls = createLocalCalls({
    clock,
    nodeId,
    onChange: (...who) => agentTools.changed(...who),
    ...(isToolName ? { isTaken: isToolName } : {}),
  });
  const agentTools = createAgentTools({ localCalls, broker, nodes, clock, nodeId });
  const hooks: SocketHooks = {
    call: async (connection, type, data) => localCalls.register(connection, type, data),
    ack: agentTools.answer.bind(agentTools),
    ...(onPublish ? { publish: onPublish } : {}),
  };
  return { localCalls, agentTools, hooks };
}

const gaugesOf = (connections: Connections, hub: Hub) => ({
  connections: connections.size,
  eventStreams: Array.from(connections.list()).filter(({ transport }) => transport === 'Sse').length,
  topics: hub.topics,
});

/** Connections of a tenant on this node, as operators see them. */
const dtosOf = (connections: Connections, nodeId: string, tenantId: number): ConnectionDto[] =>
  Array.from(connections.list())
    .filter(({ caller }) => caller.tenantId === tenantId)
    .map((connection) => connectionDto(connection, nodeId));

interface Kept extends Pick<StreamsDeps, 'broker' | 'store' | 'clock' | 'log'> {
  connections: Connections;
}

/**
 * Sweeps stalled connections and idle topics, drops old events, and checks permissions again when told to; returns
 * how to stop.
 */
function startUpkeep({ connections, broker, store, clock, log }: Kept): () => void {
  const stopSweep = clock.every(1000, () => {
    connections.sweep();
    broker.sweep();
  });
  const stopTrim = clock.every(trimEveryMs, () => {
    store.trim(clock.now() - retentionMs).catch((error: unknown) => {
      log.warn({ err: error }, 'old events could not be dropped');
    });
  });
  const stopSignals = broker.onSignal((message) => {
    if (message.kind !== 'recheck' && message.kind !== 'reconnected') return;
    // After `reconnected`, signals of other nodes may have been missed: all rights are checked.
    const match = message.kind === 'recheck' ? (message.match as PrincipalMatch) : {};
    connections
      .recheck(match)
      .catch((error: unknown) => log.error({ err: error }, 'connections could not be checked again'));
  });
  return () => {
    stopSweep();
    stopTrim();
    stopSignals();
  };
}
