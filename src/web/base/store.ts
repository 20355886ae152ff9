// Small observable values, and the hooks that read them.
import { useCallback, useSyncExternalStore } from 'react';

export interface Store<T> {
  get(): T;
  set(next: T | ((previous: T) => T)): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      const after = typeof next === 'function' ? (next as (previous: T) => T)(value) : next;
      if (Object.is(after, value)) return;
      value = after;
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get);
}

/** A large value that changes in place; its subscribers are notified at most once a frame. */
export interface Changing {
  readonly version: number;
  subscribe(listener: () => void): () => void;
}

/** How long changes are kept back where no frame comes, ms: hidden pages get none, and must not fall behind either. */
const longestMs = 250;

/** Counts changes; `touch` is cheap and may be called thousands of times a second. */
export function createVersion(): Changing & { touch(): void } {
  let version = 0;
  let scheduled = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const listeners = new Set<() => void>();
  const flush = () => {
    clearTimeout(timer);
    if (!scheduled) return;
    scheduled = false;
    version += 1;
    for (const listener of [...listeners]) listener();
  };
  return {
    get version() {
      return version;
    },
    touch() {
      if (scheduled) return;
      scheduled = true;
      // Both, since a page may be hidden while its frame is awaited.
      requestAnimationFrame(flush);
      timer = setTimeout(flush, longestMs);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Renders again when the thing has changed. */
export function useVersion(changing: Changing): number {
  const subscribe = useCallback((listener: () => void) => changing.subscribe(listener), [changing]);
  return useSyncExternalStore(subscribe, () => changing.version);
}
