// Viewer: a connection in the hub, with its subscriptions, its queue of those with news, and its backpressure.
import type { Clock } from '../../kernel/clock.ts';
import type { Cursor } from '../log/cursor.ts';
import type { Outlet } from './outlet.ts';
import type { EventFilter, Quota, Reader, Subscription } from './subscription.ts';

export interface SubscribeOptions {
  key: string;
  /** Cursor to start from; null for live events only. */
  cursor: Cursor | null;
  /** Without a cursor: start with events at or after this time (ms). */
  since?: number;
  filter?: EventFilter | null;
  /** True reports to the outlet when the topic's subject has ended and all of it was sent. */
  untilEnd?: boolean;
  /** True omits null fields of payloads. */
  lean?: boolean;
}

/** Port of the hub for viewers. */
export interface Feed {
  readonly clock: Clock;
  subscribe(viewer: Viewer, options: SubscribeOptions): Promise<Subscription>;
  unsubscribe(subscription: Subscription): void;
  /** Turns notifications of a subscription on or off; a blocked viewer then costs a pass nothing. */
  listen(subscription: Subscription, listening: boolean): void;
  /** Queues a viewer with something to send; lagging ones come after those with live news. */
  wake(viewer: Viewer, isBehind: boolean): void;
}

/** Batches per viewer and turn: a viewer may lag by megabytes. */
const batchesPerTurn = 4;

/** Shared empty array, since thousands of idle connections would each hold one. */
const none: Subscription[] = [];

export class Viewer implements Reader {
  readonly #feed: Feed;
  readonly outlet: Outlet;
  readonly quota: Quota | null;
  subscriptions: readonly Subscription[] = none;
  closed = false;
  /** Time in ms since which the client reads nothing although events wait; 0 otherwise. */
  blockedSince = 0;
  #pending: Subscription[] = none;
  #started = false;
  #queued = false;
  #waiters: (() => void)[] | null = null;

  constructor(feed: Feed, outlet: Outlet, quota: Quota | null = null) {
    this.#feed = feed;
    this.outlet = outlet;
    this.quota = quota;
  }

  /** Adds a subscription; see `Hub.subscribe`. */
  subscribe(options: SubscribeOptions): Promise<Subscription> {
    return this.#feed.subscribe(this, options);
  }

  /** Adds a subscription; for the hub only. */
  add(subscription: Subscription): void {
    this.subscriptions = [...this.subscriptions, subscription];
    this.enqueue(subscription);
  }

  unsubscribe(subscription: Subscription): void {
    this.subscriptions = this.subscriptions.filter((other) => other !== subscription);
    this.#feed.unsubscribe(subscription);
  }

  /** Starts sending, once all first subscriptions have their position. */
  start(): void {
    this.#started = true;
    this.#wake();
  }

  enqueue(subscription: Subscription): void {
    if (subscription.queued || !subscription.live) return;
    subscription.queued = true;
    if (this.#pending === none) this.#pending = [subscription];
    else this.#pending.push(subscription);
    this.#wake();
  }

  /** Sends without queue and cork. */
  offer(subscription: Subscription): void {
    const idle = !this.#queued && this.#pending.length === 0 && this.#started && this.outlet.writable;
    if (!idle || !subscription.live || subscription.pull()) this.enqueue(subscription);
  }

  /** Sends waiting events, as far as the client reads and the turn allows. */
  pump(): void {
    this.#queued = false;
    if (this.closed || !this.#started || this.#pending.length === 0) return;
    if (this.outlet.writable) this.outlet.cork(() => this.#send());
    if (this.#pending.length === 0) this.outlet.idle?.();
    else if (this.outlet.writable) this.#wake(true);
    else this.#block();
  }

  /** Resumes when the client can take bytes again. */
  resume(): void {
    this.blockedSince = 0;
    const waiters = this.#waiters;
    this.#waiters = null;
    if (waiters) for (const go of waiters) go();
    if (this.#pending.length > 0) this.#wake(true);
  }

  /** Resolves when the client can take more or has gone. */
  async ready(): Promise<void> {
    while (!this.closed && !(this.outlet.writable && this.#started)) {
      if (this.#started) this.#block();
      await new Promise<void>((resolve) => {
        this.#waiters ??= [];
        this.#waiters.push(resolve);
      });
    }
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    for (const subscription of this.subscriptions) this.#feed.unsubscribe(subscription);
    this.subscriptions = none;
    this.#pending = none;
    const waiters = this.#waiters;
    this.#waiters = null;
    if (waiters) for (const go of waiters) go();
  }

  #wake(isBehind = false): void {
    if (this.#queued || !this.#started) return;
    this.#queued = true;
    this.#feed.wake(this, isBehind);
  }

  #block(): void {
    if (this.blockedSince !== 0) return;
    this.blockedSince = this.#feed.clock.steady();
    for (const subscription of this.#pending) this.#feed.listen(subscription, false);
  }

  /** Sends one batch of each subscription in turn, so that none waits behind another's backlog. */
  #send(): void {
    let left = Math.max(batchesPerTurn, this.#pending.length);
    for (let at = 0; this.#pending.length > 0 && left > 0; at++, left--) {
      if (at >= this.#pending.length) at = 0;
      const subscription = this.#pending[at] as Subscription;
      if (!subscription.pull()) {
        subscription.queued = false;
        if (!subscription.listening) this.#feed.listen(subscription, true);
        this.#pending.splice(at, 1);
        at--;
      }
      if (!this.outlet.writable || this.closed) break;
    }
    if (this.#pending.length === 0) this.#pending = none;
  }
}
