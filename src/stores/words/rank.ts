// Ranks documents by BM25 without scoring every document of common words (MaxScore: Turtle and Flood, 1995).
import { bm25Of, type WordHit } from '../../ports/words.ts';
import { Best } from '../best.ts';
import { Postings } from './postings.ts';

/** A word with its postings in all scopes that are searched. */
interface Term {
  list: Postings;
  /** Upper bound of its part of a document's score. */
  most: number;
  score(count: number, length: number): number;
}

/** Relative tolerance: sums in floating point depend on their order. */
const slack = 1e-9;

/**
 * Adds word after word, the rarest first, to the documents in order of their ids. Documents that cannot be among the best
 * any more are dropped, and at some word no further documents are added.
 *
 * @param words - of each word its postings, one list a scope; a document that is in several scopes counts once
 * @param sizes - how many documents are searched, and the mean number of their words
 */
export function rank(
  words: readonly (readonly Postings[])[],
  sizes: { documents: number; meanLength: number },
  limit: number,
): WordHit[] {
  const terms = words.map((lists) => termOf(lists, sizes)).filter(({ most }) => most > 0);
  // Rare words first: they score the most, and their postings are short.
  terms.sort((a, b) => b.most - a.most);
  /** Upper bound of the part of a word and those after it. */
  const rests = terms.map((_, at) => terms.slice(at).reduce((sum, { most }) => sum + most, 0) * (1 + slack));
  let [sums, next] = scratch as [Sums, Sums];
  sums.clear(0);
  let floor = Number.NEGATIVE_INFINITY;
  for (const [at, term] of terms.entries()) {
    const best = new Best(limit);
    const least = floor - (rests[at + 1] ?? 0);
    // False when a document without any word before this one cannot be among the best.
    const joins = floor <= (rests[at] as number);
    (joins ? joined : raised)(sums, term, { least, best, into: next });
    [sums, next] = [next, sums];
    floor = Math.max(floor, best.last * (1 - slack));
  }
  const hits = sums.best(floor, limit);
  for (const one of scratch) one.trim();
  return hits;
}

function termOf(
  lists: readonly Postings[],
  { documents, meanLength }: { documents: number; meanLength: number },
): Term {
  const list = unionOf(lists.filter(({ size }) => size > 0));
  const withWord = list.size;
  const score = bm25Of({ documents: Math.max(documents, withWord), withWord, meanLength: Math.max(meanLength, 1) });
  return { list, most: withWord === 0 ? 0 : score(list.mostCount, list.leastLength), score };
}

/** Union of the postings of several scopes. */
function unionOf(lists: readonly Postings[]): Postings {
  const [first, second, ...rest] = lists;
  if (!first) return new Postings([]);
  return second ? unionOf([first.with(second), ...rest]) : first;
}

/** Number of documents whose scores keep their memory for the next search. */
const keptRoom = 1 << 17;

/** Partial scores of documents, by growing ids. */
class Sums {
  ids = new Float64Array();
  values = new Float64Array();
  size = 0;

  /** Empties it, and gives it room for as many. */
  clear(room: number): void {
    this.size = 0;
    if (room <= this.ids.length) return;
    this.ids = new Float64Array(room);
    this.values = new Float64Array(room);
  }

  trim(): void {
    if (this.ids.length > keptRoom) [this.ids, this.values] = [new Float64Array(), new Float64Array()];
  }

  push(id: number, value: number): void {
    this.ids[this.size] = id;
    this.values[this.size++] = value;
  }

  best(floor: number, limit: number): WordHit[] {
    const hits: WordHit[] = [];
    for (let at = 0; at < this.size; at++) {
      const score = this.values[at] as number;
      if (score >= floor) hits.push({ id: this.ids[at] as number, score });
    }
    return hits.sort((a, b) => b.score - a.score || a.id - b.id).slice(0, limit);
  }
}

/**
 * Used by turns: a search of common words would make megabytes of them, by which the collector of garbage goes through
 * all memory once for each 64 MB. Nothing waits while documents are ranked.
 */
const scratch = [new Sums(), new Sums()];

interface Adding {
  /** Sums below this are dropped. */
  least: number;
  best: Best;
  into: Sums;
}

/** Adds a word to every document that has it. */
function joined(before: Sums, { list, score }: Term, { least, best, into: sums }: Adding): void {
  sums.clear(before.size + list.size);
  const { ids, counts, lengths, size } = list;
  const keep = (id: number, value: number) => {
    if (value < least) return;
    sums.push(id, value);
    best.add(value);
  };
  let at = 0;
  for (let there = 0; there < before.size; there++) {
    const id = before.ids[there] as number;
    for (; at < size && (ids[at] as number) < id; at++)
      keep(ids[at] as number, score(counts[at] as number, lengths[at] as number));
    const isIn = at < size && ids[at] === id;
    const part = isIn ? score(counts[at] as number, lengths[at] as number) : 0;
    if (isIn) at++;
    keep(id, (before.values[there] as number) + part);
  }
  for (; at < size; at++) keep(ids[at] as number, score(counts[at] as number, lengths[at] as number));
}

/** Adds a word to the documents that have a score already. */
function raised(before: Sums, { list, score }: Term, { least, best, into: sums }: Adding): void {
  sums.clear(before.size);
  let from = 0;
  for (let there = 0; there < before.size; there++) {
    const id = before.ids[there] as number;
    from = list.reach(id, from);
    const isIn = from < list.size && list.ids[from] === id;
    const part = isIn ? score(list.counts[from] as number, list.lengths[from] as number) : 0;
    const value = (before.values[there] as number) + part;
    if (value < least) continue;
    sums.push(id, value);
    best.add(value);
  }
}
