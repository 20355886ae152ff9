// The index of words in the embedded store's file: postings by scope and word, scored by SQLite.
import { bm25, type WordEntry, type WordHit, type WordSearch, type Words } from '../../ports/words.ts';
import type { Sqlite } from '../embedded/sqlite.ts';

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

export const createEmbeddedWords = (deps: { sqlite: Sqlite }): Words => new EmbeddedWords(deps.sqlite);

class EmbeddedWords implements Words {
  readonly #sqlite: Sqlite;

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

  async search(kind: string, { tenantId, scopes, words, limit }: WordSearch): Promise<WordHit[]> {
    const ids = this.#scopes(kind, tenantId, [...new Set(scopes)]);
    const wanted = [...new Set(words)];
    if (ids.length === 0 || wanted.length === 0) return [];
    const rows = this.#sqlite.all(searchOf(ids.length, wanted.length), [...ids, ...wanted, ...ids, limit]);
    return rows.map(([id, score]) => ({ id: id as number, score: score as number }));
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

  #each<T>(all: readonly T[], write: (one: T) => void): Promise<void> {
    return this.#sqlite.write(() => this.#sqlite.atomic(() => all.forEach(write)));
  }

  #add(kind: string, { id, tenantId, scopes, counts }: WordEntry): void {
    this.#drop(kind, tenantId, id);
    const length = lengthOf(counts);
    this.#sqlite.run(
      'INSERT OR REPLACE INTO rivulet_word_entries (kind, id, tenant, scopes, counts) VALUES (?, ?, ?, ?, ?)',
      [kind, id, tenantId, JSON.stringify(scopes), JSON.stringify([...counts])],
    );
    for (const name of new Set(scopes)) {
      const scope = this.#makeScope(kind, tenantId, name);
      for (const [word, times] of counts) this.#sqlite.run(put, [scope, word, id, times, length]);
      this.#count(scope, 1, length);
    }
  }

  #drop(kind: string, tenantId: number, id: number): void {
    const sql = 'SELECT scopes, counts FROM rivulet_word_entries WHERE kind = ? AND id = ? AND tenant = ?';
    const entry = this.#sqlite.get(sql, [kind, id, tenantId]);
    if (!entry) return;
    const counts = readCounts(entry[1]);
    for (const scope of this.#scopes(kind, tenantId, JSON.parse(entry[0] as string) as string[])) {
      for (const word of counts.keys())
        this.#sqlite.run('DELETE FROM rivulet_postings WHERE scope = ? AND word = ? AND id = ?', [scope, word, id]);
      this.#count(scope, -1, -lengthOf(counts));
    }
    this.#sqlite.run('DELETE FROM rivulet_word_entries WHERE kind = ? AND id = ?', [kind, id]);
  }

  /** Numbers of the scopes that are there. */
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

const searches = new Map<string, string>();

/** A document that is in several of the scopes counts once. */
function searchOf(scopes: number, words: number): string {
  const key = `${scopes} ${words}`;
  const known = searches.get(key);
  if (known) return known;
  const places = (count: number) => Array.from({ length: count }, () => '?').join(', ');
  const one = `SELECT DISTINCT word, id, count, length FROM rivulet_postings WHERE scope IN (${places(scopes)}) AND word IN (${places(words)})`;
  const sql = `
    WITH found AS MATERIALIZED (${one}),
      common AS (SELECT word, COUNT(*) AS n FROM found GROUP BY word),
      sizes AS (SELECT SUM(documents) AS documents, CAST(SUM(words) AS REAL) / MAX(SUM(documents), 1) AS mean
        FROM rivulet_word_scopes WHERE scope IN (${places(scopes)}))
    SELECT found.id, SUM(
        ln(1 + (MAX(sizes.documents, common.n) - common.n + 0.5) / (common.n + 0.5)) * found.count * ${bm25.k1 + 1}
        / (found.count + ${bm25.k1} * (${1 - bm25.b} + ${bm25.b} * found.length / MAX(sizes.mean, 1)))) AS score
      FROM found JOIN common USING (word) CROSS JOIN sizes
      GROUP BY found.id ORDER BY score DESC, found.id LIMIT ?`;
  searches.set(key, sql);
  return sql;
}

const lengthOf = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((sum, one) => sum + one, 0);
const readCounts = (text: unknown) => new Map(JSON.parse(text as string) as [string, number][]);
