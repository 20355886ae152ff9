// A batch: consecutive events for subscribers, encoded once for each framing.
import { type Entry, withoutNulls } from './entry.ts';

/** Server-sent event text of one event with its id. */
export const sseFrame = (id: string, entry: Entry): string =>
  `id: ${id}\nevent: ${entry.type}\ndata: ${entry.json}\n\n`;

export class Batch {
  readonly epoch: string;
  readonly gen: number;
  readonly topic: string;
  readonly entries: readonly Entry[];
  /** Number up to which a subscriber with this batch has everything. */
  readonly to: number;
  #sse: Buffer | undefined;
  #frames: Buffer[] | undefined;
  #packets: string[] | undefined;
  #lean: Batch | undefined;

  constructor(epoch: string, gen: number, topic: string, entries: readonly Entry[], to: number) {
    this.epoch = epoch;
    this.gen = gen;
    this.topic = topic;
    this.entries = entries;
    this.to = to;
  }

  get characters(): number {
    let characters = 0;
    for (const { length } of this.entries) characters += length;
    return characters;
  }

  /** The batch without null fields; made once for all clients that ask for it. */
  get lean(): Batch {
    this.#lean ??= new Batch(this.epoch, this.gen, this.topic, this.entries.map(withoutNulls), this.to);
    return this.#lean;
  }

  /** All events as one chunk of a single-topic event stream. */
  get sse(): Buffer {
    this.#sse ??= Buffer.from(this.entries.map((entry) => sseFrame(`${this.epoch}.${entry.seq}`, entry)).join(''));
    return this.#sse;
  }

  /** One WebSocket text message per event. */
  get frames(): readonly Buffer[] {
    this.#frames ??= this.entries.map((entry) => Buffer.from(entry.json));
    return this.#frames;
  }

  /** One socket.io `event` packet per event, as engine.io sends it. */
  get packets(): readonly string[] {
    this.#packets ??= this.entries.map((entry) => `2["event",${entry.json}]`);
    return this.#packets;
  }
}
