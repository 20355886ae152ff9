// Broker of one process: durable events are stored before they are published, and concurrent writers share a commit.
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { EventPlace, EventStore, NewStoredEvent, StoredEvent, TopicRecord } from '../../ports/event-store.ts';
import { isEndOf } from '../log/events.ts';
import { costs, StreamMemory } from '../log/memory-budget.ts';
import { defaultWindowLimits, Window, type WindowLimits } from '../log/window.ts';
import type { Broker, NewEvent } from './broker.ts';
import { createFences, type Fences } from './fences.ts';
import { createSignals } from './signals.ts';

export interface MemoryBrokerOptions {
  store: EventStore;
  clock: Clock;
  limits?: WindowLimits;
  /** Memory limit of all topics together. */
  memory?: StreamMemory;
  /** Time in ms that an idle topic stays in memory after its last event. */
  idleMs?: number;
}

/** Default idle time in ms: deltas stay replayable for ten minutes, memory permitting. */
const defaultIdleMs = 600_000;
/** Limit of events per commit; more wait for the next one. */
const commitEvents = 4096;
/** Time in ms after which a new event counts as a new use of its topic. */
const touchMs = 1000;

interface Topic {
  window: Window;
  pins: number;
  /** Events of this topic that wait for a commit. */
  waiting: number;
  /** True when the store knows that numbers above the last stored event may have been used. */
  marked: boolean;
  /** Highest number known to the store, by the topic's last event or its record. */
  storedHead: number;
}

interface Waiting {
  event: NewEvent;
  topics: Topic[];
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** The broker of a single process. */
export class MemoryBroker implements Broker {
  readonly shared = false;
  readonly #store: EventStore;
  readonly #clock: Clock;
  readonly #limits: WindowLimits;
  readonly #idleMs: number;
  readonly #memory: StreamMemory;
  /** Topics roughly in order of use, least recent first. */
  readonly #topics = new Map<string, Topic>();
  /** Topics whose subject has ended, in the order of their ends: they are evicted first. */
  readonly #ended = new Set<Topic>();
  readonly #loading = new Map<string, Promise<Topic>>();
  readonly #fences: Fences = createFences();
  readonly #signals = createSignals();
  readonly signal = this.#signals.send;
  readonly onSignal = this.#signals.listen;
  #origin: string | null = null;
  #queue: Waiting[] = [];
  /** Events that wait for topics to be loaded, and so are not in those topics' counts. */
  #unplaced = 0;
  #committing: Promise<void> | null = null;
  #evicting: Promise<void> | null = null;
  #lastWrite: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: MemoryBrokerOptions) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#limits = options.limits ?? defaultWindowLimits;
    this.#idleMs = options.idleMs ?? defaultIdleMs;
    this.#memory = options.memory ?? new StreamMemory();
  }

  append(event: NewEvent): Promise<void> {
    if (this.#closed) return Promise.reject(shuttingDown());
    if (event.fence) {
      const refusal = this.#fences.check(event.fence);
      if (refusal) return Promise.reject(refusal);
    }
    const topics = event.keys.map((key) => this.#topics.get(key));
    if (!event.durable && this.#unplaced === 0 && topics.every((topic) => topic?.marked && topic.waiting === 0)) {
      for (const topic of topics) this.#take(topic as Topic, event);
      this.#makeRoom();
      return Promise.resolve();
    }
    return this.#enqueue(event);
  }

  async open(key: string): Promise<Window> {
    const topic = await this.#hold(key, (held) => held.pins++);
    return topic.window;
  }

  release(key: string): void {
    const topic = this.#topics.get(key);
    if (!topic) return;
    topic.pins--;
    // A topic without events was only read.
    if (topic.window.size.entries === 0) this.#drop(topic);
  }

  /** No other nodes exist. */
  async refresh(): Promise<void> {}

  /** Events held only in memory have not been acknowledged. */
  async settle(): Promise<void> {}

  sweep(): void {
    const idleSince = this.#clock.now() - this.#idleMs;
    const idle: Topic[] = [];
    for (const topic of this.#topics.values()) {
      topic.window.trim();
      topic.window.forgetBatches();
      if (topic.pins === 0 && topic.waiting === 0 && topic.window.lastChangeAt < idleSince) idle.push(topic);
    }
    this.#leave(idle);
    this.#memory.lookAgain();
    this.#makeRoom();
  }

  /** Number of topics in memory. */
  get size(): number {
    return this.#topics.size;
  }

  async close(): Promise<void> {
    this.#closed = true;
    while (this.#committing) await this.#committing;
    await this.#evicting;
    await this.#settle([...this.#topics.values()]);
  }

  #enqueue(event: NewEvent): Promise<void> {
    return new Promise((resolve, reject) => {
      // `#commit` loads missing topics before numbers are given.
      const waiting: Waiting = { event, topics: [], resolve, reject };
      for (const key of event.keys) {
        const topic = this.#topics.get(key);
        if (!topic) break;
        topic.waiting++;
        waiting.topics.push(topic);
      }
      if (waiting.topics.length < event.keys.length) this.#unplaced++;
      this.#queue.push(waiting);
      this.#committing ??= this.#commitAll();
    });
  }

  async #commitAll(): Promise<void> {
    // One turn of the event loop gathers events that its callers publish together.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, commitEvents);
      try {
        await this.#commit(batch);
      } catch (error) {
        await this.#recover(batch, error);
      }
    }
    // Cleared in the same step as the last check of the queue: later events start a new pass.
    this.#committing = null;
  }

