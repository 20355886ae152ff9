// The best documents of some words by BM25, without looking at every document of common words (MaxScore: Turtle and Flood, 1995).
import { bm25Part, type WordHit } from '../../ports/words.ts';
import type { Postings } from './postings.ts';

/** A word with its postings in each of the scopes that are searched. */
interface Term {
  lists: Postings[];
  /** What it adds to a document's score at most. */
  most: number;
  score(count: number, length: number): number;
}

/**
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
  const scores = new Map<number, number>();
  for (const [at, term] of terms.entries()) {
    const rest = terms.slice(at).reduce((sum, { most }) => sum + most, 0);
    const floor = leastOf(scores, limit);
    // A document with none of the words before cannot be among the best any more.
    if (floor > rest) return finished(scores, terms.slice(at), floor - rest, limit);
    for (const list of term.lists) addAll(scores, term, list, term.lists);
  }
  return best(scores, limit);
}

function termOf(
  lists: readonly Postings[],
  { documents, meanLength }: { documents: number; meanLength: number },
): Term {
  const filled = lists.filter(({ size }) => size > 0);
  const withWord = filled.length > 1 ? new Set(filled.flatMap(idsOf)).size : (filled[0]?.size ?? 0);
  const known = { documents: Math.max(documents, withWord), withWord, meanLength: Math.max(meanLength, 1) };
  const score = (count: number, length: number) => bm25Part({ ...known, count, length });
  const most = Math.max(0, ...filled.map(({ mostCount, leastLength }) => score(mostCount, leastLength)));
  return { lists: filled, most, score };
}

const idsOf = ({ ids, size }: Postings) => [...ids.subarray(0, size)];

function addAll(scores: Map<number, number>, term: Term, list: Postings, lists: readonly Postings[]): void {
  const before = lists.slice(0, lists.indexOf(list));
  for (let at = 0; at < list.size; at++) {
    const id = list.ids[at] as number;
    if (before.some((one) => one.at(id) >= 0)) continue;
    const part = term.score(list.counts[at] as number, list.lengths[at] as number);
    scores.set(id, (scores.get(id) ?? 0) + part);
  }
}

/** Adds the common words to those that can still be among the best. */
function finished(scores: Map<number, number>, terms: readonly Term[], hopeless: number, limit: number): WordHit[] {
  const left = new Map([...scores].filter(([, score]) => score >= hopeless));
  for (const { lists, score } of terms)
    for (const [id, sum] of left)
      for (const list of lists) {
        const at = list.at(id);
        if (at < 0) continue;
        left.set(id, sum + score(list.counts[at] as number, list.lengths[at] as number));
        break;
      }
  return best(left, limit);
}

/** The score of the last of the best; below any where there are not so many. */
function leastOf(scores: ReadonlyMap<number, number>, limit: number): number {
  if (scores.size < limit) return Number.NEGATIVE_INFINITY;
  const sorted = Float64Array.from(scores.values()).sort();
  return sorted[sorted.length - limit] as number;
}

function best(scores: ReadonlyMap<number, number>, limit: number): WordHit[] {
  const floor = leastOf(scores, limit);
  const hits: WordHit[] = [];
  for (const [id, score] of scores) if (score >= floor) hits.push({ id, score });
  return hits.sort((a, b) => b.score - a.score || a.id - b.id).slice(0, limit);
}
