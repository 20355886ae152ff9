// Reindexing on demand: compares the indexes of all kinds with the documents at once instead of in the next round.
import type { Indexing } from './indexing.ts';

export interface Indexed {
  name: string;
  indexing: Pick<Indexing, 'repair' | 'round'>;
}

/** Counts of one kind: documents whose entries are rebuilt, and removed entries without a document. */
export interface Reindexed {
  kind: string;
  reopened: number;
  removed: number;
}

/** Safe to repeat, and to run beside the background rounds. */
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
