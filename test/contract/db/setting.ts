// What the parts of the database contract share: a store to run on, fresh collections, known deviations.
import { randomUUID } from 'node:crypto';
import type { Collection, Db, Entity } from '../../../src/ports/db.ts';
import { type DeclareTest, type Deviations, testsWith } from '../known.ts';

/** A document of the tests: any fields. */
export interface Doc extends Entity {
  // biome-ignore lint/suspicious/noExplicitAny: contract tests store every allowed type under every name
  [field: string]: any;
}

export interface Store {
  name: string;
  open(): Promise<{ db: Db; close(): Promise<void> }>;
  deviations?: Deviations;
}

export interface Setting {
  db(): Db;
  /** An empty collection, with its documents if given. */
  fresh(documents?: Doc[]): Promise<Collection<Doc>>;
  test: DeclareTest;
}

export function createSetting(store: Store, db: () => Db): Setting {
  return {
    db,
    async fresh(documents = []) {
      const collection = db().collection<Doc>(`c_${randomUUID().replaceAll('-', '')}`);
      if (documents.length > 0) await collection.insertMany(documents);
      return collection;
    },
    test: testsWith(store.deviations),
  };
}

export const ids = (documents: readonly Doc[]) => documents.map((document) => document._id);
export const sortedIds = (documents: readonly Doc[]) => ids(documents).sort();
