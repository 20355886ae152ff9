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

/** Size of a collection's cache in characters of text: the documents of some 1,700 runs that take turns. */
const keptCharacters = 4_000_000;
/** What a document takes beside its text, in characters: without it, 48,000 small ones would be kept. */
const beside = 400;
/** Longest document that is cached, in characters: large ones would fill it. */
const keptLength = 65_536;

const sizeOf = ({ text }: Found) => beside + text.length;

export function createRecent(sqlite: Sqlite): Recent {
  const documents = new Map<Key, Found>();
  let characters = 0;
  let { rollbacks } = sqlite;
  /** Drops the writes of a transaction that was rolled back. */
  const dropUndone = () => {
    if (rollbacks === sqlite.rollbacks) return;
    rollbacks = sqlite.rollbacks;
    documents.clear();
    characters = 0;
  };
  const forget = (id: Key) => {
    const known = documents.get(id);
    if (!known) return;
    characters -= sizeOf(known);
    documents.delete(id);
  };
  return {
    get(id) {
      dropUndone();
      return documents.get(id);
    },
    keep(id, found) {
      dropUndone();
      forget(id);
      if (found.text.length > keptLength) return;
      documents.set(id, found);
      characters += sizeOf(found);
      while (characters > keptCharacters) forget(documents.keys().next().value!);
    },
    forget,
  };
}
