// An open topic on this node: its window follows the topic's Redis Stream, whatever messages are lost.
import type { Redis } from 'ioredis';
import type { Position } from '../../../ports/event-store.ts';
import { follows } from '../../log/memory-event-store.ts';
import type { Window } from '../../log/window.ts';
import type { TopicNames } from './names.ts';
import { readNumbering } from './numbering.ts';
import { readRow, type StreamRow, toEntry, type WireEvent, type WireStart } from './wire.ts';

/** Rows of a stream per read. */
const readRows = 1000;

export interface TopicDeps {
  commands: Redis;
  /** Ensures that the topic is numbered in this run of Redis, after its window; again where what Redis has `isWrong`. */
  admit: (key: string, isWrong?: boolean) => Promise<void>;
  ready: () => Promise<string>;
  /** The last place of a topic that this node knows. */
  lastPlace: (key: string) => Position;
}

export class RedisTopic {
  readonly window: Window;
  readonly names: TopicNames;
  readonly #deps: TopicDeps;
  pins = 0;
  /** Time at which the last pin was released, ms. */
  releasedAt = 0;
  #filling: Promise<void> | null = null;
  #again = false;

  constructor(window: Window, names: TopicNames, deps: TopicDeps) {
    this.window = window;
    this.names = names;
    this.#deps = deps;
  }

  /** Handles a pub/sub message; one that does not follow directly triggers a read of the stream. */
  receive(event: WireEvent | WireStart): void {
    const { window } = this;
    if (event.gen === window.gen && event.seq <= window.head) return;
    const next = event.gen === window.gen && event.seq === window.head + 1;
    if (next && 'body' in event && !this.#filling) window.take(toEntry(window, event));
    else this.fill().catch(() => undefined);
  }

  /** Updates the window from the stream; calls during a run trigger one more run. */
  fill(): Promise<void> {
    if (this.#filling) {
      this.#again = true;
      return this.#filling;
    }
    this.#filling = this.#fillAll();
    return this.#filling;
  }

  async #fillAll(): Promise<void> {
    try {
      do {
        this.#again = false;
        while (!(await this.#fillOnce())) {
          // Redis was restarted or had evicted the topic, which is numbered again by now.
        }
      } while (this.#again);
    } finally {
      this.#filling = null;
    }
  }

  /** False when the topic had to be started first. */
  async #fillOnce(): Promise<boolean> {
    const { window, names } = this;
    const run = await this.#deps.ready();
    // Taken before the read: later places may be newer than what is read.
    const lastPlace = this.#deps.lastPlace(window.key);
    const { run: known, place } = await readNumbering(this.#deps.commands, names.meta);
    if (known !== run || follows(lastPlace, place)) {
      await this.#deps.admit(window.key);
      return false;
    }
    if (place.gen !== window.gen) window.reset(place.gen, 0);
    if (!(await this.#follow(place.gen))) {
      await this.#deps.admit(window.key, true);
      return false;
    }
    // The stream has expired or is empty after a trim; its durable events are in the store.
    if (window.gen === place.gen && window.head < place.seq) window.reset(place.gen, place.seq);
    return true;
  }

  /** Reads the stream to its end. False when it contradicts the window. */
  async #follow(gen: number): Promise<boolean> {
    const { window, names } = this;
    for (let first = true; ; first = false) {
      const overlap = first && window.size.entries > 0;
      const from = `${overlap ? '' : '('}${gen}-${window.head}`;
      const rows = (await this.#deps.commands.xrange(names.stream, from, '+', 'COUNT', readRows)) as StreamRow[];
      const events = rows.map(readRow).filter((event) => event.gen === gen);
      const [head] = events;
      if (overlap && head?.seq === window.head && !this.#agrees(head)) return false;
      for (const event of events) {
        if (event.seq <= window.head) continue;
        if (event.seq > window.head + 1) window.reset(gen, event.seq - 1);
        window.take(toEntry(window, event));
      }
      if (rows.length < readRows) return true;
    }
  }

  /** False when Redis holds another event under the number of the last one: it was restored from an older state. */
  #agrees(event: WireEvent): boolean {
    const last = this.window.last;
    return !last || last.ends !== null || last.json === toEntry(this.window, event).json;
  }
}
