// Cache of what readers made of pages of documents, by the documents' texts: an unchanged document is not decoded again.
import { LRUCache } from 'lru-cache';
import { frozen } from '../../kernel/frozen.ts';
import type { PlainObject } from '../subset/values.ts';
import { decodeDocument, isJsonText } from './codec.ts';

export type Make = (document: PlainObject) => object;
export type FromText = (text: string) => object | null;

/** Size of the cache of one reader, in characters of text. */
const keptCharacters = 1_000_000;

interface Kept {
  texts: readonly string[];
  values: readonly object[];
}

/** Stands for a page that was read once: those are not worth caching, and would only be moved about in memory. */
const once: Kept = { texts: [], values: [] };
const sizeOf = ({ texts }: Kept, name: string) =>
  texts.reduce((sum, text) => sum + 100 + text.length, 200 + name.length);

/**
 * Makes an object of each text. `name` only says which page may have the same texts: these alone decide, so that the
 * cache needs no invalidation, also after a rollback.
 */
export function createMade(): (name: string, texts: readonly string[], make: Make, fromText?: FromText) => object[] {
  const kept = new Map<Make, LRUCache<string, Kept>>();
  return (name, texts, make, fromText) => {
    const anew = (text: string) => (isJsonText(text) ? fromText?.(text) : null) ?? make(decodeDocument(text));
    let pages = kept.get(make);
    if (!pages) {
      pages = new LRUCache({ maxSize: keptCharacters, sizeCalculation: sizeOf });
      kept.set(make, pages);
    }
    const known = pages.get(name);
    if (!known) {
      pages.set(name, once);
      return texts.map(anew);
    }
    let same = known.texts.length === texts.length;
    const values = texts.map((text, at) => {
      if (known.texts[at] === text) return known.values[at]!;
      same = false;
      return frozen(anew(text));
    });
    if (!same) pages.set(name, { texts, values });
    return values;
  };
}
