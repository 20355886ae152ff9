// The stream layer with its broker, and the rule who may follow what.
import { Server as SocketIoServer } from 'socket.io';
import type { RunSignal } from '../../runtime/ports.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import type { Caller } from '../contract/caller.ts';
import type { IdTopic } from '../contract/topics.ts';
import { eventTypes } from '../groups/events.ts';
import type { Hearing } from '../groups/hearing.ts';
import { type MayRead, type TopicBase, topicRules } from '../groups/part.ts';
import { parts } from '../groups/parts.ts';
import type { ReadyChange } from '../groups/ready-matchers.ts';
import type { LetThrough } from '../http/shared-limiter.ts';
import type { ClientAddress } from '../kernel/client-address.ts';
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Publication, Publisher } from '../ports/stream.ts';
import type { Bump } from '../ports/versions.ts';
import { noteActivities } from '../projects/publishing.ts';
import type { Broker } from '../stream/brokers/broker.ts';
import { checkedPublisher } from '../stream/brokers/checked-publisher.ts';
import { MemoryBroker } from '../stream/brokers/one-process.ts';
import type { openRedis, RedisParts } from '../stream/brokers/redis/open.ts';
import { createStreams, type StreamsDeps } from '../stream/create.ts';
import { createDbEventStore } from '../stream/log/db-event-store.ts';
import { StreamMemory } from '../stream/log/memory-budget.ts';
import { parseTopic, requireTopic } from '../stream/log/topics.ts';
import { socketIoOptions } from '../stream/transports/socketio.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { RouterChange } from './models.ts';
import type { NodeSignal } from './nodes.ts';
import type { Storage } from './storage.ts';
import type { AtWork } from './work-elsewhere.ts';

/** What sockets mean for runs and identities. */
export type SocketHooks = Required<Pick<StreamsDeps, 'onPublish' | 'onPresence' | 'isToolName'>>;

interface Deps {
  storage: Storage;
  authenticator: Authenticator;
  clock: Clock;
  log: Logger;
  nodeId: string;
  metrics: Metrics;
  /** Address of Redis, with which several processes share their streams. */
  redisUrl: string | null;
  clientAddress: ClientAddress;
  /** Connections that one key or user may have. */
  connectionsPerKey: number;
  /** Holds every event against its schema: a wrong one is an error in the log. For tests. */
  checkEvents: boolean;
  /** Origins whose pages may use socket.io's polling. */
  corsOrigins: readonly string[];
  /** Subscriptions of one key or user on this node, and the different topics they follow. */
  subscriptionsPerKey: number;
  topicsPerKey: number;
  /** Bytes that streams may take; null leaves it to the size of the heap. */
  streamBytes: number | null;
  /** What sockets mean for the parts that are put together later. */
  sockets: SocketHooks;
  /** Hears of each event that is kept, before it is told; null when nothing waits for it. */
  hear: Hearing['hear'];
}

export async function openStreams(deps: Deps) {
  const { storage, authenticator, clock, nodeId, metrics, redisUrl, clientAddress, sockets } = deps;
  const log = deps.log.child({ domain: 'Realtime' });
  const { connectionsPerKey: perPrincipal, subscriptionsPerKey, topicsPerKey } = deps;
  const limits = { perPrincipal, subscriptionsPerPrincipal: subscriptionsPerKey, topicsPerPrincipal: topicsPerKey };
  const memory = new StreamMemory(deps.streamBytes ?? undefined);
  const store = createDbEventStore(storage.db);
  const origin = await store.origin();
  const redis =
    redisUrl === null ? null : await openShared({ url: redisUrl, origin, store, clock, log, nodeId, memory });
  const broker = redis?.broker ?? new MemoryBroker({ store, clock, memory });
  const shared = redis ? { tickets: redis.tickets } : {};
  const authorise = createAuthorise(storage, clock);
  const { db, ids } = storage;
  // Before connections are checked again, which the same signals ask for.
  broker.onSignal(({ kind }) => {
    if (kind === 'recheck' || kind === 'reconnected') authenticator.forget();
  });
  if (redis) storage.versions.join(signalsOf<Bump>(broker, nodeId, 'versions'));
  const streams = await createStreams({
    broker,
    store,
    auth: authenticator,
    authorise,
    clock,
    log,
    nodeId,
    clientAddress,
    limits,
    memory,
    ...shared,
    ...sockets,
  });
  const socketIo = new SocketIoServer(socketIoOptions(deps.corsOrigins));
  streams.attachSocketIo(socketIo);
  metrics.gauge('connections', 'Open sockets and event streams.', () => streams.gauges().connections);
  metrics.gauge('topics', 'Topics with subscribers.', () => streams.gauges().topics);
  metrics.gauge('stream_bytes', 'Bytes that streams hold, by holder.', () => memory.held, 'holder');
  metrics.gauge('stream_counters', 'Counters of the stream layer.', () => ({ ...streams.metrics }), 'counter');
  const close = async () => {
    await streams.close();
    redis?.close();
  };
  return {
    ...streams,
    /** Holds who publishes to the declared types and payloads. */
    publisher: heardBy(
      noteActivities({
        publisher: (deps.checkEvents ? checkedPublisher(streams.publisher, log) : streams.publisher) as Publisher,
        db,
        ids,
        clock,
        log,
      }),
      deps,
    ),
    close,
    socketIo,
    authorise,
    ...betweenNodes(redis, broker, nodeId),
  };
}
export type OpenStreams = Awaited<ReturnType<typeof openStreams>>;

