// Index of words over sealed texts: words are stored as digests under the tenant's key, and searched by them.
import { createLru } from '../../kernel/lru.ts';
import type { Vault } from '../../kernel/vault.ts';
import type { WordEntry, Words } from '../../ports/words.ts';

/** Size of the cache of digests: common words are not digested for each text. */
const held = 20_000;

/**
 * BM25 counts a word and its digest as one, so that sealed texts rank as others do. Digests are stored in their own order:
 * that of the text would tell more of it.
 *
 * @param kinds - kinds of documents that may be sealed
 */
export function withKeyedWords(words: Words, { digest }: Pick<Vault, 'digest'>, kinds: ReadonlySet<string>): Words {
  const known = createLru<string, string>(held);
  const digestOf = (tenantId: number, word: string): string => {
    const key = `${tenantId} ${word}`;
    const there = known.get(key);
    if (there !== undefined) return there;
    const made = digest(tenantId, word);
    known.set(key, made);
    return made;
  };
  const sealed = (entry: WordEntry): WordEntry => {
    const counts = [...entry.counts].map(([word, count]): [string, number] => [digestOf(entry.tenantId, word), count]);
    return { ...entry, counts: new Map(counts.sort(([one], [other]) => (one < other ? -1 : 1))) };
  };
  return {
    upsert: (kind, entries) =>
      words.upsert(
        kind,
        entries.map((one) => (one.isSealed ? sealed(one) : one)),
      ),
    search: (kind, search) =>
      words.search(
        kind,
        kinds.has(kind) ? { ...search, namesOf: (word) => [word, digestOf(search.tenantId, word)] } : search,
      ),
    remove: (kind, tenantId, ids) => words.remove(kind, tenantId, ids),
    sizes: (kind, tenantId, scopes) => words.sizes(kind, tenantId, scopes),
    scroll: (kind, after, limit) => words.scroll(kind, after, limit),
  };
}
