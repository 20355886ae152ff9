// One connection as the hub sees it: its subscriptions, which of them have something to send, and whether it can take more.
import type { Clock } from '../../kernel/clock.ts';
import type { Cursor } from '../log/cursor.ts';
import type { Outlet } from './outlet.ts';
import type { EventFilter, Quota, Reader, Subscription } from './subscription.ts';

export interface SubscribeOptions {
  key: string;
  /** Null for live events only. */
  cursor: Cursor | null;
  /** Without a cursor: start with events at or after this time (ms). */
  since?: number;
  filter?: EventFilter | null;
  /** Tells the outlet when the topic's subject has ended and all of it was sent. */
  untilEnd?: boolean;
  /** Leaves out what is null in an event's payload. */
  lean?: boolean;
}

/** What a viewer needs of the hub. */
export interface Feed {
  readonly clock: Clock;
  subscribe(viewer: Viewer, options: SubscribeOptions): Promise<Subscription>;
  unsubscribe(subscription: Subscription): void;
  /** Whether a subscription is notified of new events; one whose viewer takes nothing costs a pass nothing. */
  listen(subscription: Subscription, listening: boolean): void;
  /** Notes that a viewer has something to send; one that is behind comes after those with news. */
  wake(viewer: Viewer, isBehind: boolean): void;
}

/** Batches that one viewer gets before the others have their turn: it may be behind by megabytes. */
const batchesPerTurn = 4;

/** Shared by all that have nothing, as empty arrays of thousands of idle connections add up. */
const none: Subscription[] = [];

export class Viewer implements Reader {
  readonly #feed: Feed;
  readonly outlet: Outlet;
  readonly quota: Quota | null;
  subscriptions: readonly Subscription[] = none;
  closed = false;
  /** Since when (ms) the client takes nothing although there is something to send; 0 while it is not so. */
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

  /** Takes a subscription in; the hub's to call. */
  add(subscription: Subscription): void {
    this.subscriptions = [...this.subscriptions, subscription];
    this.enqueue(subscription);
  }

  unsubscribe(subscription: Subscription): void {
    this.subscriptions = this.subscriptions.filter((other) => other !== subscription);
    this.#feed.unsubscribe(subscription);
  }

  /** Lets events out, once all first subscriptions have their place. */
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

  /** Without the detour of a queue and a cork. */
  offer(subscription: Subscription): void {
    const idle = !this.#queued && this.#pending.length === 0 && this.#started && this.outlet.writable;
    if (!idle || !subscription.live || subscription.pull()) this.enqueue(subscription);
  }

  /** Sends what the client lacks, as far as it takes it and its turn goes. */
  pump(): void {
    this.#queued = false;
    if (this.closed || !this.#started || this.#pending.length === 0) return;
    if (this.outlet.writable) this.outlet.cork(() => this.#send());
    if (this.#pending.length === 0) this.outlet.idle?.();
    else if (this.outlet.writable) this.#wake(true);
    else this.#block();
  }

  /** The client takes bytes again. */
  resume(): void {
    this.blockedSince = 0;
    const waiters = this.#waiters;
    this.#waiters = null;
    if (waiters) for (const go of waiters) go();
    if (this.#pending.length > 0) this.#wake(true);
  }

  /** Resolves when the client can take more or is gone. */
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
    this.blockedSince = this.#feed.clock.now();
    for (const subscription of this.#pending) this.#feed.listen(subscription, false);
  }

  /** In turn one batch of each subscription, so that none waits behind another's backlog. */
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
