// What readers made of documents lately, kept beside their text: a document that is as it was is not read again.
import { LRUCache } from 'lru-cache';
import { frozen } from '../../kernel/frozen.ts';
import type { PlainObject } from '../subset/values.ts';
import { decodeDocument } from './codec.ts';

type Make = (document: PlainObject) => object;

/** Characters of text kept for one way of making. */
const keptCharacters = 1_000_000;
/** Longer beginnings are no key. */
const longestKey = 64;

interface Kept {
  text: string;
  /** Made when the same text comes for the second time: what is read once is not worth keeping. */
  value: object | null;
}

/** Only the text decides, whoever wrote it and whatever was rolled back: what is kept needs no word of a change. */
export function createMade(): (text: string, make: Make) => object {
  const kept = new Map<Make, LRUCache<string, Kept>>();
  return (text, make) => {
    // Nearly every text begins with its document's id.
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
