// Addresses that stand in a text as such: `https://…`, without what a sentence adds to them.
import { longestAddress } from './limits.ts';
import { normalAddress } from './parser.ts';

interface Piece {
  words: string;
  /** Where it leads; null for words. */
  href: string | null;
}

const address = /(?<![\p{L}\p{N}_])https?:\/\/[^\s<>"`]+/giu;

/** @example splitAddresses('see https://a.example.') // see, https://a.example with its href, and the full stop */
export function splitAddresses(text: string): Piece[] {
  if (!/:\/\//.test(text)) return [{ words: text, href: null }];
  const pieces: Piece[] = [];
  let from = 0;
  for (const { 0: raw, index } of text.matchAll(address)) {
    const words = raw.slice(0, lengthOf(raw));
    if (words.length > longestAddress) continue;
    pieces.push({ words: text.slice(from, index), href: null }, { words, href: normalAddress(words) });
    from = index + words.length;
  }
  pieces.push({ words: text.slice(from), href: null });
  return pieces;
}

/** Signs at its end belong to the sentence, as does a bracket that the address has not opened. */
function lengthOf(raw: string): number {
  let opened = raw.split('(').length - raw.split(')').length;
  let length = raw.length;
  for (; length > 0; length--) {
    const sign = raw[length - 1] as string;
    if (sign === ')' && opened < 0) opened++;
    else if (!/[.,:;!?'*_~\]]/.test(sign)) break;
  }
  return length;
}
