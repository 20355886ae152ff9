// Cuts texts into the words that are indexed and asked for: folded, segmented where a script has no blanks, stemmed.
import { stemmer } from 'stemmer';
import { stopWords } from './stop-words.ts';

/** Scripts that put no blanks between words; `Intl.Segmenter` knows their dictionaries. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const word = /[\p{L}\p{N}\p{M}]+(?:['’][\p{L}]+)*/gu;
/** Longer words are names of files and noise. */
const longest = 64;

let segmenter: Intl.Segmenter | null = null;

/** The words of a text in their order, stop words left out. @example wordsOf('The cats in München') // ['cat', 'munchen'] */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const [found] of text.normalize('NFKC').matchAll(word)) {
    if (unspaced.test(found)) words.push(...segmented(found));
    else add(words, found);
  }
  return words;
}

/** How often each word of a text stands in it. */
export function countsOf(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const one of wordsOf(text)) counts.set(one, (counts.get(one) ?? 0) + 1);
  return counts;
}

/** Made late: loading the dictionaries takes some milliseconds, which most servers never need. */
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
