// Cache of the documents that were changed last, as they are stored: their next change does not read them again.
import type { PlainObject } from '../subset/values.ts';
import type { Key } from './keys.ts';
import type { Sqlite } from './sqlite.ts';

/** A document as it is stored, and its text. */
export interface Found {
  document: PlainObject;
  text: string;
}

/** Only changes may read these documents, since they are not copied. */
export interface Recent {
  get(id: Key): Found | undefined;
  keep(id: Key, found: Found): void;
  forget(id: Key): void;
}

/** Size of a collection's cache in documents: those that many writers change in turn. */
const kept = 256;
/** Longest document that is cached, in characters: large ones would fill the memory. */
const keptLength = 65_536;

export function createRecent(sqlite: Sqlite): Recent {
  const documents = new Map<Key, Found>();
  let { rollbacks } = sqlite;
  /** Drops the writes of a transaction that was rolled back. */
  const dropUndone = () => {
    if (rollbacks === sqlite.rollbacks) return;
    rollbacks = sqlite.rollbacks;
    documents.clear();
  };
  return {
    get(id) {
      dropUndone();
      return documents.get(id);
    },
    keep(id, found) {
      dropUndone();
      documents.delete(id);
      if (found.text.length > keptLength) return;
      documents.set(id, found);
      if (documents.size > kept) documents.delete(documents.keys().next().value!);
    },
    forget: (id) => void documents.delete(id),
  };
}