/** A publisher whose events that are kept are heard as they are published; what waits for one is done when it is. */
const heardBy = (publisher: Publisher, { hear }: Pick<Deps, 'hear'>): Publisher => ({
  publish: (publication) => {
    const isKept = publication.durable ?? eventTypes[publication.type].durable;
    const heard = isKept ? hear(publication as Publication) : null;
    if (heard === null) return publisher.publish(publication);
    const told = publisher.publish({ ...publication, after: heard.kept });
    return Promise.all([told, heard.taken]).then(() => {});
  },
});

/** How the parts of several nodes reach each other; null where this is the only one. */
const betweenNodes = (redis: RedisParts | null, broker: Broker, nodeId: string) => ({
  /** Between the engines of several nodes, which wake each other. */
  engineSignals: redis ? signalsOf<RunSignal>(broker, nodeId, 'engine') : null,
  /** Between the schedulers of several nodes. */
  workSignals: redis ? signalsOf<AtWork>(broker, nodeId, 'work') : null,
  /** Between the nodes, of how they are. */
  nodeSignals: redis ? signalsOf<NodeSignal>(broker, nodeId, 'reports') : null,
  /** What Redis says of itself; null without one. */
  redisFigures: redis?.figures,
  /** Between the nodes, of changes of models, providers and routes. */
  routerSignals: redis ? signalsOf<RouterChange>(broker, nodeId, 'models') : null,
  /** Between the nodes, of changes of what waits for events: of one kind, each with its own name. */
  readySignals: (what: string) => (redis ? signalsOf<ReadyChange>(broker, nodeId, `ready: ${what}`) : null),
  /** Between the rate limiters of several nodes. */
  limitSignals: redis ? signalsOf<LetThrough>(broker, nodeId, 'limits') : null,
});

/** Messages of one kind from each node to all others; may be lost. */
function signalsOf<Message>(broker: Broker, nodeId: string, channel: string) {
  return {
    send: (signal: Message): void => broker.signal({ kind: channel, from: nodeId, signal }),
    listen: (handler: (signal: Message) => void): (() => void) =>
      broker.onSignal(({ kind, from, signal }) => {
        if (kind === channel && from !== nodeId) handler(signal as Message);
      }),
  };
}

/** The client of Redis is loaded only where there is one to speak to. */
async function openShared(deps: Parameters<typeof openRedis>[0]) {
  const redis = await import('../stream/brokers/redis/open.ts');
  return redis.openRedis(deps);
}

/** The same rule as the REST read: the permission of the topic, and the thing itself must be there for the caller. */
function createAuthorise({ db, auth, runs }: Storage, clock: Clock) {
  const base: TopicBase = { db, clock, auth, findRun: runs.runs.get };
  // A topic for which no part has a rule does not compile.
  const rules: Record<IdTopic, MayRead> = topicRules(parts, base);
  return async (caller: Caller, topic: string): Promise<void> => {
    requireTopic(caller, topic);
    const { pattern, id } = parseTopic(topic);
    if (id === null) return;
    const mayRead = rules[pattern.replace(':*', '') as IdTopic];
    if (!(await mayRead(caller, id)))
      throw new Fault('NOT_FOUND', `There is nothing to follow at ${topic}.`, {
        hint: 'Check the id; it must belong to your tenant.',
      });
  };
}
