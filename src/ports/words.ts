// The index of words: which documents of a tenant's scopes hold a word, how often, and how common the word is there.

export interface WordEntry {
  id: number;
  tenantId: number;
  /** As in `VectorPoint`. */
  scopes: readonly string[];
  /** Each word with the number of times that it stands in the document. */
  counts: ReadonlyMap<string, number>;
  /** Whether its words are stored as digests alone. */
  isSealed?: boolean;
}

export interface WordSearch {
  tenantId: number;
  scopes: readonly string[];
  words: readonly string[];
  limit: number;
  /** All that a word is stored as, itself included; just itself when absent. */
  namesOf?(word: string): readonly string[];
}

export interface WordHit {
  id: number;
  /** BM25; above 0. */
  score: number;
}

export interface WordSizes {
  documents: number;
  words: number;
}

/**
 * Where words are indexed. Statistics are those of the scopes that are searched, their sizes added up: what others keep
 * to themselves does not change a rank. What is written is found when the promise resolves.
 */
export interface Words {
  /** Writes entries of a kind, over those of the same id. */
  upsert(kind: string, entries: readonly WordEntry[]): Promise<void>;
  remove(kind: string, tenantId: number, ids: readonly number[]): Promise<void>;
  /** Hits, best first; of equal ones the lower id first. */
  search(kind: string, search: WordSearch): Promise<WordHit[]>;
  /** How many entries scopes have, added up, and how many words these have: kept, not counted, so that it may lag behind. */
  sizes(kind: string, tenantId: number, scopes: readonly string[]): Promise<WordSizes>;
  /** What is indexed, by id from `after` on, for repairs. */
  scroll(kind: string, after: number, limit: number): Promise<WordEntry[]>;
}

/**
 * BM25's constants: k1, how soon a repeated word says nothing more, as Lucene and SQLite have it; b, how much length counts,
 * .5 instead of their .75, since memories are short and of one kind (R@10 of LoCoMo .758 instead of .755).
 */
export const bm25 = { k1: 1.2, b: 0.5 } as const;

/** How common a word is in the scopes that are searched. */
export interface WordStatistics {
  documents: number;
  withWord: number;
  meanLength: number;
}

/** What a word adds to a document's score: its rarity in the scopes times how often it stands in so short a text. */
export function bm25Of({ documents, withWord, meanLength }: WordStatistics): (count: number, length: number) => number {
  const rarity = Math.log(1 + (documents - withWord + 0.5) / (withWord + 0.5));
  const { k1, b } = bm25;
  const mean = meanLength || 1;
  return (count, length) => (rarity * count * (k1 + 1)) / (count + k1 * (1 - b + (b * length) / mean));
}
