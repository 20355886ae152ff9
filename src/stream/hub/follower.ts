// Followers of topics inside the server: events as data, one at a time, at the pace of the reader.
import type { FollowedEvent, Follower, FollowRequest } from '../../ports/stream.ts';
import type { Batch } from '../log/batch.ts';
import { parseCursor } from '../log/cursor.ts';
import { topicKey } from '../log/topics.ts';
import type { Hub } from './hub.ts';
import type { Outlet, Place } from './outlet.ts';
import type { Viewer } from './viewer.ts';

/** Readers of topics over a hub. */
export function createFollower(hub: Hub): Follower {
  return { follow: (request) => follow(hub, request) };
}

async function* follow(hub: Hub, request: FollowRequest): AsyncGenerator<FollowedEvent> {
  const { tenantId, topic, lastEventId, since, types, signal } = request;
  const cursor = lastEventId === null ? null : parseCursor(lastEventId, hub.origin);
  const queue: Queue = new Queue(() => {
    if (request.untilNow && viewer.subscriptions.every(({ live, lag }) => live && lag === 0)) queue.end();
  });
  const viewer: Viewer = hub.attach(queue);
  const onAbort = () => queue.end();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const filter = types ? { types: new Set(types), includeDeltas: true } : null;
    await viewer.subscribe({
      key: topicKey(tenantId, topic),
      cursor,
      filter,
      ...(since === undefined ? {} : { since }),
    });
    viewer.start();
    while (!signal.aborted) {
      const batches = await queue.next();
      if (!batches) return;
      for (const { epoch, entries } of batches) {
        for (const entry of entries) {
          if (signal.aborted) return;
          const { seq, first, ends } = entry;
          yield { id: `${epoch}.${seq}`, first, ends, ...(JSON.parse(entry.json) as Omit<FollowedEvent, 'id'>) };
        }
      }
      viewer.resume();
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    viewer.close();
  }
}

/** Holds the batch of one pull: the log itself is the buffer. */
class Queue implements Outlet {
  /** Called when all available events have been sent. */
  readonly idle: () => void;
  #batches: Batch[] = [];
  #wake: (() => void) | null = null;
  #ended = false;
  #error: unknown = null;

  constructor(idle: () => void) {
    this.idle = idle;
  }

  get writable(): boolean {
    return this.#batches.length === 0 && !this.#ended;
  }

  send(_place: Place, batch: Batch): void {
    this.#batches.push(batch);
    this.#wake?.();
  }

  cork(run: () => void): void {
    run();
  }

  fail(error: unknown): void {
    this.#error = error;
    this.end();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** Batches sent since the last call, or null at the end. */
  async next(): Promise<Batch[] | null> {
    if (this.#batches.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = null;
    }
    if (this.#error) throw this.#error;
    if (this.#batches.length === 0) return null;
    const batches = this.#batches;
    this.#batches = [];
    return batches;
  }
}
