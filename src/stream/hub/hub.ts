// Hub: delivers events from windows to subscribers in passes over the topics with news, each viewer at its own cursors.
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { EventStore, Position, StoredEvent } from '../../ports/event-store.ts';
import type { Broker } from '../brokers/broker.ts';
import { endingOf } from '../log/ending.ts';
import { StreamMemory } from '../log/memory-budget.ts';
import type { StreamMetrics } from '../log/metrics.ts';
import type { Outlet } from './outlet.ts';
import {
  type Backlog,
  type Channel,
  type Page,
  type Quota,
  type Reader,
  Subscription,
  terminalSearch,
} from './subscription.ts';
import { type Feed, type SubscribeOptions, Viewer } from './viewer.ts';

export interface HubDeps {
  broker: Broker;
  store: EventStore;
  clock: Clock;
  log: Logger;
  metrics: StreamMetrics;
  /** Origin of the store, part of every epoch. */
  origin: string;
  /** Memory limit of streams, the broker's topics included. */
  memory?: StreamMemory;
}

/** A channel and the progress of its delivery. */
interface LiveChannel extends Channel {
  /** True when the window has changed since the last pass over the subscriptions began. */
  dirty: boolean;
  /** Position of the pass in progress. */
  pass: Iterator<Subscription> | null;
}

interface Opening {
  channel: Promise<LiveChannel>;
  /** Subscriptions that exist or are being opened. */
  users: number;
}

/** Stored events per read for a lagging subscriber. */
const pageEvents = 128;
/**
 * Subscriptions served per turn of the event loop: about a millisecond. Requests, timers and other topics do not
 * wait for a pass over thousands, and events published meanwhile share a subscriber's next write.
 */
const visitsPerTurn = 256;
/** Time in ms per turn for lagging subscribers: each may need batches of its own. */
const msPerTurn = 1;
/** Subscriptions of one topic served before the next topic. */
const visitsPerTopic = 64;

export class Hub implements Feed, Backlog {
  readonly #deps: HubDeps;
  readonly #channels = new Map<string, Opening>();
  readonly #pages = new Map<string, Promise<Page>>();
  #dirty: LiveChannel[] = [];
  #waiting: Viewer[] = [];
  #behind: Viewer[] = [];
  #scheduled = false;
  readonly memory: StreamMemory;

  constructor(deps: HubDeps) {
    this.#deps = deps;
    this.memory = deps.memory ?? new StreamMemory();
  }

  get clock(): Clock {
    return this.#deps.clock;
  }

  get origin(): string {
    return this.#deps.origin;
  }

  get metrics(): StreamMetrics {
    return this.#deps.metrics;
  }

  get log(): Logger {
    return this.#deps.log;
  }

  /** Number of topics with subscribers here. */
  get topics(): number {
    return this.#channels.size;
  }

  /** Whether a topic has subscribers on this node. */
  isFollowed(key: string): boolean {
    return this.#channels.has(key);
  }

  /** A viewer for one connection; nothing is sent before `start`. */
  attach(outlet: Outlet, quota: Quota | null = null): Viewer {
    return new Viewer(this, outlet, quota);
  }

  /**
   * Adds a subscription, which begins to send in a later turn of the event loop.
   *
   * @throws Fault STORE_UNAVAILABLE; CLIENT_CLOSED when the viewer closed meanwhile; CONCURRENCY_LIMITED when its owner
   *   or the whole process has too many
   */
  async subscribe(viewer: Viewer, options: SubscribeOptions): Promise<Subscription> {
    if (!this.memory.takesSubscriptions) throw tooMany();
    viewer.quota?.take(options.key);
    try {
      const subscription = await this.#subscribe(viewer, options);
      this.memory.countSubscriptions(1);
      return subscription;
    } catch (error) {
      viewer.quota?.give(options.key);
      throw error;
    }
  }

