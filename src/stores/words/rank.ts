// The best documents of some words by BM25, without looking at every document of common words (MaxScore: Turtle and Flood, 1995).
import { bm25Of, type WordHit } from '../../ports/words.ts';
import { Best } from '../best.ts';
import { Postings } from './postings.ts';

/** A word with its postings in all scopes that are searched. */
interface Term {
  list: Postings;
  /** What it adds to a document's score at most. */
  most: number;
  score(count: number, length: number): number;
}

/** Sums in floating point may differ by their order: so much of a score says nothing. */
const slack = 1e-9;

/**
 * Word after word, the rarest first, over documents in the order of their ids. Those that cannot be among the best any
 * more are dropped on the way, and from some word on nobody joins.
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
  // The rare ones first: they say the most, and are short.
  terms.sort((a, b) => b.most - a.most);
  /** What a word and those after it add at most. */
  const rests = terms.map((_, at) => terms.slice(at).reduce((sum, { most }) => sum + most, 0) * (1 + slack));
  let sums = new Sums(0);
  let floor = Number.NEGATIVE_INFINITY;
  for (const [at, term] of terms.entries()) {
    const best = new Best(limit);
    const least = floor - (rests[at + 1] ?? 0);
    // A document with none of the words before cannot be among the best any more.
    const joins = floor <= (rests[at] as number);
    sums = joins ? joined(sums, term, least, best) : raised(sums, term, least, best);
    floor = Math.max(floor, best.last * (1 - slack));
  }
  return sums.best(floor, limit);
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

/** The postings of several scopes as those of one. */
function unionOf(lists: readonly Postings[]): Postings {
  const [first, second, ...rest] = lists;
  if (!first) return new Postings([]);
  return second ? unionOf([first.with(second), ...rest]) : first;
}

/** Documents by growing ids with what their words add up to so far. */
class Sums {
  readonly ids: Float64Array;
  readonly values: Float64Array;
  size = 0;

  constructor(room: number) {
    this.ids = new Float64Array(room);
    this.values = new Float64Array(room);
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

/** Adds a word to all that have it; those with less than `least` are left out. */
function joined(before: Sums, { list, score }: Term, least: number, best: Best): Sums {
  const sums = new Sums(before.size + list.size);
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
  return sums;
}

/** Adds a word to those that are there already. */
function raised(before: Sums, { list, score }: Term, least: number, best: Best): Sums {
  const sums = new Sums(before.size);
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
  return sums;
}
