// Cache of coded vectors, one matrix a scope; the least recently used are evicted.
import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { createScope, type Scope } from './scope.ts';

interface Source {
  count: number;
  /** Vectors by growing ids, from `after` on. */
  page(after: number): readonly (readonly [id: number, vector: Float32Array])[];
}

export interface ScopeCache {
  /** Scope of a key, read from its source on a miss. A scope larger than the bound is not cached. */
  get(key: string, dimensions: number, source: () => Source): Promise<Scope>;
  /** Writes a vector into a scope that is cached. */
  put(key: string, id: number, vector: Float32Array): void;
  remove(key: string, id: number): void;
  clear(): void;
}

export function createScopeCache(maxBytes: number): ScopeCache {
  const held = new LRUCache<string, Scope>({ maxSize: maxBytes, sizeCalculation: ({ bytes }) => bytes });
  /** Scopes being loaded: writes go into them, too, since a write is in the file before the cache hears of it. */
  const loading = new Map<string, { scope: Scope; whole: Promise<Scope> }>();

  async function fill(key: string, scope: Scope, { page }: Source): Promise<Scope> {
    try {
      for (let after = 0; ; ) {
        const some = page(after);
        for (const [id, vector] of some) scope.put(id, vector);
        const last = some.at(-1);
        if (!last) break;
        after = last[0];
        // A large scope is read in slices, between which the event loop serves others.
        await setImmediate();
      }
      // The space was dropped meanwhile: the next search loads it again.
      if (loading.get(key)?.scope === scope) held.set(key, scope);
      return scope;
    } finally {
      if (loading.get(key)?.scope === scope) loading.delete(key);
    }
  }

  const there = (key: string) => held.peek(key) ?? loading.get(key)?.scope;

  return {
    async get(key, dimensions, open) {
      const known = held.get(key);
      if (known) return known;
      const already = loading.get(key);
      if (already) return already.whole;
      const source = open();
      const scope = createScope(dimensions, source.count);
      const whole = Promise.resolve().then(() => fill(key, scope, source));
      loading.set(key, { scope, whole });
      return whole;
    },
    put(key, id, vector) {
      const scope = there(key);
      if (!scope) return;
      const before = scope.bytes;
      scope.put(id, vector);
      // The size of a matrix that has grown is counted anew.
      if (scope.bytes !== before && held.peek(key) === scope) held.set(key, scope);
    },
    remove: (key, id) => there(key)?.remove(id),
    clear() {
      held.clear();
      loading.clear();
    },
  };
}
