// Memory budget of the streams of one process: every holder counts its bytes, and brokers evict.
import { getHeapStatistics } from 'node:v8';

/** Overhead of each object besides its text, in bytes; measured on Node 20, rounded up. */
export const costs = { entry: 200, topic: 2048, subscription: 512 } as const;

/** Default share of the heap for streams; the constant below is its upper bound in bytes. */
const heapShare = 1 / 10;
const mostBytes = 256 * 1024 * 1024;
/** Share of the limit down to which memory is freed, so that eviction does not repeat at once. */
const goalShare = 0.75;
/** Share for subscriptions; the rest is for events. */
const subscriptionShare = 0.5;

/** Default limit of the streams' memory, in bytes. */
export const defaultStreamBytes = (): number =>
  Math.min(mostBytes, Math.floor(getHeapStatistics().heap_size_limit * heapShare));

interface Shareable {
  readonly bytes: number;
  shrink(bytes: number): void;
}

export class StreamMemory {
  /** Limit in bytes. */
  readonly limit: number;
  #windows = 0;
  #subscriptions = 0;
  #topics = 0;
  #followed = 0;
  /** Level in bytes below which eviction has failed before: what is left cannot be evicted. */
  #futileBelow = 0;

  constructor(limit: number = defaultStreamBytes()) {
    this.limit = limit;
  }

  /** Bytes held, by holder. */
  get held(): { windows: number; subscriptions: number; topics: number } {
    return { windows: this.#windows, subscriptions: this.#subscriptions, topics: this.#topics };
  }

  get used(): number {
    return this.#windows + this.#subscriptions + this.#topics;
  }

  /** Whether the limit is exceeded. */
  get isFull(): boolean {
    return this.used > Math.max(this.limit, this.#futileBelow);
  }

  /** Target in bytes of an eviction. */
  get goal(): number {
    return this.limit * goalShare;
  }

  /**
   * Whether another subscription fits. Topics without subscribers do not count: they are evicted when memory is
   * needed.
   */
  get takesSubscriptions(): boolean {
    return this.#subscriptions + this.#followed * costs.topic < this.limit * subscriptionShare;
  }

  /** Counts bytes of windows; negative when released. */
  count(bytes: number): void {
    this.#windows += bytes;
  }

  countTopics(topics: number): void {
    this.#topics += topics * costs.topic;
  }

  /** Sets the number of topics with subscribers; their cost is counted with all topics. */
  countFollowed(topics: number): void {
    this.#followed += topics;
  }

  countSubscriptions(subscriptions: number): void {
    this.#subscriptions += subscriptions * costs.subscription;
  }

  /** Records that an eviction has freed what it could. */
  relieved(): void {
    this.#futileBelow = this.used > this.goal ? this.used + this.limit * (1 - goalShare) : 0;
  }

  /** Allows another eviction where the last one failed. */
  lookAgain(): void {
    this.#futileBelow = 0;
  }

  /** Trims each window to an even share of the bytes left for windows; the oldest events go, which a store has. */
  shareOut(windows: readonly Shareable[]): void {
    const filled = windows.filter(({ bytes }) => bytes > 0);
    if (this.used <= this.goal || filled.length === 0) return;
    const share = Math.max(0, this.goal - this.#subscriptions - this.#topics) / filled.length;
    for (const window of filled) window.shrink(share);
  }
}
