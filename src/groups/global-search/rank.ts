// Ranks what several kinds have found by one measure: how much of the question they say, where, and how near their meaning is.
import type { SearchMatchKind, SearchMode } from '../../contract/enums.ts';
import { snippetOf } from '../../memory/recall/snippet.ts';
import { wordsOf } from '../../memory/recall/words.ts';
import type { Candidate } from '../../ports/search.ts';

export interface Ranked<C extends Candidate = Candidate> {
  candidate: C;
  /** 0 to 1. */
  score: number;
  matchedBy: SearchMatchKind;
  snippet: string;
}

interface Asked {
  question: string;
  mode: SearchMode;
  /** Of the embedder, for questions that it reads. */
  weights: { semantic: number; keyword: number };
}

/** What a word counts by where it stands; the beginning of a longer word, as while somebody types, counts less. */
const places = { title: 1, tags: 0.9, text: 0.75 } as const;
const asBeginning = 0.8;
/** Shares of a score by words: how much of the question is said, and whether it stands there as it was asked. */
const [byCoverage, byPhrase] = [0.9, 0.1];
/** Found by meaning alone, a thing is among the nearer half of all that was found so. */
const leastNear = 0.5;
/** … and counts so much of its nearness: the nearest of all may still be far. */
const nearAlone = 0.5;
/** Characters of a text that are read for words. */
const readCharacters = 8000;

const flat = (text: string) => text.toLowerCase().replace(/\s+/g, ' ').trim();

/** The best first; of equal ones the newer. Things that neither say a word of the question nor are near it are left out. */
export function rank<C extends Candidate>(candidates: readonly C[], asked: Asked): Ranked<C>[] {
  const wanted = [...new Set(wordsOf(asked.question))];
  const read = candidates.map((candidate) => readOf(candidate, wanted));
  const rarity = wanted.map((_, at) => {
    const having = read.filter(({ strengths }) => (strengths[at] ?? 0) > 0).length;
    return Math.log(1 + candidates.length / Math.max(1, having));
  });
  const near = nearnessOf(candidates);
  const total = asked.weights.semantic + asked.weights.keyword || 1;
  const semantic = asked.mode === 'Semantic' ? 1 : asked.mode === 'Keyword' ? 0 : asked.weights.semantic / total;
  const phrase = flat(asked.question);
  const set = new Set(wanted);
  return candidates
    .flatMap((candidate, at): Ranked<C>[] => {
      const said = asked.mode === 'Semantic' ? 0 : saidOf(read[at] as Read, rarity, phrase);
      const meant = near(candidate);
      if (said === 0 && (meant === null || meant < leastNear || semantic === 0)) return [];
      const isExact = asked.mode !== 'Semantic' && flat(candidate.title) === phrase;
      const score = isExact
        ? 1
        : (1 - semantic) * said + semantic * (meant ?? 0) * (said === 0 && asked.mode !== 'Semantic' ? nearAlone : 1);
      const matchedBy = isExact ? 'Exact' : said === 0 ? 'Semantic' : meant === null ? 'Keyword' : 'Hybrid';
      return [{ candidate, score, matchedBy, snippet: snippetOf(candidate.text || candidate.title, set) }];
    })
    .sort((a, b) => b.score - a.score || timeOf(b) - timeOf(a) || a.candidate.id - b.candidate.id);
}

const timeOf = ({ candidate }: Ranked) => candidate.updatedAt?.getTime() ?? 0;

interface Read {
  title: string;
  text: string;
  /** How strongly it says each word of the question, 0 to 1. */
  strengths: number[];
}

function readOf({ title, text, tags }: Candidate, wanted: readonly string[]): Read {
  const cut = text.slice(0, readCharacters).toWellFormed();
  const fields = [
    [places.title, new Set(wordsOf(title))],
    [places.tags, new Set(wordsOf(tags.join(' ')))],
    [places.text, new Set(wordsOf(cut))],
  ] as const;
  const strengths = wanted.map((word) =>
    Math.max(
      ...fields.map(([weight, words]) => {
        if (words.has(word)) return weight;
        return word.length > 1 && [...words].some((one) => one.startsWith(word)) ? weight * asBeginning : 0;
      }),
    ),
  );
  return { title: flat(title), text: flat(cut), strengths };
}

/** How much of the question something says, 0 to 1: rare words count for more. */
function saidOf({ title, text, strengths }: Read, rarity: readonly number[], phrase: string): number {
  const all = rarity.reduce((sum, one) => sum + one, 0);
  const covered = all === 0 ? 0 : strengths.reduce((sum, one, at) => sum + one * (rarity[at] ?? 0), 0) / all;
  const asAsked = title.includes(phrase) ? places.title : text.includes(phrase) ? places.text : 0;
  // A question of stop words alone, or of signs, is only found as it stands.
  if (all === 0) return asAsked;
  return covered === 0 && asAsked === 0 ? 0 : byCoverage * covered + byPhrase * asAsked;
}

/** Nearness stretched over all kinds to 0…1: they have one embedding model, so theirs can be compared. */
function nearnessOf(candidates: readonly Candidate[]): (one: Candidate) => number | null {
  const all = candidates.flatMap(({ nearness }) => nearness ?? []);
  const [least, most] = [Math.min(...all), Math.max(...all)];
  return ({ nearness }) => {
    if (nearness == null) return null;
    return most > least ? (nearness - least) / (most - least) : 1;
  };
}
