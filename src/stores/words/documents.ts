// Index of words as documents, for stores that several nodes share: the store finds, this module scores.
import { createLru } from '../../kernel/lru.ts';
import { type Collection, type Db, defineCollection } from '../../ports/db.ts';
import { type PerTenant, perTenant, type Tenanted } from '../../ports/tenanted.ts';
import { bm25Of, type WordEntry, type WordHit, type WordSizes, type Words } from '../../ports/words.ts';

interface WordDoc extends Tenanted {
  _id: string;
  kind: string;
  entryId: number;
  scopes: string[];
  /** Words, and the count of each in the document, in the same order. */
  words: string[];
  counts: number[];
  length: number;
}

export const wordSpec = defineCollection<WordDoc>({
  name: 'word_entries',
  indexes: [{ keys: { tenantId: 1, kind: 1, words: 1 } }, { keys: { kind: 1, entryId: 1 } }],
});

/** Lifetime in ms of the cached size of a large scope, and the entries up to which a scope is small. */
const [sizesMs, smallScope] = [60_000, 1000];

export function createDocumentWords({ db }: { db: Db }): Words {
  const all: Collection<WordDoc> = db.collection(wordSpec);
  const of = perTenant(all);
  const keyOf = (kind: string, id: number) => `${kind}:${id}`;
  const sizes = createSizes(of);
  return {
    sizes,
    async upsert(kind, entries) {
      for (const { id, tenantId, scopes, counts } of entries) {
        const fields = {
          kind,
          entryId: id,
          scopes: [...scopes],
          words: [...counts.keys()],
          counts: [...counts.values()],
          length: lengthOf(counts.values()),
        };
        await of(tenantId).updateOne(
          { _id: keyOf(kind, id) },
          { $set: fields, $setOnInsert: { tenantId } },
          { upsert: true },
        );
      }
    },
    async remove(kind, tenantId, ids) {
      await of(tenantId).deleteMany({ _id: { $in: ids.map((id) => keyOf(kind, id)) } });
    },
    async search(kind, { tenantId, scopes, words, limit, namesOf = (word) => [word] }) {
      const within = { kind, scopes: { $in: [...scopes] } };
      const wanted = [...new Set(words)];
      if (wanted.length === 0 || scopes.length === 0) return [];
      const meant = new Map(wanted.flatMap((word) => namesOf(word).map((name) => [name, word])));
      const [found, searched] = await Promise.all([
        of(tenantId)
          .find({ ...within, words: { $in: [...meant.keys()] } })
          .toArray(),
        sizes(kind, tenantId, scopes),
      ]);
      const spelled = found.map((one) => ({ ...one, words: one.words.map((name) => meant.get(name) ?? name) }));
      return scored(spelled, wanted, searched).slice(0, limit);
    },
    async scroll(kind, after, limit) {
      const some = await all
        .find({ kind, entryId: { $gt: after } })
        .sort({ entryId: 1 })
        .limit(limit)
        .toArray();
      return some.map(
        ({ entryId, tenantId, scopes, words, counts }): WordEntry => ({
          id: entryId,
          tenantId,
          scopes,
          counts: new Map(words.map((word, at) => [word, counts[at] as number])),
        }),
      );
    },
  };
}

/** Sizes of scopes; those of large ones are cached. */
function createSizes(of: PerTenant<WordDoc>): Words['sizes'] {
  const known = createLru<string, WordSizes>(10_000, { ttl: sizesMs });

  async function sizeOf(kind: string, tenantId: number, scope: string): Promise<WordSizes> {
    const key = `${tenantId} ${kind} ${scope}`;
    const kept = known.get(key);
    if (kept) return kept;
    const [sum] = await of(tenantId)
      .aggregate<WordSizes>([
        { $match: { kind, scopes: scope } },
        { $group: { _id: null, documents: { $sum: 1 }, words: { $sum: '$length' } } },
      ])
      .toArray();
    const size = { documents: sum?.documents ?? 0, words: sum?.words ?? 0 };
    // A small scope is quick to add up, and each entry changes its size much.
    if (size.documents > smallScope) known.set(key, size);
    return size;
  }

  return async function sizes(kind: string, tenantId: number, scopes: readonly string[]): Promise<WordSizes> {
    const all = await Promise.all(scopes.map((scope) => sizeOf(kind, tenantId, scope)));
    const sum = (pick: (one: WordSizes) => number) => all.reduce((total, one) => total + pick(one), 0);
    return { documents: sum((one) => one.documents), words: sum((one) => one.words) };
  };
}

function scored(found: readonly WordDoc[], wanted: readonly string[], { documents, words: total }: WordSizes) {
  // FerretDB 1.24 has no $sum: the mean length is estimated from the entries found.
  const lengths = found.reduce((sum, one) => sum + one.length, 0);
  const meanLength = total > 0 ? total / documents : lengths / found.length;
  const withWord = new Map<string, number>();
  for (const { words } of found) for (const word of words) withWord.set(word, (withWord.get(word) ?? 0) + 1);
  const scoreOf = new Map(
    [...withWord].map(([word, count]) => [word, bm25Of({ withWord: count, documents, meanLength })]),
  );
  const hits = found.map(({ entryId, words, counts, length }): WordHit => {
    const countOf = new Map(words.map((word, at) => [word, counts[at] as number]));
    const parts = wanted.map((word) => {
      const count = countOf.get(word);
      if (count === undefined) return 0;
      return scoreOf.get(word)?.(count, length) ?? 0;
    });
    return { id: entryId, score: parts.reduce((sum, one) => sum + one, 0) };
  });
  return hits.sort((a, b) => b.score - a.score || a.id - b.id);
}

function lengthOf(counts: Iterable<number>): number {
  let sum = 0;
  for (const one of counts) sum += one;
  return sum;
}
