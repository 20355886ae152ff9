// A client's connection over any transport: its caller, its subscriptions, and its counters.
import type { Caller } from '../../contract/caller.ts';
import type { RealtimeTransport } from '../../contract/enums.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Hub } from '../hub/hub.ts';
import type { Outlet } from '../hub/outlet.ts';
import type { EventFilter, Quota, Subscription } from '../hub/subscription.ts';
import type { Viewer } from '../hub/viewer.ts';
import { parseComposite, parseCursor } from '../log/cursor.ts';
import { ownTopic, topicKey } from '../log/topics.ts';

/** Port of the transport, besides taking events. */
export interface Link extends Outlet {
  readonly bufferedBytes: number;
  /** Sends a heartbeat. */
  beat(): void;
  /** Closes the connection with a close code of the interface; transports without codes just end. */
  close(code: number, reason: string): void;
  /** Sends a call to the client; absent where the transport has only one direction. */
  call?(command: ServerCall): void;
  /** Tells the client that a topic is no longer served to this caller. */
  dropped(topic: string, fault: Fault): void;
}

/** A RealtimeCommand with which the server calls a tool of the client. */
export interface ServerCall {
  op: 'Call';
  id: string;
  topics: null;
  topic: null;
  lastEventId: null;
  type: string;
  data: Record<string, unknown>;
}

export interface ConnectionInfo {
  id: string;
  transport: RealtimeTransport;
  caller: Caller;
  /** Topics that its ticket allows; null for all. */
  allowed: readonly string[] | null;
  ip: string;
  userAgent: string | null;
  heartbeatMs: number;
  clock: Clock;
  /** Quota of its principal, shared with the principal's other connections. */
  quota: Quota;
}

export interface FollowOptions {
  topics: readonly string[];
  lastEventId: string | null;
  /** Without a cursor: start with the events of so many last seconds. */
  replaySeconds?: number;
  filter?: EventFilter | null;
  /** True continues after the end of a run or tree, for events after a restart. */
  follow?: boolean;
  /** True omits null fields of payloads. */
  lean?: boolean;
}

export type Authorise = (caller: Caller, topic: string) => Promise<void>;

export class Connection {
  readonly id: string;
  readonly transport: RealtimeTransport;
  readonly allowed: readonly string[] | null;
  readonly ip: string;
  readonly userAgent: string | null;
  readonly connectedAt: number;
  readonly heartbeatMs: number;
  readonly viewer: Viewer;
  readonly link: Link;
  readonly #hub: Hub;
  readonly #clock: Clock;
  caller: Caller;
  /** When the client was last heard of, as it is shown; the two below are times by the steady clock. */
  lastSeenAt: number;
  heardAt: number;
  beatAt: number;
  messagesIn = 0;
  messagesOut = 0;
  bytesOut = 0;
  closed = false;

  constructor(hub: Hub, link: Link, info: ConnectionInfo) {
    this.#hub = hub;
    this.#clock = info.clock;
    this.link = link;
    this.id = info.id;
    this.transport = info.transport;
    this.caller = info.caller;
    this.allowed = info.allowed;
    this.ip = info.ip;
    this.userAgent = info.userAgent;
    this.heartbeatMs = info.heartbeatMs;
    this.connectedAt = info.clock.now();
    this.lastSeenAt = this.connectedAt;
    this.heardAt = info.clock.steady();
    this.beatAt = this.heardAt + info.heartbeatMs;
    this.viewer = hub.attach(link, info.quota);
  }

  /** Notes a sign of life of the client. */
  seen(): void {
    this.lastSeenAt = this.#clock.now();
    this.heardAt = this.#clock.steady();
  }

  /** The subscription of a public topic name. */
  subscriptionOf(topic: string): Subscription | undefined {
    return this.viewer.subscriptions.find((subscription) => subscription.topic === topic);
  }

  get topics(): string[] {
    return this.viewer.subscriptions.map((subscription) => subscription.topic);
  }

  /** The largest lag of its topics, in events; null without topics. */
  get lag(): number | null {
    const { subscriptions } = this.viewer;
    return subscriptions.length === 0 ? null : Math.max(...subscriptions.map((subscription) => subscription.lag));
  }

  /** The filter, plus the projects hidden from the caller at that moment. Administrators read batches unfiltered. */
  #filterOf(filter: EventFilter | null): EventFilter | null {
    if (!this.caller.projects) return filter;
    const hidden = () => this.caller.projects?.hidden;
    return { types: null, includeDeltas: true, ...filter, hidden };
  }

  /**
   * Subscribes to topics, all or none. A topic that is subscribed already restarts where a cursor is given for it, and
   * stays as it is otherwise.
   *
   * @throws Fault INVALID_CURSOR, FORBIDDEN, NOT_FOUND, CONCURRENCY_LIMITED
   */
  async follow(options: FollowOptions, authorise: Authorise, limit: number): Promise<Subscription[]> {
    const topics = [...new Set(options.topics)];
    const ids = options.lastEventId === null ? new Map() : parseComposite(options.lastEventId, topics);
    const cursors = new Map(topics.map((topic) => [topic, this.#cursor(ids.get(topic) ?? null)]));
    const more = topics.filter((topic) => !this.subscriptionOf(topic)).length;
    if (this.viewer.subscriptions.length + more > limit) throw tooManyTopics(limit);
    for (const topic of topics) await this.authorise(topic, authorise);
    const added: Subscription[] = [];
    const fresh: Subscription[] = [];
    try {
      const { replaySeconds = 0, follow = false, lean = false } = options;
      const filter = this.#filterOf(options.filter ?? null);
      const from = replaySeconds > 0 ? { since: this.#hub.clock.now() - replaySeconds * 1000 } : {};
      for (const topic of topics) {
        const cursor = cursors.get(topic) ?? null;
        const known = this.subscriptionOf(topic);
        if (known && cursor === null) {
          added.push(known);
          continue;
        }
        if (known) this.viewer.unsubscribe(known);
        const key = topicKey(this.caller.tenantId, ownTopic(this.caller, topic));
        fresh.push(await this.viewer.subscribe({ key, cursor, filter, untilEnd: !follow, lean, ...from }));
        added.push(...fresh.slice(-1));
      }
    } catch (error) {
      for (const subscription of fresh) this.viewer.unsubscribe(subscription);
      throw error;
    }
    return added;
  }

  /** @throws Fault FORBIDDEN, NOT_FOUND */
  async authorise(topic: string, authorise: Authorise): Promise<void> {
    if (this.allowed && topic !== 'me' && !this.allowed.includes(topic)) {
      throw new Fault('FORBIDDEN', `This ticket does not open ${topic}.`, { hint: 'Mint one that names the topic.' });
    }
    await authorise(this.caller, topic);
  }

  unfollow(topic: string): void {
    const known = this.subscriptionOf(topic);
    if (known) this.viewer.unsubscribe(known);
  }

  #cursor(id: string | null) {
    return id === null ? null : parseCursor(id, this.#hub.origin);
  }
}

const tooManyTopics = (limit: number) =>
  new Fault('CONCURRENCY_LIMITED', `A connection may follow ${limit} topics.`, {
    hint: 'Unsubscribe from some, or follow `runs` or `run-tree:{rootRunId}` instead of single runs.',
  });
