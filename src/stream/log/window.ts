// Window: the latest events of one topic in memory, encoded, that subscribers' cursors run over.
import { Batch } from './batch.ts';
import { epochOf } from './cursor.ts';
import { type Ending, endingOf } from './ending.ts';
import { cutDelta, Entry, type EntryPlace, joinDeltas } from './entry.ts';
import { costs, type StreamMemory } from './memory-budget.ts';
import { publicName } from './topics.ts';

export interface WindowLimits {
  /** Limits per topic in entries and characters; older deltas are joined first, then the oldest entries are dropped. */
  entries: number;
  characters: number;
}

export const defaultWindowLimits: WindowLimits = { entries: 8192, characters: 4 * 1024 * 1024 };

/** Characters per batch: half of what may wait for a slow client, since one more is sent while there is room. */
export const batchCharacters = 32_768;
/** Limit of kept batches at different cursors, for sharing. */
const sharedBatches = 32;
/** Lag in events above which a subscriber gets adjacent deltas joined. */
const laggingEntries = 64;

export interface AppendedEvent {
  type: string;
  at: number;
  body: string;
  durable: boolean;
  mergeKey: string | null;
}

export class Window {
  readonly key: string;
  readonly topic: string;
  readonly origin: string;
  readonly #limits: WindowLimits;
  readonly #memory: StreamMemory | null;
  /** Ending of its subject; null for topics that never end. */
  ending: Ending | null;
  /** Cached result of `ending`, since thousands of cursors ask. */
  isOver = false;
  /** Called after each append and reset; the hub sets it while the topic has subscribers. */
  onChange: (() => void) | null = null;
  gen: number;
  /** Position of its entries: the epoch of its generation. */
  place: EntryPlace;
  /** Number of the last event. */
  head: number;
  lastChangeAt: number;
  #entries: Entry[] = [];
  #characters = 0;
  /** Latest batches: subscribers that move together share them. */
  #batches = new Map<number, Batch>();
  /** Index below which entries have been joined already. */
  #joined = 0;
  /** Bytes of the encoded batches. */
  #batchBytes = 0;

  constructor(
    key: string,
    origin: string,
    place: { gen: number; head: number; now: number },
    limits: WindowLimits,
    memory: StreamMemory | null = null,
  ) {
    this.key = key;
    this.topic = publicName(key);
    this.ending = endingOf(this.topic);
    this.origin = origin;
    this.#limits = limits;
    this.#memory = memory;
    this.gen = place.gen;
    this.place = { epoch: epochOf(origin, place.gen), topic: this.topic };
    this.head = place.head;
    this.lastChangeAt = place.now;
  }

  get epoch(): string {
    return this.place.epoch;
  }

  /** The oldest number held; `head + 1` when empty. */
  get start(): number {
    return this.#entries[0]?.first ?? this.head + 1;
  }

  get last(): Entry | undefined {
    return this.#entries.at(-1);
  }

