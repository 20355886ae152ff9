// Vectors of scopes in memory, one matrix a scope; the least used make room for others.
import { LRUCache } from 'lru-cache';
import { createScope, type Scope } from './scope.ts';

interface Source {
  count: number;
  vectors(): Iterable<[id: number, vector: Float32Array]>;
}

export interface ScopeCache {
  /** The scope of a key, from its source where it is not held. One that is larger than the bound is not kept. */
  get(key: string, dimensions: number, source: () => Source): Scope;
  /** Writes a vector into a scope, where that is held. */
  put(key: string, id: number, vector: Float32Array): void;
  remove(key: string, id: number): void;
  clear(): void;
}

export function createScopeCache(maxBytes: number): ScopeCache {
  const held = new LRUCache<string, Scope>({ maxSize: maxBytes, sizeCalculation: ({ bytes }) => bytes });
  return {
    get(key, dimensions, source) {
      const known = held.get(key);
      if (known) return known;
      const { count, vectors } = source();
      const scope = createScope(dimensions, count);
      for (const [id, vector] of vectors()) scope.put(id, vector);
      held.set(key, scope);
      return scope;
    },
    put(key, id, vector) {
      const scope = held.peek(key);
      if (!scope) return;
      const before = scope.bytes;
      scope.put(id, vector);
      // A matrix that has grown counts for what it is now.
      if (scope.bytes !== before) held.set(key, scope);
    },
    remove: (key, id) => held.peek(key)?.remove(id),
    clear: () => held.clear(),
  };
}