  async #subscribe(viewer: Viewer, options: SubscribeOptions): Promise<Subscription> {
    const channel = await this.#enter(options.key);
    const subscription = new Subscription(viewer, channel, this, options);
    try {
      if (options.cursor === null && options.since !== undefined) await subscription.startAtTime(options.since);
      else {
        // Another node may have served events that have not arrived here yet.
        if (subscription.isAhead(options.cursor)) await this.#deps.broker.refresh(options.key);
        subscription.startAt(options.cursor);
      }
      if (options.untilEnd) await this.#learnEnding(channel);
      if (viewer.closed) throw new Fault('CLIENT_CLOSED', 'The connection has closed.');
    } catch (error) {
      this.#leave(options.key);
      throw error;
    }
    this.listen(subscription, true);
    viewer.add(subscription);
    return subscription;
  }

  /** Finds out whether a topic's subject ended before its window began. */
  async #learnEnding({ key, window }: Channel): Promise<void> {
    const { ending } = window;
    if (!ending || ending.isKnown) return;
    const past = endingOf(window.topic);
    const events = await this.#deps.store.tail(key, terminalSearch);
    for (const { type, body } of events) past?.take(type, () => JSON.parse(body));
    // An event that came meanwhile is newer than the stored one.
    if (window.ending !== ending || ending.isKnown) return;
    window.ending = past;
    window.isOver = past?.isOver ?? false;
  }

  unsubscribe(subscription: Subscription): void {
    if (subscription.closed) return;
    subscription.closed = true;
    this.listen(subscription, false);
    this.memory.countSubscriptions(-1);
    subscription.viewer.quota?.give(subscription.channel.key);
    this.#leave(subscription.channel.key);
  }

  listen(subscription: Subscription, listening: boolean): void {
    subscription.listening = listening && !subscription.closed;
    const { listeners } = subscription.channel;
    if (subscription.listening) listeners.add(subscription);
    else listeners.delete(subscription);
  }

  /** Stored events after a position; readers at the same place share the read. */
  read(channel: Channel, after: Position): Promise<Page> {
    const id = `${channel.key}|${after.gen}|${after.seq}`;
    const running = this.#pages.get(id);
    if (running) return running;
    const page = this.#readPage(channel, after).finally(() => this.#pages.delete(id));
    this.#pages.set(id, page);
    return page;
  }

  tail(key: string, limit: number): Promise<StoredEvent[]> {
    return this.#deps.store.tail(key, limit);
  }

  wake(viewer: Viewer, isBehind: boolean): void {
    (isBehind ? this.#behind : this.#waiting).push(viewer);
    this.#schedule();
  }

  async #readPage({ key, window }: Channel, after: Position): Promise<Page> {
    // The position is taken before the read: events stored before the window's start by now are in the page.
    const { gen, start } = window;
    const events = await this.#deps.store.read(key, after, pageEvents);
    return { events, gen, start, complete: events.length < pageEvents };
  }

  async #enter(key: string): Promise<LiveChannel> {
    let opening = this.#channels.get(key);
    if (!opening) {
      opening = { channel: this.#open(key), users: 0 };
      this.#channels.set(key, opening);
      this.memory.countFollowed(1);
    }
    opening.users++;
    try {
      return await opening.channel;
    } catch (error) {
      if (this.#channels.get(key) === opening) this.#close(key);
      throw error;
    }
  }

  async #open(key: string): Promise<LiveChannel> {
    const window = await this.#deps.broker.open(key);
    const channel: LiveChannel = { key, window, listeners: new Set(), dirty: false, pass: null };
    window.onChange = () => {
      if (channel.dirty) return;
      channel.dirty = true;
      if (channel.pass) return;
      this.#dirty.push(channel);
      this.#schedule();
    };
    return channel;
  }

  #leave(key: string): void {
    const opening = this.#channels.get(key);
    if (!opening || --opening.users > 0) return;
    this.#close(key);
    void opening.channel.then(({ window }) => {
      // The topic may have been opened again in between, with the same window.
      if (!this.#channels.has(key)) window.onChange = null;
      this.#deps.broker.release(key);
    });
  }

  #close(key: string): void {
    this.#channels.delete(key);
    this.memory.countFollowed(-1);
  }

  #pump(viewer: Viewer): void {
    try {
      viewer.pump();
    } catch (error) {
      this.#failed(viewer, error);
    }
  }

  #offer(subscription: Subscription): void {
    try {
      subscription.viewer.offer(subscription);
    } catch (error) {
      this.#failed(subscription.viewer, error);
    }
  }

  /** Handles a connection that throws, e.g. because it has just closed, so that the others get their events. */
  #failed(viewer: Reader, error: unknown): void {
    this.#deps.log.warn({ err: error }, 'a connection could not be written to');
    viewer.outlet.fail(error);
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#scheduled = false;
    const round = this.#dirty;
    this.#dirty = [];
    // Several topics may have news for one connection, which then share one write.
    const several = round.length > 1;
    const share = several ? visitsPerTopic : visitsPerTurn;
    let left = visitsPerTurn;
    let at = 0;
    for (; at < round.length && left > 0; at++)
      left -= this.#visit(round[at] as LiveChannel, Math.min(left, share), several);
    if (at < round.length) this.#dirty = [...round.slice(at), ...this.#dirty];
    const waiting = this.#waiting;
    this.#waiting = waiting.length > visitsPerTurn ? waiting.splice(visitsPerTurn) : [];
    for (const viewer of waiting) this.#pump(viewer);
    if (this.#behind.length > 0) this.#pumpBehind();
    if (this.#dirty.length > 0 || this.#waiting.length > 0 || this.#behind.length > 0) this.#schedule();
  }

  #pumpBehind(): void {
    const behind = this.#behind;
    this.#behind = [];
    const until = performance.now() + msPerTurn;
    let at = 0;
    do this.#pump(behind[at++] as Viewer);
    while (at < behind.length && performance.now() < until);
    if (at < behind.length) this.#behind = [...behind.slice(at), ...this.#behind];
  }

  /** Continues a topic's pass; returns the number of subscriptions served. */
  #visit(channel: LiveChannel, most: number, several: boolean): number {
    if (!channel.pass) {
      channel.dirty = false;
      channel.pass = channel.listeners.values();
    }
    for (let visited = 0; visited < most; visited++) {
      const { value: subscription, done } = channel.pass.next();
      if (done) {
        channel.pass = null;
        channel.window.trim();
        if (channel.dirty) this.#dirty.push(channel);
        return Math.max(1, visited);
      }
      if (several) subscription.viewer.enqueue(subscription);
      else this.#offer(subscription);
    }
    this.#dirty.push(channel);
    return most;
  }
}

const tooMany = () =>
  new Fault('CONCURRENCY_LIMITED', 'This server follows as many topics as its memory allows.', {
    hint: 'Follow `runs` or `run-tree:{rootRunId}` instead of single runs, or give streams more memory.',
    retryAfterSeconds: 10,
  });