  get size(): { entries: number; characters: number } {
    return { entries: this.#entries.length, characters: this.#characters };
  }

  /** Bytes of its events in memory, without encoded batches, which are temporary. */
  get bytes(): number {
    return this.#characters + this.#entries.length * costs.entry;
  }

  /** Numbers an event and appends it. */
  append(event: AppendedEvent): void {
    const seq = this.head + 1;
    const last = this.#entries.at(-1);
    const { type, at, durable, body } = event;
    const mergeKey = last && last.mergeKey === event.mergeKey ? last.mergeKey : event.mergeKey;
    this.take(new Entry(this.place, { first: seq, seq, type, at, durable, mergeKey, body, ends: null }));
  }

  /** Appends an entry that follows `head`. */
  take(entry: Entry): void {
    this.#entries.push(entry);
    this.#characters += entry.length;
    this.#memory?.count(entry.length + costs.entry);
    this.head = entry.seq;
    this.lastChangeAt = entry.at;
    if (entry.durable && this.ending) {
      this.ending.take(entry.type, () => JSON.parse(entry.body));
      this.isOver = this.ending.isOver;
    }
    if (this.#batches.size > 0) this.forgetBatches();
    // Readers may take this tick's events before the window is trimmed to its limit.
    if (this.#entries.length > 2 * this.#limits.entries || this.#characters > 2 * this.#limits.characters) this.trim();
    this.onChange?.();
  }

  /** Continues at another position; held entries are dropped. */
  reset(gen: number, head: number): void {
    this.shrink(0);
    this.ending = endingOf(this.topic);
    this.isOver = false;
    this.gen = gen;
    this.place = { epoch: epochOf(this.origin, gen), topic: this.topic };
    this.head = head;
    this.onChange?.();
  }

  /**
   * Trims to the limits: joins deltas in the older half, then drops the oldest entries, down to three quarters so
   * that trimming does not repeat at once.
   */
  trim(): void {
    const { entries, characters } = this.#limits;
    if (this.#entries.length <= entries && this.#characters <= characters) return;
    this.#joinOlder();
    let drop = 0;
    let left = this.#characters;
    while (this.#entries.length - drop > entries * 0.75 || left > characters * 0.75) {
      const entry = this.#entries[drop];
      if (!entry) break;
      left -= entry.length;
      drop++;
    }
    this.#drop(drop);
  }

  /** Drops the oldest entries until `bytes` are held: cursors before them read the store. */
  shrink(bytes: number): void {
    let drop = 0;
    for (let left = this.bytes; left > bytes && drop < this.#entries.length; drop++) {
      left -= (this.#entries[drop]?.length ?? 0) + costs.entry;
    }
    this.#drop(drop);
    this.forgetBatches();
  }

  /** Batch after number `after`, which must be at least `start - 1`; null when there is none. */
  since(after: number): Batch | null {
    if (after >= this.head) return null;
    const known = this.#batches.get(after);
    if (known) return known;
    const batch = this.#cut(after);
    if (this.#batches.size >= sharedBatches) this.forgetBatches();
    this.#batches.set(after, batch);
    this.#batchBytes += batch.characters;
    this.#memory?.count(batch.characters);
    return batch;
  }

  /** Number before the first event at or after a time in ms; `head` when all are older. */
  before(time: number): number {
    const found = this.#entries.find((entry) => entry.at >= time);
    return found ? found.first - 1 : this.head;
  }

  /** Drops encoded batches; the next reader encodes them again. */
  forgetBatches(): void {
    this.#batches.clear();
    this.#memory?.count(-this.#batchBytes);
    this.#batchBytes = 0;
  }

  #drop(entries: number): void {
    if (entries === 0) return;
    const before = this.bytes;
    for (const { length } of this.#entries.splice(0, entries)) this.#characters -= length;
    this.#memory?.count(this.bytes - before);
    this.#joined = Math.max(0, this.#joined - entries);
    this.forgetBatches();
  }

  #cut(after: number): Batch {
    const from = this.#indexAfter(after);
    let end = from;
    for (let characters = 0; end < this.#entries.length && characters < batchCharacters; end++) {
      characters += this.#entries[end]?.length ?? 0;
    }
    let picked = this.#entries.slice(from, end);
    const first = picked[0] as Entry;
    if (first.first <= after) picked[0] = cutDelta(first, after);
    if (picked.length > laggingEntries) picked = joinDeltas(picked);
    return new Batch(this.epoch, this.gen, this.topic, picked, picked.at(-1)?.seq ?? after);
  }

  /** Index of the first entry that covers a number after `after`. */
  #indexAfter(after: number): number {
    const entries = this.#entries;
    const last = entries.length - 1;
    if (entries[last]?.first === after + 1) return last;
    let low = 0;
    let high = last;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((entries[middle]?.seq ?? 0) > after) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #joinOlder(): void {
    const half = this.#entries.length >> 1;
    if (half <= this.#joined) return;
    const before = this.bytes;
    const older = joinDeltas(this.#entries.slice(0, half));
    this.#entries.splice(0, half, ...older);
    this.#joined = older.length;
    this.#characters = this.#entries.reduce((sum, entry) => sum + entry.length, 0);
    this.#memory?.count(this.bytes - before);
    this.forgetBatches();
  }
}
