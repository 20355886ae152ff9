// Cache of what readers made of documents, by the documents' text: an unchanged document is not decoded again.
import { LRUCache } from 'lru-cache';
import { frozen } from '../../kernel/frozen.ts';
import type { PlainObject } from '../subset/values.ts';
import { decodeDocument } from './codec.ts';

type Make = (document: PlainObject) => object;

/** Size of the cache of one reader, in characters of text. */
const keptCharacters = 1_000_000;
/** Longest beginning of a text that is used as a key. */
const longestKey = 64;

interface Kept {
  text: string;
  /** Result, made when the same text is read for the second time: documents read once are not worth caching. */
  value: object | null;
}

/** Results are keyed by the text alone, so that the cache needs no invalidation, also after a rollback. */
export function createMade(): (text: string, make: Make) => object {
  const kept = new Map<Make, LRUCache<string, Kept>>();
  return (text, make) => {
    // Nearly every text begins with the document's id.
    const end = text.indexOf(',');
    if (end < 0 || end > longestKey) return make(decodeDocument(text));
    const key = text.slice(0, end);
    let values = kept.get(make);
    const known = values?.get(key);
    if (known?.text === text) {
      known.value ??= frozen(make(decodeDocument(text)));
      return known.value;
    }
    if (!values) {
      values = new LRUCache({ maxSize: keptCharacters, sizeCalculation: (one) => one.text.length });
      kept.set(make, values);
    }
    values.set(key, { text, value: null });
    return make(decodeDocument(text));
  };
}
