// Loads what a component shows, with its states: loading, loaded, failed; loads again on demand.
import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError } from '../../client/index.ts';
import { plainHint } from '../../client/plain-hint.ts';
import { askAgain } from './ask-again.ts';
import { createMeanwhile } from './meanwhile.ts';
import { followWrites } from './written.ts';

export interface Resource<T> {
  data: T | null;
  error: ApiError | null;
  loading: boolean;
  reload: () => void;
  /** Changes what is shown, e.g. by the answer of a write, and once more what is loading meanwhile. */
  put: (change: (data: T) => T) => void;
}

/** What is shown of whatever went wrong; its hint leads to pages where the server's names operations. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) {
    const hint = error.hint && plainHint(error.hint);
    return hint === error.hint ? error : new ApiError(error.message, { ...error, hint, cause: error });
  }
  const message = error instanceof Error ? error.message : String(error);
  return new ApiError(message, { code: 'CLIENT', status: 0, cause: error });
}

/** What was asked for before the component that shows it is there, by key. */
const early = new Map<string, Promise<unknown>>();

/** Starts a load ahead of its component; the first component with this key takes the result. */
export function loadAhead(key: string, load: () => Promise<unknown>) {
  const loading = load();
  loading.catch(() => early.delete(key));
  early.set(key, loading);
}

function takeAhead<T>(key: string): Promise<T> | undefined {
  const loading = early.get(key) as Promise<T> | undefined;
  early.delete(key);
  return loading;
}

/**
 * Loads when `key` changes; `null` loads nothing. Old data stays on show while the same kind of thing loads again, but
 * what this page writes is shown as the server has answered it, before anything is loaded again.
 */
export function useResource<T>(key: string | null, load: (signal: AbortSignal) => Promise<T>): Resource<T> {
  const [state, setState] = useState<{ key: string | null; data: T | null; error: ApiError | null; loading: boolean }>({
    key: null,
    data: null,
    error: null,
    loading: key !== null,
  });
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  const [meanwhile] = useState(createMeanwhile<T>);

  useEffect(() => {
    if (key === null) return;
    void turn;
    const abort = new AbortController();
    setState((before) => ({ ...before, key, data: before.key === key ? before.data : null, loading: true }));
    meanwhile.during(takeAhead<T>(key) ?? latest.current(abort.signal)).then(
      (data) => data === undefined || abort.signal.aborted || setState({ key, data, error: null, loading: false }),
      (error: unknown) =>
        abort.signal.aborted || setState((before) => ({ ...before, error: toApiError(error), loading: false })),
    );
    return () => abort.abort();
  }, [key, turn, meanwhile]);

  const { error } = state;
  useEffect(() => askAgain(error, () => setTurn((n) => n + 1)), [error]);

  const reload = useCallback(() => setTurn((n) => n + 1), []);
  const put = useCallback(
    (change: (data: T) => T) => {
      meanwhile.note(change);
      setState((before) => {
        const data = before.data === null ? null : change(before.data);
        return data === before.data ? before : { ...before, data };
      });
    },
    [meanwhile],
  );
  useEffect(() => followWrites(put), [put]);
  const current = state.key === key;
  return {
    data: current ? state.data : null,
    error: current ? state.error : null,
    loading: state.loading,
    reload,
    put,
  };
}

/** Shows the last of its kind until the next is there: for lists that change as one types. */
export function useKept<T>(resource: Resource<T>): Resource<T> {
  const kept = useRef<T | null>(null);
  if (resource.data !== null) kept.current = resource.data;
  return resource.data === null && resource.error === null ? { ...resource, data: kept.current } : resource;
}

/** Loads again when `news` changes; what is shown meanwhile stays. */
export function useReloadOn(news: string | number, reload: () => void) {
  const seen = useRef(news);
  useEffect(() => {
    if (seen.current === news) return;
    seen.current = news;
    reload();
  }, [news, reload]);
}
