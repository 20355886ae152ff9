// What services need of the stream layer: publish events to topics, and follow a topic as data.
import type { RealtimeTransport } from '../contract/enums.ts';

/** A person's own topic, as publishers name it: `me` of user 3 is `me@user:3`. */
export function personalTopic(topic: 'me' | 'chats', owner: { userId: number } | { identityId: number }): string {
  return `${topic}@${'userId' in owner ? `user:${owner.userId}` : `identity:${owner.identityId}`}`;
}

/** Payload by event type: what the groups declare in their `events.ts`; `src/groups/part.ts` fills it. */
// biome-ignore lint/suspicious/noEmptyInterface: the groups fill it, which ports cannot import
export interface Payloads {}
type EventType = keyof Payloads;

export interface Publication<Type extends EventType = EventType> {
  tenantId: number;
  /**
   * Public topic names (`runs`, `run:42`, …). Topics of one person carry their owner, see `personalTopic`.
   * Each topic numbers the event for itself.
   */
  topics: readonly string[];
  type: Type;
  /** The payload that this type declares; read at once, so it may change afterwards. */
  data: Payloads[Type];
  /** Taken from the table of types unless given. */
  durable?: boolean;
  fence?: Fence;
  /** The same where the same event is told again after a crash. */
  key?: string;
  /** The event is published once this has settled; later events wait behind it. */
  after?: Promise<unknown>;
}

/** Proof that the writer still owns what it writes about; the highest token seen in a scope wins. */
export interface Fence {
  /** What is owned, e.g. `run:42`. */
  scope: string;
  token: number;
  /**
   * Sequence of the event within the scope. An event that is not after the newest was published before, by any node: it
   * is dropped. Such events wait for an unreachable broker without a limit.
   */
  order?: number;
}

export interface Publisher {
  /**
   * Appends one event to each of its topics, after all that was published there before.
   * Resolves when a durable event is on disk, or a volatile one is visible to subscribers.
   *
   * @throws Fault ALREADY_CLAIMED when a newer owner writes under this fence; STORE_UNAVAILABLE when a durable
   *   event could not be kept; SHUTTING_DOWN
   */
  publish<Type extends EventType>(publication: Publication<Type>): Promise<void>;
}

/** One event as a follower sees it. */
export interface FollowedEvent {
  /** Cursor that continues after this event. */
  id: string;
  epoch: string;
  seq: number;
  topic: string;
  type: string;
  atUtc: string;
  data: unknown;
  /** Of joined deltas: the first number that the event covers, and where the text of each number ends. */
  first?: number;
  ends?: readonly number[] | null;
}

export interface FollowRequest {
  tenantId: number;
  topic: string;
  /** Cursor to continue from, `0` for all that is kept, null for what comes from now on. */
  lastEventId: string | null;
  /** Without a cursor: start with events at or after this time (ms), as far back as they are kept. */
  since?: number;
  types?: readonly string[];
  /** True ends it when everything that was there at the beginning has been read. */
  untilNow?: boolean;
  signal: AbortSignal;
}

export interface Follower {
  /**
   * Follows a topic: what is missing after the cursor, then live events, each once and in order.
   * Ends when the signal aborts, or as `untilNow` says.
   *
   * @throws Fault INVALID_CURSOR
   */
  follow(request: FollowRequest): AsyncIterable<FollowedEvent>;
}

/** Which live connections to list. */
export interface ConnectionQuery {
  tenantId: number;
  transport?: RealtimeTransport;
  identityId?: number;
  userId?: number;
  topic?: string;
  nodeId?: string;
  sortBy: 'connectedAtUtc' | 'lastSeenAtUtc';
  descending: boolean;
  skip: number;
  take: number;
}
