// Index of words in the embedded store's file: postings by scope and word, with a cache of those in use.
import type { WordEntry, WordHit, WordSearch, WordSizes, Words } from '../../ports/words.ts';
import type { Sqlite } from '../embedded/sqlite.ts';
import { createPostingsCache, Postings } from './postings.ts';
import { rank } from './rank.ts';

const tables = `
  CREATE TABLE IF NOT EXISTS rivulet_word_scopes (
    scope INTEGER PRIMARY KEY, kind TEXT NOT NULL, tenant INTEGER NOT NULL, name TEXT NOT NULL,
    documents INTEGER NOT NULL DEFAULT 0, words INTEGER NOT NULL DEFAULT 0, UNIQUE (kind, tenant, name));
  CREATE TABLE IF NOT EXISTS rivulet_word_entries (
    kind TEXT NOT NULL, id INTEGER NOT NULL, tenant INTEGER NOT NULL, scopes TEXT NOT NULL, counts TEXT NOT NULL,
    PRIMARY KEY (kind, id)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS rivulet_postings (
    scope INTEGER NOT NULL, word TEXT NOT NULL, id INTEGER NOT NULL, count INTEGER NOT NULL, length INTEGER NOT NULL,
    PRIMARY KEY (scope, word, id)) WITHOUT ROWID`;

const idOf = 'SELECT scope FROM rivulet_word_scopes WHERE kind = ? AND tenant = ? AND name = ?';
const put = 'INSERT OR REPLACE INTO rivulet_postings (scope, word, id, count, length) VALUES (?, ?, ?, ?, ?)';

/** All postings of a word in one row: SQLite returns numbers as JSON six times as fast as in rows. */
const readPostings = `SELECT json_group_array(id), json_group_array(count), json_group_array(length)
  FROM (SELECT id, count, length FROM rivulet_postings WHERE scope = ? AND word = ? ORDER BY id)`;

/** Bytes of postings that are held in memory: 2,000,000 of them take 32 MB. */
const cacheBytes = 64 << 20;

/** Changes of a document's postings by a write: the scopes and words that it leaves and enters. */
interface Moves {
  id: number;
  length: number;
  left: readonly number[];
  before: ReadonlyMap<string, number>;
  entered: readonly number[];
  counts: ReadonlyMap<string, number>;
}

export const createEmbeddedWords = (deps: { sqlite: Sqlite }): Words => new EmbeddedWords(deps.sqlite);

class EmbeddedWords implements Words {
  readonly #sqlite: Sqlite;
  readonly #cache = createPostingsCache(cacheBytes);

  constructor(sqlite: Sqlite) {
    this.#sqlite = sqlite;
    sqlite.exec(tables);
  }

  async upsert(kind: string, entries: readonly WordEntry[]): Promise<void> {
    await this.#each(entries, (entry) => this.#add(kind, entry));
  }

  async remove(kind: string, tenantId: number, ids: readonly number[]): Promise<void> {
    await this.#each(ids, (id) => this.#drop(kind, tenantId, id));
  }

