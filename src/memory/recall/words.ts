// Tokenizer of texts into indexed words: folded, segmented where a script has no blanks, stemmed.
import { stemmer } from 'stemmer';
import { stopWords } from './stop-words.ts';

/** Scripts without blanks between words, which `Intl.Segmenter` divides by dictionary. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const word = /[\p{L}\p{N}\p{M}]+(?:['’][\p{L}]+)*/gu;
/** Limit of a word's length: longer ones are file names and noise. */
const longest = 64;

let segmenter: Intl.Segmenter | null = null;

/** Words of a text in order, without stop words. @example wordsOf('The cats in München') // ['cat', 'munchen'] */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const [found] of text.normalize('NFKC').matchAll(word)) {
    if (unspaced.test(found)) words.push(...segmented(found));
    else add(words, found);
  }
  return words;
}

/** Number of occurrences of each word in a text. */
export function countsOf(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const one of wordsOf(text)) counts.set(one, (counts.get(one) ?? 0) + 1);
  return counts;
}

/** Segmenter, created on first use: loading its dictionaries takes some milliseconds, which most servers never need. */
function* segmented(text: string): Generator<string> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' });
  for (const { segment, isWordLike } of segmenter.segment(text)) if (isWordLike) yield segment.toLowerCase();
}

function add(words: string[], found: string): void {
  const folded = found
    .replace(/['’]\p{L}*$/u, '')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .slice(0, longest);
  if (!folded || stopWords.has(folded)) return;
  words.push(/^[a-z]+$/.test(folded) ? stemmer(folded) : folded);
}
