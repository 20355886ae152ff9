// Where durable events are kept, and how far each topic has been numbered.

/** A place in a topic: its generation (which the epoch names) and the number within it. */
export interface Position {
  gen: number;
  seq: number;
}

export interface StoredEvent extends Position {
  /** `<tenantId>/<topic>`. */
  key: string;
  type: string;
  /** Milliseconds since 1970, UTC. */
  at: number;
  /** The payload as JSON text. */
  body: string;
}

/** A place of an event in one of its topics. */
export interface EventPlace extends Position {
  key: string;
}

/** An event to be kept: its home, by which it is stored, and its places in further topics. */
export interface NewStoredEvent extends StoredEvent {
  also?: readonly EventPlace[];
}

/** How far a topic has been numbered. */
export interface TopicRecord {
  key: string;
  gen: number;
  /** Last number given out; exact only when `dirty` is false. */
  head: number;
  /** True while numbers above `head` may have been given to events that are not stored. */
  dirty: boolean;
}

export interface EventStore {
  /** Random name of this history, made once; part of every epoch. */
  origin(): Promise<string>;
  topic(key: string): Promise<TopicRecord | null>;
  /**
   * Starts a new generation of a topic and returns it; safe to call from several nodes.
   */
  advance(key: string): Promise<number>;
  /**
   * Keeps events and records in one commit; on disk when it resolves. The events of a topic come in its order. With
   * `apart` each is kept by itself, so that any of them can be recognised when it comes again.
   *
   * @throws Fault DUPLICATE
   */
  append(
    events: readonly NewStoredEvent[],
    records: readonly TopicRecord[],
    options?: { apart?: boolean },
  ): Promise<void>;
  /** Events after a position, oldest first, at most `limit`. */
  read(key: string, after: Position, limit: number): Promise<StoredEvent[]>;
  /** The last events of a topic, oldest first. */
  tail(key: string, limit: number): Promise<StoredEvent[]>;
  /** Drops events older than `before` (ms), of keys with this beginning; topics keep their numbering. Returns how many went. */
  trim(before: number, prefix?: string): Promise<number>;
}
