import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bm25Of } from '../../ports/words.ts';
import { Postings } from './postings.ts';
import { rank } from './rank.ts';

it('ranks as a look at every document does, with rare and with common words', () => {
  let state = 5;
  const next = () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
  const documents = Array.from({ length: 4000 }, (_, id) => ({ id: id * 3, length: 5 + Math.floor(next() * 40) }));
  const postings = [0.6, 0.3, 0.02, 0.004].map(
    (share) =>
      new Postings(
        documents
          .filter(() => next() < share)
          .map(({ id, length }) => [id, 1 + Math.floor(next() * 3), length] as const),
      ),
  );
  const sizes = { documents: 4000, meanLength: 24 };
  const scores = documents.map(({ id, length }) => {
    let score = 0;
    for (const list of postings) {
      const at = list.at(id);
      if (at >= 0) score += bm25Of({ ...sizes, withWord: list.size })(list.counts[at] as number, length);
    }
    return { id, score };
  });
  const plain = scores.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score || a.id - b.id);
  for (const limit of [1, 10, 200]) {
    const found = rank(
      postings.map((list) => [list]),
      sizes,
      limit,
    );
    expect(found.map(({ id }) => id)).toEqual(plain.slice(0, limit).map(({ id }) => id));
  }
});

it('keeps postings in order through writes and removals', () => {
  const list = new Postings([[5, 1, 10]]);
  for (const id of [9, 2, 7, 5]) list.put(id, id, 20);
  list.remove(7);
  list.remove(8);
  expect([...list.ids.subarray(0, list.size)]).toEqual([2, 5, 9]);
  expect([...list.counts.subarray(0, list.size)]).toEqual([2, 5, 9]);
});

it('counts a document of several scopes once, however words and scopes lie', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.array(fc.array(fc.tuple(fc.nat(60), fc.integer({ min: 1, max: 3 })), { maxLength: 40 }), {
          minLength: 2,
          maxLength: 3,
        }),
        {
          minLength: 1,
          maxLength: 5,
        },
      ),
      fc.integer({ min: 1, max: 8 }),
      (words, limit) => {
        const lengthOf = (id: number) => 3 + (id % 17);
        const sizes = { documents: 61, meanLength: 11 };
        // A document has a word as often in each of its scopes.
        const known = words.map((lists) => new Map(lists.flat()));
        const postings = words.map((lists, at) =>
          lists.map((list) => {
            const ids = [...new Set(list.map(([id]) => id))].sort((a, b) => a - b);
            return new Postings(ids.map((id) => [id, known[at]?.get(id) ?? 1, lengthOf(id)] as const));
          }),
        );
        const scores = new Map<number, number>();
        for (const counts of known) {
          const score = bm25Of({ ...sizes, withWord: counts.size });
          for (const [id, count] of counts) scores.set(id, (scores.get(id) ?? 0) + score(count, lengthOf(id)));
        }
        const plain = [...scores].sort(([a, one], [b, other]) => other - one || a - b).slice(0, limit);
        const found = rank(postings, sizes, limit);
        expect(found.length).toBe(plain.length);
        for (const [at, { id, score }] of found.entries()) {
          expect(score).toBeCloseTo(plain[at]?.[1] ?? -1, 9);
          expect(scores.get(id)).toBeCloseTo(score, 9);
        }
      },
    ),
  );
});

it('reaches a document by steps, from any place', () => {
  const list = new Postings(Array.from({ length: 200 }, (_, at) => [at * 2, 1, 1] as const));
  for (const id of [0, 1, 2, 77, 398, 399, 900])
    for (const from of [0, 3, 30]) expect(list.reach(id, from)).toBe(Math.max(from, Math.min(200, Math.ceil(id / 2))));
});
