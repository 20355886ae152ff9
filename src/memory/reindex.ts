// Makes the indexes of all kinds agree with the documents at once, for who does not want to wait for the rounds.
import type { Indexing } from './indexing.ts';

export interface Indexed {
  name: string;
  indexing: Pick<Indexing, 'repair' | 'round'>;
}

/** Of one kind: documents whose entries are made again, and entries without a document that are gone. */
export interface Reindexed {
  kind: string;
  reopened: number;
  removed: number;
}

/** Safe to repeat, and to do while the rounds are at work. */
export function createReindex(all: readonly Indexed[]): () => Promise<Reindexed[]> {
  return async () => {
    const done: Reindexed[] = [];
    for (const { name, indexing } of all) {
      done.push({ kind: name, ...(await indexing.repair()) });
      await indexing.round();
    }
    return done;
  };
}
