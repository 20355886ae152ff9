// The memory that the streams of one process may take: every holder counts what it holds, and brokers make room.
import { getHeapStatistics } from 'node:v8';

/** What things cost besides their text, in bytes; measured on Node 20, rounded up. */
export const costs = { entry: 200, topic: 2048, subscription: 512 } as const;

/** Default share of the heap that streams may take, and the most bytes of it. */
const heapShare = 1 / 10;
const mostBytes = 256 * 1024 * 1024;
/** Room is made down to this part of the limit, so that it is not made again at once. */
const goalShare = 0.75;
/** Subscriptions may take this part; the rest is left for events. */
const subscriptionShare = 0.5;

/** Default limit of the streams' memory, in bytes. */
export const defaultStreamBytes = (): number =>
  Math.min(mostBytes, Math.floor(getHeapStatistics().heap_size_limit * heapShare));

interface Shareable {
  readonly bytes: number;
  shrink(bytes: number): void;
}

export class StreamMemory {
  /** Bytes that are to be kept to. */
  readonly limit: number;
  #windows = 0;
  #subscriptions = 0;
  #topics = 0;
  #followed = 0;
  /** Below this no room is made again: what is left can't go. */
  #futileBelow = 0;

  constructor(limit: number = defaultStreamBytes()) {
    this.limit = limit;
  }

  /** Bytes taken, by holder. */
  get held(): { windows: number; subscriptions: number; topics: number } {
    return { windows: this.#windows, subscriptions: this.#subscriptions, topics: this.#topics };
  }

  get used(): number {
    return this.#windows + this.#subscriptions + this.#topics;
  }

  /** Whether room must be made. */
  get isFull(): boolean {
    return this.used > Math.max(this.limit, this.#futileBelow);
  }

  /** Bytes to come down to when room is made. */
  get goal(): number {
    return this.limit * goalShare;
  }

  /** Whether more may be followed. Topics without followers do not count: they are evicted when memory is needed. */
  get takesSubscriptions(): boolean {
    return this.#subscriptions + this.#followed * costs.topic < this.limit * subscriptionShare;
  }

  /** Counts what windows took, or gave back when negative. */
  count(bytes: number): void {
    this.#windows += bytes;
  }

  countTopics(topics: number): void {
    this.#topics += topics * costs.topic;
  }

  /** Topics that have subscribers; their cost is counted with all topics. */
  countFollowed(topics: number): void {
    this.#followed += topics;
  }

  countSubscriptions(subscriptions: number): void {
    this.#subscriptions += subscriptions * costs.subscription;
  }

  /** Notes that room was made, as far as it could be. */
  relieved(): void {
    this.#futileBelow = this.used > this.goal ? this.used + this.limit * (1 - goalShare) : 0;
  }

  /** Tries again where room could not be made before. */
  lookAgain(): void {
    this.#futileBelow = 0;
  }

  /** Lets each window keep an even share of what is left for windows. The oldest events go, which a store has. */
  shareOut(windows: readonly Shareable[]): void {
    const filled = windows.filter(({ bytes }) => bytes > 0);
    if (this.used <= this.goal || filled.length === 0) return;
    const share = Math.max(0, this.goal - this.#subscriptions - this.#topics) / filled.length;
    for (const window of filled) window.shrink(share);
  }
}
