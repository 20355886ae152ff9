// Subscription: a viewer's position in one topic, from its cursor to live events without a gap or a repeat.

import type { Clock } from '../../kernel/clock.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Position, StoredEvent } from '../../ports/event-store.ts';
import { Batch } from '../log/batch.ts';
import { type Cursor, epochOf } from '../log/cursor.ts';
import { Entry } from '../log/entry.ts';
import { eventType, reopening } from '../log/events.ts';
import { follows } from '../log/memory-event-store.ts';
import type { StreamMetrics } from '../log/metrics.ts';
import { batchCharacters, type Window } from '../log/window.ts';
import type { Outlet, Place } from './outlet.ts';

export interface EventFilter {
  /** Event types to send; null for all. Gaps are always sent. */
  types: ReadonlySet<string> | null;
  includeDeltas: boolean;
  /** Ids of projects whose events are withheld; read at each batch, since rights change. */
  hidden?: () => ReadonlySet<number> | undefined;
}

/** An open topic with its subscribers on this node that are notified of new events. */
export interface Channel {
  readonly key: string;
  readonly window: Window;
  readonly listeners: Set<Subscription>;
}

/** Stored events after a position, and the start of the topic's window at the time of the read. */
export interface Page {
  events: StoredEvent[];
  gen: number;
  start: number;
  /** True when nothing more is stored before the window. */
  complete: boolean;
}

/** Port of the hub for reading events before the window. */
export interface Backlog {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: StreamMetrics;
  read(channel: Channel, after: Position): Promise<Page>;
  tail(key: string, limit: number): Promise<StoredEvent[]>;
}

/** Quota of topics and subscriptions of one owner, over all its connections. */
export interface Quota {
  /** @throws Fault CONCURRENCY_LIMITED */
  take(key: string): void;
  give(key: string): void;
}

/** Owner of a subscription: the viewer of one connection. */
export interface Reader {
  readonly outlet: Outlet;
  /** Quota of its owner; null for no limit. */
  readonly quota: Quota | null;
  /** Queues a subscription for the next write. */
  enqueue(subscription: Subscription): void;
  /** Sends a subscription's news at once where nothing else waits. */
  offer(subscription: Subscription): void;
  /** Resolves when the client can take more or has gone. */
  ready(): Promise<void>;
}

/** Stored events searched for the last terminal one. */
export const terminalSearch = 50;

interface SubscriptionOptions {
  filter?: EventFilter | null;
  untilEnd?: boolean;
  lean?: boolean;
}
/** Stored events searched per step for a start time. */
const timeSearch = 1000;

export class Subscription implements Place {
  readonly viewer: Reader;
  readonly channel: Channel;
  readonly #backlog: Backlog;
  readonly #filter: EventFilter | null;
  readonly #untilEnd: boolean;
  readonly #lean: boolean;
  #isOver = false;
  /** Position up to which everything was sent. */
  gen = 0;
  seq = 0;
  /** True while the viewer's queue holds the subscription. */
  queued = false;
  /** False while the subscription reads the store. */
  live = true;
  closed = false;
  /** True while the channel notifies the subscription. */
  listening = false;
  /** Position up to which missing events were reported, or never promised. */
  #told: Position = { gen: 0, seq: 0 };
  /** Requested number of a cursor that this log does not know. */
  #lost: number | null = null;

  constructor(viewer: Reader, channel: Channel, backlog: Backlog, { filter, untilEnd, lean }: SubscriptionOptions) {
    this.viewer = viewer;
    this.channel = channel;
    this.#backlog = backlog;
    this.#filter = filter ?? null;
    this.#untilEnd = untilEnd ?? false;
    this.#lean = lean ?? false;
  }

  get topic(): string {
    return this.channel.window.topic;
  }

  /** Id of the last event that was sent or passed over. */
  get cursor(): string {
    return this.gen === 0 ? '0' : `${epochOf(this.channel.window.origin, this.gen)}.${this.seq}`;
  }

  /** Events between the position and the head, as far as they are numbered alike. */
  get lag(): number {
    const { gen, head } = this.channel.window;
    return gen === this.gen ? head - this.seq : head;
  }

