// What the parts of the database contract share: a store to run on, fresh collections, known deviations.
import { randomUUID } from 'node:crypto';
import { it } from 'vitest';
import type { Collection, Db, Entity } from '../../../src/ports/db.ts';

/** A document of the tests: any fields. */
export interface Doc extends Entity {
  // biome-ignore lint/suspicious/noExplicitAny: contract tests store every allowed type under every name
  [field: string]: any;
}

export interface Store {
  name: string;
  open(): Promise<{ db: Db; close(): Promise<void> }>;
  /** Titles of tests that this server is known to fail, with what it does instead. */
  deviations?: Record<string, string>;
}

export interface Setting {
  db(): Db;
  /** An empty collection, with its documents if given. */
  fresh(documents?: Doc[]): Promise<Collection<Doc>>;
  /** A test; on a server known to deviate, one that must fail. */
  test(title: string, run: () => Promise<void>, timeoutMs?: number): void;
}

export function createSetting(store: Store, db: () => Db): Setting {
  const deviations = store.deviations ?? {};
  return {
    db,
    async fresh(documents = []) {
      const collection = db().collection<Doc>(`c_${randomUUID().replaceAll('-', '')}`);
      if (documents.length > 0) await collection.insertMany(documents);
      return collection;
    },
    test(title, run, timeoutMs) {
      const known = deviations[title];
      if (known === undefined) it(title, run, timeoutMs);
      else if (known.startsWith('sometimes')) it.skip(`${title} (known deviation: ${known})`, run);
      else it.fails(`${title} (known deviation: ${known})`, run, timeoutMs);
    },
  };
}

export const ids = (documents: readonly Doc[]) => documents.map((document) => document._id);
export const sortedIds = (documents: readonly Doc[]) => ids(documents).sort();
