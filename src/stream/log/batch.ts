// A batch: consecutive events for subscribers, encoded once for each framing.
import { type Entry, withoutNulls } from './entry.ts';

/** Server-sent event text of one event under an id. */
export const sseFrame = (id: string, entry: Entry): string =>
  `id: ${id}\nevent: ${entry.type}\ndata: ${entry.json}\n\n`;

export class Batch {
  readonly epoch: string;
  readonly gen: number;
  readonly topic: string;
  readonly entries: readonly Entry[];
  /** A subscriber that has this batch has everything up to this number. */
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

  /** The same without null fields; made once for all clients that asked for that. */
  get lean(): Batch {
    this.#lean ??= new Batch(this.epoch, this.gen, this.topic, this.entries.map(withoutNulls), this.to);
    return this.#lean;
  }

  /** All events as one chunk of a single-topic event stream. */
  get sse(): Buffer {
    this.#sse ??= Buffer.from(this.entries.map((entry) => sseFrame(`${this.epoch}.${entry.seq}`, entry)).join(''));
    return this.#sse;
  }

  /** One WebSocket text message an event. */
  get frames(): readonly Buffer[] {
    this.#frames ??= this.entries.map((entry) => Buffer.from(entry.json));
    return this.#frames;
  }

  /** One socket.io `event` packet an event, as engine.io sends it. */
  get packets(): readonly string[] {
    this.#packets ??= this.entries.map((entry) => `2["event",${entry.json}]`);
    return this.#packets;
  }
}