  /** Whether a cursor is after the last event that this node knows. */
  isAhead(cursor: Cursor | null): boolean {
    const { gen, head } = this.channel.window;
    return cursor !== null && typeof cursor === 'object' && 'gen' in cursor && follows(cursor, { gen, seq: head });
  }

  startAt(cursor: Cursor | null): void {
    const { gen, head } = this.channel.window;
    const end = { gen, seq: head };
    if (cursor === null) this.#go(end);
    else if (cursor === 'oldest') {
      this.#told = end;
    } else if ('unknown' in cursor || follows(cursor, end)) {
      this.#lost = cursor.seq;
      this.#go(end);
    } else this.#go(cursor);
  }

  /** Starts with the first event at or after a time, as far back as events are kept. */
  async startAtTime(time: number): Promise<void> {
    const { window } = this.channel;
    const stored = window.before(time) >= window.start ? [] : await this.#storedSince(time);
    const { gen, head, start } = window;
    this.#told = { gen, seq: head };
    const first = stored.find((event) => event.at >= time);
    if (first && (first.gen !== gen || first.seq < start)) this.#go({ gen: first.gen, seq: first.seq - 1 });
    else this.#go({ gen, seq: window.before(time) });
  }

  /** The last stored events; none where all are older than the time, as of most topics that a page begins to follow. */
  async #storedSince(time: number): Promise<StoredEvent[]> {
    const { key } = this.channel;
    const [last] = await this.#backlog.tail(key, 1);
    return last && last.at >= time ? this.#backlog.tail(key, timeSearch) : [];
  }

  /** Sends one batch; true when more is available. */
  pull(): boolean {
    const { window } = this.channel;
    if (this.closed) return false;
    if (this.#lost !== null || this.gen !== window.gen || this.seq < window.start - 1) {
      this.live = false;
      void this.#catchUp();
      return false;
    }
    const batch = window.since(this.seq);
    if (batch) this.#send(batch);
    if (this.seq < window.head) return true;
    if (window.isOver && this.isOver) this.#end();
    return false;
  }

  /** Whether the subscription ends with its subject, and all of that was sent. */
  get isOver(): boolean {
    const { gen, head, isOver } = this.channel.window;
    const there = this.live && this.#lost === null && this.gen === gen && this.seq >= head;
    return this.#untilEnd && there && isOver;
  }

  /** Reports the end once, outside of a write. */
  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    queueMicrotask(() => {
      this.#isOver = false;
      if (!this.closed && this.isOver) this.viewer.outlet.over?.(this);
    });
  }

  #go({ gen, seq }: Position): void {
    this.gen = gen;
    this.seq = seq;
  }

  #send(batch: Batch): void {
    const wanted = this.#advance(batch);
    if (wanted) this.viewer.outlet.send(this, this.#lean ? wanted.lean : wanted);
  }

  /** Advances past a batch; returns the part of it to send. */
  #advance(batch: Batch): Batch | null {
    this.#go({ gen: batch.gen, seq: batch.to });
    const filter = this.#filter;
    let wanted = batch;
    const hidden = filter?.hidden?.();
    if (filter && (filter.types || !filter.includeDeltas || hidden?.size)) {
      const isSeen = (entry: Entry) => !hidden?.size || !entry.projectIds.some((id) => hidden.has(id));
      const entries = batch.entries.filter((entry) => passes(filter, entry) && isSeen(entry));
      if (entries.length === 0) return null;
      if (entries.length < batch.entries.length) {
        wanted = new Batch(batch.epoch, batch.gen, batch.topic, entries, batch.to);
      }
    }
    this.#backlog.metrics.delivered += wanted.entries.length;
    return wanted;
  }

  async #catchUp(): Promise<void> {
    this.#backlog.metrics.catchUps++;
    try {
      if (this.#lost !== null) await this.#skipTheUnknown(this.#lost);
      while (!this.closed && !this.#reachesWindow()) {
        if (this.#isPastWindow()) await this.#skipTheUnknown(this.seq);
        else await this.#replayPage();
      }
    } catch (error) {
      this.#backlog.log.error({ err: error, key: this.channel.key }, 'stream catch-up failed');
      if (!this.closed) this.viewer.outlet.fail(error);
      return;
    }
    if (this.closed) return;
    this.live = true;
    this.viewer.enqueue(this);
  }

  #reachesWindow(): boolean {
    const { gen, start } = this.channel.window;
    return this.gen === gen && this.seq >= start - 1;
  }

  /** Whether the window has gone back to an earlier generation. */
  #isPastWindow(): boolean {
    const { gen, head } = this.channel.window;
    return follows(this, { gen, seq: head });
  }

  /**
   * Handles an unknown cursor: sends `stream.gap` and continues live, but not past the end of a subject that has
   * ended.
   */
  async #skipTheUnknown(requested: number): Promise<void> {
    const tail = await this.#backlog.tail(this.channel.key, terminalSearch);
    const last = tail.findLast((event) => eventType(event.type)?.terminal || reopening.has(event.type));
    await this.viewer.ready();
    if (this.closed) return;
    this.#lost = null;
    const { gen, head } = this.channel.window;
    const at = last && eventType(last.type)?.terminal ? { gen: last.gen, seq: last.seq - 1 } : { gen, seq: head };
    this.#tell(requested, at);
  }

  /** Sends stored events until the client is full; the rest is read again later, not buffered. */
  async #replayPage(): Promise<void> {
    await this.viewer.ready();
    const page = await this.#backlog.read(this.channel, { gen: this.gen, seq: this.seq });
    let chunk: StoredEvent[] = [];
    let size = 0;
    const flush = () => {
      if (chunk.length > 0) this.#send(this.#encode(chunk));
      chunk = [];
      size = 0;
    };
    for (const event of page.events) {
      if (size >= batchCharacters) flush();
      if (this.closed || !this.viewer.outlet.writable) return;
      const { gen, start } = this.channel.window;
      // What another node stored in a generation that this window has yet to enter comes through the window too.
      if (follows(event, { gen, seq: start - 1 })) {
        flush();
        return this.#pass({ gen, seq: start - 1 });
      }
      const before = chunk.at(-1) ?? this;
      if (event.gen !== before.gen || event.seq !== before.seq + 1) {
        flush();
        const hole = { gen: event.gen, seq: event.seq - 1 };
        if (follows(hole, this.#told)) this.#tell(this.seq, hole);
      }
      chunk.push(event);
      size += event.body.length;
    }
    flush();
    if (page.complete) this.#pass({ gen: page.gen, seq: page.start - 1 });
  }

  /** Advances to `place` when only volatile or expired events lie before it. */
  #pass(place: Position): void {
    if (this.closed || !follows(place, this)) return;
    if (follows(place, this.#told)) this.#tell(this.seq, place);
    else this.#go(place);
  }

  /** Sends `stream.gap`; its id is the position after which events continue. */
  #tell(requestedSeq: number, place: Position): void {
    const { window } = this.channel;
    const data = { topic: window.topic, requestedSeq, oldestSeq: place.seq + 1, latestSeq: window.head };
    const epoch = epochOf(window.origin, place.gen);
    const { seq } = place;
    const at = this.#backlog.clock.now();
    const body = JSON.stringify(data);
    const event = { first: seq, seq, type: 'stream.gap', at, durable: false, mergeKey: null, body, ends: null };
    const entry = new Entry({ epoch, topic: window.topic }, event);
    this.#backlog.metrics.gaps++;
    this.#told = { gen: window.gen, seq: window.head };
    this.#send(new Batch(epoch, place.gen, window.topic, [entry], place.seq));
  }

  #encode(events: readonly StoredEvent[]): Batch {
    const { window } = this.channel;
    const { gen, seq } = events.at(-1) as StoredEvent;
    const epoch = epochOf(window.origin, gen);
    const place = { epoch, topic: window.topic };
    const entries = events.map(({ seq, type, at, body }) => {
      return new Entry(place, { first: seq, seq, type, at, durable: true, mergeKey: null, body, ends: null });
    });
    return new Batch(epoch, gen, window.topic, entries, seq);
  }
}

const passes = ({ types, includeDeltas }: EventFilter, entry: Entry): boolean =>
  entry.type === 'stream.gap' ||
  ((includeDeltas || entry.mergeKey === null) && (types === null || types.has(entry.type)));
