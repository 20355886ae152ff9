// What every index of words must do.
import { beforeEach, describe, expect, it } from 'vitest';
import { bm25Of, type WordEntry, type Words } from '../../../src/ports/words.ts';
import { randomOf } from '../../support/seed.ts';

/** `addsUp` is false for servers whose sums are wrong: their scores are guesses, and nothing else is. */
export function wordsSuite(name: string, open: () => Promise<Words>, { addsUp = true } = {}): void {
  describe(`words: ${name}`, () => {
    let words: Words;
    beforeEach(async () => {
      words = await open();
    });
    const ids = async (wanted: string[], scopes = ['a'], tenantId = 1) =>
      (await words.search('notes', { tenantId, scopes, words: wanted, limit: 10 })).map(({ id }) => id);

    (addsUp ? it : it.fails)('scores by BM25 over the scopes that are asked for', async () => {
      const random = randomOf(5);
      const entries = Array.from({ length: 60 }, (_, at) => randomEntry(at + 1, random));
      await words.upsert('notes', entries);
      for (const scopes of [['a'], ['a', 'b'], ['b', 'c', 'none']]) {
        const wanted = ['w0', 'w3', 'w7', 'absent'];
        const found = await words.search('notes', { tenantId: 1, scopes, words: [...wanted, 'w3'], limit: 12 });
        const expected = naive(entries, scopes, wanted).slice(0, 12);
        expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
        for (const [at, { score }] of found.entries()) expect(score).toBeCloseTo(expected[at]?.score as number, 6);
      }
    });

    it('does not let what is elsewhere change a score', async () => {
      await words.upsert('notes', [entry(1, ['a'], ['tea', 'green']), entry(2, ['a'], ['tea'])]);
      const search = { tenantId: 1, scopes: ['a'], words: ['tea', 'green'], limit: 10 };
      const before = await words.search('notes', search);
      const others = Array.from({ length: 20 }, (_, at) => entry(10 + at, ['b'], ['green']));
      await words.upsert('notes', [...others, { ...entry(40, ['a'], ['green', 'green']), tenantId: 2 }]);
      await words.upsert('other notes', [entry(1, ['a'], ['green'])]);
      expect(await words.search('notes', search)).toEqual(before);
    });

    it('writes over an entry, and forgets its former words and scopes', async () => {
      await words.upsert('notes', [entry(1, ['a', 'b'], ['tea'])]);
      await words.upsert('notes', [entry(1, ['b'], ['coffee'])]);
      expect(await ids(['tea', 'coffee'])).toEqual([]);
      expect(await ids(['tea'], ['b'])).toEqual([]);
      expect(await ids(['coffee'], ['b'])).toEqual([1]);
    });

    it('removes entries of the tenant alone', async () => {
      await words.upsert('notes', [entry(1, ['a'], ['tea']), entry(2, ['a'], ['tea'])]);
      await words.remove('notes', 2, [1]);
      await words.remove('notes', 1, [2, 7]);
      expect(await ids(['tea'])).toEqual([1]);
      expect((await words.scroll('notes', 0, 9)).map(({ id }) => id)).toEqual([1]);
    });

    it('tells page by page what it has', async () => {
      const all = [3, 4, 9, 12].map((id) => entry(id, ['a', 'z'], ['tea', 'tea', `w${id}`]));
      await words.upsert('notes', all);
      expect(await words.scroll('notes', 3, 2)).toEqual(all.slice(1, 3));
      expect(await words.scroll('notes', 12, 2)).toEqual([]);
    });

    it('finds nothing for no words, no scopes and empty entries', async () => {
      await words.upsert('notes', [entry(1, ['a'], []), entry(2, [], ['tea'])]);
      expect(await ids([])).toEqual([]);
      expect(await ids(['tea'], [])).toEqual([]);
      expect(await ids(['tea'], ['a'])).toEqual([]);
    });

    (addsUp ? it : it.fails)('says how large scopes are', async () => {
      await words.upsert('things', [entry(1, ['a'], ['tea', 'tea']), entry(2, ['a', 'b'], ['cup'])]);
      expect(await words.sizes('things', 1, ['a'])).toEqual({ documents: 2, words: 3 });
      expect(await words.sizes('things', 1, ['a', 'b'])).toEqual({ documents: 3, words: 4 });
      await words.remove('things', 1, [1]);
      expect(await words.sizes('things', 1, ['a', 'c'])).toEqual({ documents: 1, words: 1 });
      expect(await words.sizes('others', 1, ['a'])).toEqual({ documents: 0, words: 0 });
    });

    it('finds what changes after a first search', async () => {
      await words.upsert('things', [entry(1, ['a'], ['tea'])]);
      const find = async () =>
        (await words.search('things', { tenantId: 1, scopes: ['a'], words: ['tea'], limit: 9 })).map(({ id }) => id);
      expect(await find()).toEqual([1]);
      await words.upsert('things', [entry(3, ['a'], ['tea', 'tea']), entry(2, ['b'], ['tea'])]);
      expect(await find()).toEqual([3, 1]);
      await words.upsert('things', [entry(3, ['b'], ['tea']), entry(2, ['a'], ['tea', 'tea'])]);
      await words.remove('things', 1, [1]);
      expect(await find()).toEqual([2]);
    });
  });
}

function entry(id: number, scopes: string[], texts: string[]): WordEntry {
  const counts = new Map<string, number>();
  for (const word of texts) counts.set(word, (counts.get(word) ?? 0) + 1);
  return { id, tenantId: 1, scopes, counts };
}

function randomEntry(id: number, random: () => number): WordEntry {
  const texts = Array.from({ length: 1 + Math.floor(random() * 12) }, () => `w${Math.floor(random() ** 2 * 12)}`);
  return entry(
    id,
    ['a', 'b', 'c'].filter(() => random() < 0.5),
    texts,
  );
}

function naive(entries: readonly WordEntry[], scopes: readonly string[], wanted: readonly string[]) {
  const there = entries.filter((one) => one.scopes.some((scope) => scopes.includes(scope)));
  const lengthOf = ({ counts }: WordEntry) => [...counts.values()].reduce((sum, one) => sum + one, 0);
  // Sizes are those of the scopes: what is in two of them counts twice.
  const sizes = there.flatMap((one) => one.scopes.filter((scope) => scopes.includes(scope)).map(() => lengthOf(one)));
  const documents = sizes.length;
  const meanLength = sizes.reduce((sum, one) => sum + one, 0) / documents;
  return there
    .map((one) => ({
      id: one.id,
      score: wanted.reduce((sum, word) => {
        const count = one.counts.get(word);
        if (!count) return sum;
        const withWord = there.filter(({ counts }) => counts.has(word)).length;
        return sum + bm25Of({ documents, withWord, meanLength })(count, lengthOf(one));
      }, 0),
    }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.id - b.id);
}
