import { expect, it } from 'vitest';
import { bm25Part } from '../../ports/words.ts';
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
      if (at >= 0) score += bm25Part({ ...sizes, withWord: list.size, count: list.counts[at] as number, length });
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
