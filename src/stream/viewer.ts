// One connection as the hub sees it: its subscriptions, which of them have something to send, and whether it can take more.
import type { Batch } from './batch.ts';
import type { Hub, SubscribeOptions } from './hub.ts';
import type { Subscription } from './subscription.ts';

/** Where a viewer's events go; each transport has its own. */
export interface Outlet {
  /** False while the client can take no more: the transport calls `viewer.resume` when it can again. */
  readonly writable: boolean;
  /** One write, outside of `cork`. */
  send(subscription: Subscription, batch: Batch): void;
  /** Groups the sends of `run` in one write. */
  cork(run: () => void): void;
  /** The log could not be read on; the client must come back with its cursor. */
  fail(error: unknown): void;
  /** Everything that is there has been sent. */
  idle?(): void;
}

/** Shared by all that have nothing, as empty arrays of thousands of idle connections add up. */
const none: Subscription[] = [];

export class Viewer {
  readonly #hub: Hub;
  readonly outlet: Outlet;
  subscriptions: readonly Subscription[] = none;
  closed = false;
  /** Since when (ms) the client takes nothing although there is something to send; 0 while it is not so. */
  blockedSince = 0;
  #pending: Subscription[] = none;
  #started = false;
  #queued = false;
  #waiters: (() => void)[] | null = null;

  constructor(hub: Hub, outlet: Outlet) {
    this.#hub = hub;
    this.outlet = outlet;
  }

  /** Adds a subscription; see `Hub.subscribe`. */
  subscribe(options: SubscribeOptions): Promise<Subscription> {
    return this.#hub.subscribe(this, options);
  }

  /** Takes a subscription in; the hub's to call. */
  add(subscription: Subscription): void {
    this.subscriptions = [...this.subscriptions, subscription];
    this.enqueue(subscription);
  }

  unsubscribe(subscription: Subscription): void {
    this.subscriptions = this.subscriptions.filter((other) => other !== subscription);
    this.#hub.unsubscribe(subscription);
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

  /** Sends one topic's news at once where nothing else waits, without the detour of a queue and a cork. */
  offer(subscription: Subscription): void {
    const idle = !this.#queued && this.#pending.length === 0 && this.#started && this.outlet.writable;
    if (!idle || !subscription.live || subscription.pull()) this.enqueue(subscription);
  }

  /** Sends what the client lacks, as far as it takes it. */
  pump(): void {
    this.#queued = false;
    if (this.closed || !this.#started || this.#pending.length === 0) return;
    if (this.outlet.writable) this.outlet.cork(() => this.#send());
    if (this.#pending.length === 0) this.outlet.idle?.();
    else if (!this.outlet.writable) this.#block();
  }

  /** The client takes bytes again. */
  resume(): void {
    this.blockedSince = 0;
    const waiters = this.#waiters;
    this.#waiters = null;
    if (waiters) for (const go of waiters) go();
    this.pump();
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
    for (const subscription of this.subscriptions) this.#hub.unsubscribe(subscription);
    this.subscriptions = none;
    this.#pending = none;
    const waiters = this.#waiters;
    this.#waiters = null;
    if (waiters) for (const go of waiters) go();
  }

  #wake(): void {
    if (this.#queued || !this.#started) return;
    this.#queued = true;
    this.#hub.wake(this);
  }

  #block(): void {
    if (this.blockedSince === 0) this.blockedSince = this.#hub.clock.now();
  }

  /** In turn one batch of each subscription, so that none waits behind another's backlog. */
  #send(): void {
    for (let at = 0; this.#pending.length > 0; at++) {
      if (at >= this.#pending.length) at = 0;
      const subscription = this.#pending[at] as Subscription;
      if (!subscription.pull()) {
        subscription.queued = false;
        this.#pending.splice(at, 1);
        at--;
      }
      if (!this.outlet.writable || this.closed) break;
    }
    if (this.#pending.length === 0) this.#pending = none;
  }
}
