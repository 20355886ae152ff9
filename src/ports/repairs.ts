// Changes that span documents: the first write carries an intent, which a repair pass completes if its writer died.
import type { CollectionSpec, Entity } from './db.ts';

/** What remains to be done after the write that carries it; null or absent when nothing does. */
export interface Intent<Data = unknown> {
  kind: string;
  /** Tells two intents of one kind on one document apart. */
  token: string;
  sinceUtc: Date;
  data: Data;
}

/** A document that may carry an intent. */
export interface WithIntent extends Entity {
  intent?: Intent | null;
}

export interface Repairs {
  /**
   * Says how intents of one kind are completed. `complete` must be idempotent: it runs again after a crash, and may run
   * in two processes at once.
   */
  register<T extends WithIntent, Data>(repair: {
    collection: CollectionSpec<T>;
    kind: string;
    complete: (document: T, intent: Intent<Data>) => Promise<void>;
  }): void;
  /** An intent to put into the first write. */
  intent<Data>(kind: string, data: Data): Intent<Data>;
  /** Completes the intent that a document just written carries, and clears it. The writer calls this after its first write. */
  settle<T extends WithIntent>(collection: CollectionSpec<T>, document: T): Promise<void>;
  /** Completes what dead writers left: intents older than the grace period. Returns how many were completed. */
  run(): Promise<number>;
}

/** The index that a collection whose documents carry intents declares, so that the repair pass is quick. */
export const intentIndex = { keys: { 'intent.kind': 1, 'intent.sinceUtc': 1 } } as const;