  async search(kind: string, { tenantId, scopes, words, limit, namesOf = alone }: WordSearch): Promise<WordHit[]> {
    const ids = this.#scopes(kind, tenantId, [...new Set(scopes)]);
    const wanted = [...new Set(words)];
    if (ids.length === 0 || wanted.length === 0) return [];
    const { documents, words: total } = this.#sizes(ids);
    const postings = wanted.map((word) =>
      namesOf(word).flatMap((name) => ids.map((scope) => this.#postings(scope, name))),
    );
    return rank(postings, { documents, meanLength: total / Math.max(documents, 1) }, limit);
  }

  async sizes(kind: string, tenantId: number, scopes: readonly string[]): Promise<WordSizes> {
    return this.#sizes(this.#scopes(kind, tenantId, scopes));
  }

  #sizes(scopes: readonly number[]): WordSizes {
    const places = scopes.map(() => '?').join(', ');
    const sql = `SELECT TOTAL(documents), TOTAL(words) FROM rivulet_word_scopes WHERE scope IN (${places})`;
    const [documents, words] = this.#sqlite.get(sql, scopes) as [number, number];
    return { documents, words };
  }

  #postings(scope: number, word: string): Postings {
    return this.#cache.get(scope, word, () => {
      const row = this.#sqlite.get(readPostings, [scope, word]) as [string, string, string];
      const [all, counts, lengths] = row.map((text) => JSON.parse(text) as number[]) as [number[], number[], number[]];
      return Postings.ofColumns(all, counts, lengths);
    });
  }

  async scroll(kind: string, after: number, limit: number): Promise<WordEntry[]> {
    const sql = `SELECT id, tenant, scopes, counts FROM rivulet_word_entries
      WHERE kind = ? AND id > ? ORDER BY id LIMIT ?`;
    return this.#sqlite.all(sql, [kind, after, limit]).map(([id, tenantId, scopes, counts]) => ({
      id: id as number,
      tenantId: tenantId as number,
      scopes: JSON.parse(scopes as string) as string[],
      counts: readCounts(counts),
    }));
  }

  /** Writes in one transaction, then updates the cache. */
  async #each<T>(all: readonly T[], write: (one: T) => Moves): Promise<void> {
    const moved = await this.#sqlite.write(() => this.#sqlite.atomic(() => all.map(write)));
    for (const { id, length, left, entered, before, counts } of moved) {
      for (const scope of left) for (const word of before.keys()) this.#cache.remove(scope, word, id);
      for (const scope of entered)
        for (const [word, count] of counts) this.#cache.put(scope, word, { id, count, length });
    }
  }

  #add(kind: string, { id, tenantId, scopes, counts }: WordEntry): Moves {
    const gone = this.#drop(kind, tenantId, id);
    const length = lengthOf(counts);
    this.#sqlite.run(
      'INSERT OR REPLACE INTO rivulet_word_entries (kind, id, tenant, scopes, counts) VALUES (?, ?, ?, ?, ?)',
      [kind, id, tenantId, JSON.stringify(scopes), JSON.stringify([...counts])],
    );
    const entered = [...new Set(scopes)].map((name) => this.#makeScope(kind, tenantId, name));
    for (const scope of entered) {
      for (const [word, times] of counts) this.#sqlite.run(put, [scope, word, id, times, length]);
      this.#count(scope, 1, length);
    }
    return { ...gone, length, entered, counts };
  }

  #drop(kind: string, tenantId: number, id: number): Moves {
    const none = { id, length: 0, left: [], entered: [], before: new Map(), counts: new Map() };
    const sql = 'SELECT scopes, counts FROM rivulet_word_entries WHERE kind = ? AND id = ? AND tenant = ?';
    const entry = this.#sqlite.get(sql, [kind, id, tenantId]);
    if (!entry) return none;
    const before = readCounts(entry[1]);
    const left = this.#scopes(kind, tenantId, JSON.parse(entry[0] as string) as string[]);
    for (const scope of left) {
      for (const word of before.keys())
        this.#sqlite.run('DELETE FROM rivulet_postings WHERE scope = ? AND word = ? AND id = ?', [scope, word, id]);
      this.#count(scope, -1, -lengthOf(before));
    }
    this.#sqlite.run('DELETE FROM rivulet_word_entries WHERE kind = ? AND id = ?', [kind, id]);
    return { ...none, left, before };
  }

  /** Numbers of the scopes that exist. */
  #scopes(kind: string, tenantId: number, names: readonly string[]): number[] {
    return names.flatMap((name) => (this.#sqlite.get(idOf, [kind, tenantId, name]) ?? []) as number[]);
  }

  #makeScope(kind: string, tenantId: number, name: string): number {
    const sql = 'INSERT OR IGNORE INTO rivulet_word_scopes (kind, tenant, name) VALUES (?, ?, ?)';
    this.#sqlite.run(sql, [kind, tenantId, name]);
    return this.#scopes(kind, tenantId, [name])[0] as number;
  }

  #count(scope: number, documents: number, words: number): void {
    const sql = 'UPDATE rivulet_word_scopes SET documents = documents + ?, words = words + ? WHERE scope = ?';
    this.#sqlite.run(sql, [documents, words, scope]);
  }
}

const alone = (word: string) => [word];
const lengthOf = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((sum, one) => sum + one, 0);
const readCounts = (text: unknown) => new Map(JSON.parse(text as string) as [string, number][]);
