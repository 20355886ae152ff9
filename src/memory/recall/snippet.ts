// Snippet of a text around the words of a question.
import { wordsOf } from './words.ts';

const length = 240;

/** Window of the text with the most different words of the question; its beginning where there are none. */
export function snippetOf(text: string, wanted: ReadonlySet<string>): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  if (flat.length <= length) return flat;
  let best = { at: 0, count: 0 };
  for (let at = 0; at < flat.length; at += length / 2) {
    const count = new Set(wordsOf(flat.slice(at, at + length)).filter((word) => wanted.has(word))).size;
    if (count > best.count) best = { at, count };
  }
  const begin = best.at === 0 ? 0 : flat.indexOf(' ', best.at) + 1 || best.at;
  const end = Math.min(flat.length, begin + length);
  const cut = flat.slice(begin, end).toWellFormed();
  return `${begin > 0 ? '… ' : ''}${cut}${end < flat.length ? ' …' : ''}`;
}
