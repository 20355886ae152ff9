// Cache of postings: the documents of a scope that hold a word, by growing ids; the least recently used are evicted.
import { LRUCache } from 'lru-cache';

/** The postings of one word in one scope. */
export class Postings {
  /** Growing. */
  ids: Float64Array;
  /** Count of the word in each document, and the number of words of that document. */
  counts: Uint32Array;
  lengths: Uint32Array;
  size: number;
  /** Bounds: the largest count, and the length of the shortest document. Removals leave them as they are. */
  mostCount = 0;
  leastLength = Number.POSITIVE_INFINITY;

  constructor(rows: readonly (readonly [id: number, count: number, length: number])[]) {
    this.size = rows.length;
    this.ids = Float64Array.from(rows, ([id]) => id);
    this.counts = Uint32Array.from(rows, ([, count]) => count);
    this.lengths = Uint32Array.from(rows, ([, , length]) => length);
    this.#boundAll();
  }

  /** Postings of columns, by growing ids: a common word has tens of thousands, and an array for each would take longer. */
  static ofColumns(ids: readonly number[], counts: readonly number[], lengths: readonly number[]): Postings {
    const postings = new Postings([]);
    postings.size = ids.length;
    postings.ids = new Float64Array(ids);
    postings.counts = new Uint32Array(counts);
    postings.lengths = new Uint32Array(lengths);
    postings.#boundAll();
    return postings;
  }

  get bytes(): number {
    return 16 * this.ids.length + 200;
  }

  /** Position of a document; for a missing one −1 less the position where it would be inserted. */
  at(id: number): number {
    let [low, high] = [0, this.size - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const found = this.ids[middle] as number;
      if (found === id) return middle;
      if (found < id) low = middle + 1;
      else high = middle - 1;
    }
    return -1 - low;
  }

  /** First position from `from` on with an id of at least `id`, by galloping search. */
  reach(id: number, from: number): number {
    const { ids, size } = this;
    let step = 1;
    let low = from;
    while (low + step < size && (ids[low + step] as number) < id) {
      low += step;
      step *= 2;
    }
    let high = Math.min(size, low + step);
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ids[middle] as number) < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Union with other postings; a document that is in both counts once. */
  with(other: Postings): Postings {
    const both = new Postings([]);
    const room = this.size + other.size;
    [both.ids, both.counts, both.lengths] = [new Float64Array(room), new Uint32Array(room), new Uint32Array(room)];
    for (let a = 0, b = 0; a < this.size || b < other.size; both.size++) {
      const isOwn = b >= other.size || (a < this.size && (this.ids[a] as number) <= (other.ids[b] as number));
      const [from, at] = isOwn ? [this, a] : [other, b];
      both.ids[both.size] = from.ids[at] as number;
      both.counts[both.size] = from.counts[at] as number;
      both.lengths[both.size] = from.lengths[at] as number;
      if (isOwn && b < other.size && this.ids[a] === other.ids[b]) b++;
      if (isOwn) a++;
      else b++;
    }
    both.mostCount = Math.max(this.mostCount, other.mostCount);
    both.leastLength = Math.min(this.leastLength, other.leastLength);
    return both;
  }

  put(id: number, count: number, length: number): void {
    this.#bound(count, length);
    let at = this.at(id);
    if (at < 0) {
      at = -1 - at;
      this.#open(at);
      this.ids[at] = id;
    }
    this.counts[at] = count;
    this.lengths[at] = length;
  }

  remove(id: number): void {
    const at = this.at(id);
    if (at < 0) return;
    for (const column of [this.ids, this.counts, this.lengths]) column.copyWithin(at, at + 1, this.size);
    this.size--;
  }

  /** Opens a gap for one more at a position. */
  #open(at: number): void {
    if (this.size === this.ids.length) {
      const room = Math.ceil(this.size * 1.5) + 4;
      const [ids, counts, lengths] = [new Float64Array(room), new Uint32Array(room), new Uint32Array(room)];
      ids.set(this.ids);
      counts.set(this.counts);
      lengths.set(this.lengths);
      [this.ids, this.counts, this.lengths] = [ids, counts, lengths];
    }
    for (const column of [this.ids, this.counts, this.lengths]) column.copyWithin(at + 1, at, this.size);
    this.size++;
  }

  #boundAll(): void {
    for (let at = 0; at < this.size; at++) this.#bound(this.counts[at] as number, this.lengths[at] as number);
  }

  #bound(count: number, length: number): void {
    this.mostCount = Math.max(this.mostCount, count);
    this.leastLength = Math.min(this.leastLength, length);
  }
}

export interface PostingsCache {
  get(scope: number, word: string, read: () => Postings): Postings;
  /** Applies a write to postings that are cached. */
  put(scope: number, word: string, entry: { id: number; count: number; length: number }): void;
  remove(scope: number, word: string, id: number): void;
  clear(): void;
}

export function createPostingsCache(maxBytes: number): PostingsCache {
  const held = new LRUCache<string, Postings>({ maxSize: maxBytes, sizeCalculation: ({ bytes }) => bytes });
  const keyOf = (scope: number, word: string) => `${scope} ${word}`;
  return {
    get(scope, word, read) {
      const key = keyOf(scope, word);
      const known = held.get(key);
      if (known) return known;
      const postings = read();
      held.set(key, postings);
      return postings;
    },
    put(scope, word, { id, count, length }) {
      const key = keyOf(scope, word);
      const postings = held.peek(key);
      if (!postings) return;
      const before = postings.bytes;
      postings.put(id, count, length);
      // Its size is counted anew.
      if (postings.bytes !== before) held.set(key, postings);
    },
    remove: (scope, word, id) => held.peek(keyOf(scope, word))?.remove(id),
    clear: () => held.clear(),
  };
}
