// Detection of duplicates: whether two texts say the same.
import { wordsOf } from './recall/words.ts';

/** Numbers and negating words: texts that differ in them are never duplicates. */
const qualifier = /\d+|\b(?:not|no|never|none|without|cannot|only|almost|until|before|after|unless)\b|n['’]t\b/giu;

const qualifiersOf = (text: string) => (text.toLowerCase().match(qualifier) ?? []).sort().join(' ');

/** Whether two texts differ in a number or a negation, and say different things however alike they are. */
export const differs = (one: string, other: string): boolean => qualifiersOf(one) !== qualifiersOf(other);

/** Share of common words of two texts, 0 to 1; 0 where a number or a negation differs. */
export function sameSaid(one: string, other: string): number {
  if (differs(one, other)) return 0;
  const [a, b] = [new Set(wordsOf(one)), new Set(wordsOf(other))];
  if (a.size === 0 || b.size === 0) return 0;
  const common = [...a].filter((word) => b.has(word)).length;
  return common / (a.size + b.size - common);
}
