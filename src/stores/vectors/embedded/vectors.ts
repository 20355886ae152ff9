// Vectors in the embedded store's file, searched exactly: quantised codes in memory select the vectors to read.
import {
  byScore,
  type VectorHit,
  type VectorPoint,
  type VectorSearch,
  type VectorSpace,
  type Vectors,
} from '../../../ports/vectors.ts';
import { Best } from '../../best.ts';
import type { Sqlite } from '../../embedded/sqlite.ts';
import type { Scope } from './scope.ts';
import { createScopeCache, type ScopeCache } from './scope-cache.ts';
import { VectorTables } from './tables.ts';

/** Bytes of codes that are held in memory: 100,000 vectors of 512 dimensions take 57 MB (shared by all tenants). */
const defaultCacheBytes = 128 << 20;

/** Number of vectors that one statement reads. */
const batch = 64;

interface Deps {
  sqlite: Sqlite;
  cacheBytes?: number;
}

export const createEmbeddedVectors = (deps: Deps): Vectors => new EmbeddedVectors(deps);

type Place = Omit<VectorPoint, 'vector'>;

class EmbeddedVectors implements Vectors {
  readonly name = 'embedded';
  readonly isThere = true;
  readonly #sqlite: Sqlite;
  readonly #tables: VectorTables;
  readonly #cache: ScopeCache;

  constructor({ sqlite, cacheBytes = defaultCacheBytes }: Deps) {
    this.#sqlite = sqlite;
    this.#tables = new VectorTables(sqlite);
    this.#cache = createScopeCache(cacheBytes);
  }

  async upsert(space: VectorSpace, points: readonly VectorPoint[]): Promise<void> {
    const at = this.#tables.find(space) ?? (await this.#tables.make(space));
    await this.#change(at, points, (point) => {
      const before = this.#tables.unlink(at, point.tenantId, point.id);
      this.#tables.write(at, point);
      return { before, vector: point.vector };
    });
  }

  async setScopes(space: VectorSpace, points: readonly Place[]): Promise<void> {
    const at = this.#tables.find(space);
    if (at === null) return;
    await this.#change(at, points, (point) => {
      const vector = this.#tables.read(at, point.tenantId, point.id);
      if (!vector) return null;
      const before = this.#tables.unlink(at, point.tenantId, point.id);
      this.#tables.move(at, point);
      return { before, vector };
    });
  }

  /** Writes points in one transaction, then updates the cache. */
  async #change<P extends Place>(
    space: number,
    points: readonly P[],
    write: (point: P) => { before: string[]; vector: Float32Array } | null,
  ): Promise<void> {
    const written = await this.#sqlite.write(() =>
      this.#sqlite.atomic(() => points.map((point) => ({ point, done: write(point) }))),
    );
    for (const { point, done } of written) {
      if (!done) continue;
      const { id, tenantId, scopes } = point;
      for (const scope of done.before)
        if (!scopes.includes(scope)) this.#cache.remove(keyOf(space, tenantId, scope), id);
      for (const scope of scopes) this.#cache.put(keyOf(space, tenantId, scope), id, done.vector);
    }
  }

  async remove(space: VectorSpace, tenantId: number, ids: readonly number[]): Promise<void> {
    const at = this.#tables.find(space);
    if (at === null) return;
    const gone = await this.#sqlite.write(() =>
      this.#sqlite.atomic(() => ids.map((id) => ({ id, scopes: this.#tables.remove(at, tenantId, id) }))),
    );
    for (const { id, scopes } of gone) for (const scope of scopes) this.#cache.remove(keyOf(at, tenantId, scope), id);
  }

  async search(space: VectorSpace, { tenantId, scopes, vector, limit }: VectorSearch): Promise<VectorHit[]> {
    const at = this.#tables.find(space);
    if (at === null) return [];
    const best = new Map<number, number>();
    for (const name of scopes) {
      const source = () => this.#tables.vectorsOf(at, tenantId, name);
      const scope = await this.#cache.get(keyOf(at, tenantId, name), space.dimensions, source);
      for (const { id, score } of this.#nearest(at, tenantId, scope, vector, limit)) best.set(id, score);
    }
    const hits = [...best].map(([id, score]) => ({ id, score }));
    return hits.sort(byScore).slice(0, limit);
  }

  /** Nearest vectors, exactly: the codes give the candidates, whose vectors are read and compared. */
  #nearest(space: number, tenantId: number, scope: Scope, vector: Float32Array, limit: number): VectorHit[] {
    const candidates = scope.candidates(vector, limit);
    const [hits, best] = [[] as VectorHit[], new Best(limit)];
    for (let from = 0; from < candidates.length; from += batch) {
      const some = candidates.slice(from, from + batch);
      if ((some[0]?.most ?? 0) < best.last) break;
      const ids = some.map(({ id }) => id);
      // The number of parameters is constant, so that one statement is prepared.
      while (ids.length < batch) ids.push(ids[0] as number);
      for (const [id, one] of this.#tables.readAll(space, tenantId, ids)) {
        const score = dot(one, vector);
        best.add(score);
        hits.push({ id, score });
      }
    }
    return hits.sort(byScore).slice(0, limit);
  }

  async scroll(space: VectorSpace, after: number, limit: number): Promise<Place[]> {
    const at = this.#tables.find(space);
    return at === null ? [] : this.#tables.scroll(at, after, limit);
  }

  async spaces(kind: string): Promise<VectorSpace[]> {
    return this.#tables.spaces(kind);
  }

  async drop(space: VectorSpace): Promise<void> {
    const at = this.#tables.find(space);
    if (at === null) return;
    await this.#tables.drop(space, at);
    this.#cache.clear();
  }
}

const keyOf = (space: number, tenant: number, scope: string) => `${space} ${tenant} ${scope}`;

/** Dot product with four independent sums, which the processor computes in parallel. */
function dot(one: Float32Array, other: Float32Array): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  const { length } = one;
  const even = length - (length % 4);
  for (let at = 0; at < even; at += 4) {
    a += (one[at] as number) * (other[at] as number);
    b += (one[at + 1] as number) * (other[at + 1] as number);
    c += (one[at + 2] as number) * (other[at + 2] as number);
    d += (one[at + 3] as number) * (other[at + 3] as number);
  }
  for (let at = even; at < length; at++) a += (one[at] as number) * (other[at] as number);
  return a + b + c + d;
}