  async #commit(batch: Waiting[]): Promise<void> {
    for (const { event } of batch) if (event.after) await event.after;
    for (const waiting of batch) {
      // Topics that were not in memory when the event arrived.
      const missing = waiting.event.keys.slice(waiting.topics.length);
      for (const key of missing) {
        waiting.topics.push(await this.#hold(key, (held) => held.waiting++));
      }
      if (missing.length > 0) this.#unplaced--;
    }
    const { events, records, marked } = this.#number(batch);
    if (events.length > 0 || records.length > 0) await this.#write(events, records);
    for (const topic of marked) topic.marked = true;
    for (const waiting of batch) {
      for (const topic of waiting.topics) {
        topic.waiting--;
        this.#take(topic, waiting.event);
        if (waiting.event.durable) topic.storedHead = topic.window.head;
      }
      waiting.resolve();
    }
    this.#makeRoom();
  }

  #take(topic: Topic, event: NewEvent): void {
    const { window } = topic;
    if (event.at - window.lastChangeAt >= touchMs) {
      this.#topics.delete(window.key);
      this.#topics.set(window.key, topic);
    }
    window.append(event);
    if (isEndOf(window.topic, event.type)) this.#ended.add(topic);
    else this.#ended.delete(topic);
  }

  /** Rows of a batch. Windows assign the same numbers later, since nothing else is appended meanwhile. */
  #number(batch: Waiting[]): { events: NewStoredEvent[]; records: TopicRecord[]; marked: Set<Topic> } {
    const events: NewStoredEvent[] = [];
    const marked = new Set<Topic>();
    const heads = new Map<Topic, number>();
    for (const { event, topics } of batch) {
      const places: EventPlace[] = [];
      for (const topic of topics) {
        const { key, gen } = topic.window;
        const seq = (heads.get(topic) ?? topic.window.head) + 1;
        heads.set(topic, seq);
        if (event.durable) places.push({ key, gen, seq });
        else if (!topic.marked) marked.add(topic);
      }
      const [home, ...also] = places;
      if (home) events.push({ ...home, type: event.type, at: event.at, body: event.body, also });
    }
    const records = [...marked].map(({ window }) => ({
      key: window.key,
      gen: window.gen,
      head: window.head,
      dirty: true,
    }));
    return { events, records, marked };
  }

  /** Recovers from a failed commit: nothing of the batch is published, and the store is asked what it holds. */
  async #recover(batch: Waiting[], error: unknown): Promise<void> {
    const topics = new Set<Topic>();
    for (const waiting of batch) {
      if (waiting.topics.length < waiting.event.keys.length) this.#unplaced--;
      for (const topic of waiting.topics) {
        topic.waiting--;
        topics.add(topic);
      }
    }
    for (const topic of topics) {
      const [last] = await this.#store.tail(topic.window.key, 1).catch(() => []);
      if (!last || last.gen !== topic.window.gen || last.seq <= topic.window.head) continue;
      topic.window.reset(last.gen, last.seq);
      topic.storedHead = last.seq;
    }
    const fault =
      error instanceof Fault
        ? error
        : new Fault('STORE_UNAVAILABLE', 'The event could not be kept.', { cause: error, hint: 'Try again.' });
    for (const waiting of batch) waiting.reject(fault);
  }

  /** Loads a topic and holds it in the same step, so that it is not evicted in between. */
  async #hold(key: string, hold: (topic: Topic) => void): Promise<Topic> {
    for (;;) {
      const topic = this.#topics.get(key) ?? (await this.#load(key));
      if (this.#topics.get(key) !== topic) continue;
      hold(topic);
      return topic;
    }
  }

  #load(key: string): Promise<Topic> {
    const running = this.#loading.get(key);
    if (running) return running;
    const loading = this.#read(key).finally(() => this.#loading.delete(key));
    this.#loading.set(key, loading);
    return loading;
  }

  async #read(key: string): Promise<Topic> {
    // A topic under eviction must have written its record before it is read again.
    await this.#evicting;
    const [origin, record, [last]] = await Promise.all([
      this.#originOf(),
      this.#store.topic(key),
      this.#store.tail(key, 1),
    ]);
    const place = resume(record, last);
    const window = new Window(key, origin, { ...place, now: this.#clock.now() }, this.#limits, this.#memory);
    const topic: Topic = { window, pins: 0, waiting: 0, marked: false, storedHead: place.head };
    this.#topics.set(key, topic);
    this.#memory.countTopics(1);
    return topic;
  }

  /** Origin of the store, read once; a failed read is not cached. */
  async #originOf(): Promise<string> {
    this.#origin ??= await this.#store.origin();
    return this.#origin;
  }

  /**
   * Evicts until topics fit their memory limit: first unread ones whose subject has ended; then windows above an even
   * share are trimmed; finally other unread topics, least recently used first. Cursors that need evicted events read
   * the
   * store.
   */
  #makeRoom(): void {
    const memory = this.#memory;
    if (!memory.isFull) return;
    const leaving = new Set<Topic>();
    const enough = () => memory.used - leaving.size * costs.topic <= memory.goal;
    this.#free(this.#ended, leaving, enough);
    if (!enough()) memory.shareOut(Array.from(this.#topics.values(), ({ window }) => window));
    this.#free(this.#topics.values(), leaving, enough);
    this.#leave([...leaving]);
    memory.relieved();
  }

  /** Evicts topics until `enough`; those that need a write first are collected in `leaving`. */
  #free(topics: Iterable<Topic>, leaving: Set<Topic>, enough: () => boolean): void {
    for (const topic of topics) {
      if (enough()) return;
      if (topic.pins > 0 || topic.waiting > 0) continue;
      topic.window.shrink(0);
      if (!this.#drop(topic)) leaving.add(topic);
    }
  }

  /** Writes the records that numbering needs, then evicts the topics. While the store is out of reach they stay. */
  #leave(topics: Topic[]): void {
    if (topics.length === 0 || this.#evicting || this.#closed) return;
    const done = () => {
      this.#evicting = null;
    };
    this.#evicting = this.#evict(topics).then(done, done);
  }

  async #evict(topics: Topic[]): Promise<void> {
    await this.#settle(topics);
    for (const topic of topics) this.#drop(topic);
  }

  /** Evicts an unused topic, unless the store does not know its numbering. */
  #drop(topic: Topic): boolean {
    const { window } = topic;
    const free = topic.pins === 0 && topic.waiting === 0 && !topic.marked && window.head === topic.storedHead;
    if (!free || this.#topics.get(window.key) !== topic) return false;
    this.#topics.delete(window.key);
    this.#ended.delete(topic);
    window.shrink(0);
    this.#memory.countTopics(-1);
    return true;
  }

  /** Writes one batch at a time, so that a topic's records reach the store in order. */
  #write(events: NewStoredEvent[], records: TopicRecord[]): Promise<void> {
    const written = this.#lastWrite.then(() => this.#store.append(events, records));
    this.#lastWrite = written.catch(() => undefined);
    return written;
  }

  /** Records exact heads, so that numbering can continue in the same epoch. */
  async #settle(topics: Topic[]): Promise<void> {
    const open = topics.filter((topic) => topic.marked || topic.window.head !== topic.storedHead);
    const heads = new Map(open.map((topic) => [topic, topic.window.head]));
    // The mark is cleared first: a delta that comes meanwhile marks the topic again, in a later commit.
    for (const topic of open) topic.marked = false;
    const records = open.map(({ window }) => ({ key: window.key, gen: window.gen, head: window.head, dirty: false }));
    if (records.length > 0) await this.#write([], records);
    for (const [topic, head] of heads) topic.storedHead = Math.max(head, topic.storedHead);
  }
}

/** Position to continue numbering from: in the same generation unless volatile events may have been lost. */
function resume(record: TopicRecord | null, last: StoredEvent | undefined): { gen: number; head: number } {
  const gen = Math.max(record?.gen ?? 1, last?.gen ?? 1);
  if (record?.dirty && record.gen === gen) return { gen: gen + 1, head: 0 };
  const stored = last?.gen === gen ? last.seq : 0;
  const recorded = record?.gen === gen ? record.head : 0;
  return { gen, head: Math.max(stored, recorded) };
}

const shuttingDown = () =>
  new Fault('SHUTTING_DOWN', 'The server is stopping.', { hint: 'Try again in a few seconds.', retryAfterSeconds: 5 });
