// Routes in the URL's hash, with filters and selections in its query, so that any view can be shared.
import { useEffect, useState } from 'react';
import { createStore, useStore } from './store.ts';

export interface Location {
  path: string;
  query: URLSearchParams;
}

function read(): Location {
  const [path = '', query = ''] = window.location.hash.replace(/^#/, '').split('?');
  return { path: path || '/', query: new URLSearchParams(query) };
}

const location = createStore<Location>(read());
window.addEventListener('hashchange', () => location.set(read()));

export const useLocation = (): Location => useStore(location);
export const currentLocation = (): Location => location.get();

type Query = Record<string, string | number | null | undefined>;

/** Builds `#/path?query`; empty values are left out. */
export function href(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== '') search.set(name, String(value));
  }
  const text = search.toString();
  return `#${path}${text ? `?${text}` : ''}`;
}

/** Goes to a path; `replace` leaves no step in the history. */
export function go(path: string, query: Query = {}, how: 'push' | 'replace' = 'push') {
  const target = href(path, query);
  if (how === 'push') window.location.hash = target;
  else window.history.replaceState(null, '', target);
  // Set at once, not only with the event: the next patch of the query starts from here.
  location.set(read());
}

/** A `go` for what takes a while: it goes nowhere, and answers false, once the reader has gone to another page. */
export function goFromHere(): (...to: Parameters<typeof go>) => boolean {
  const { path } = read();
  return (...to) => {
    const isHere = read().path === path;
    if (isHere) go(...to);
    return isHere;
  };
}

/** Changes parts of the query and keeps the rest. */
export function patchQuery(change: Query) {
  // Read from the URL: the event of a link that was just followed may still be to come.
  const { path, query } = read();
  // The page that asks is being left: its timers and keys have no say in the address of the next one.
  if (path !== location.get().path) return;
  go(path, { ...Object.fromEntries(query), ...change }, 'replace');
}

/** A `patchQuery` for what takes a while: it changes nothing once the reader has gone to another page. */
export function patchFromHere(): typeof patchQuery {
  const { path } = read();
  return (change) => {
    if (read().path === path) patchQuery(change);
  };
}

/**
 * What the page was opened with in its address, taken out of there at once by `clear` so that it is not kept in the
 * history; null without it.
 */
export function useTakenOut<T>(given: T | null, clear: () => void): T | null {
  const [taken, setTaken] = useState(given);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for what is given
  useEffect(() => {
    if (given === null) return;
    setTaken(given);
    clear();
  }, [given]);
  return taken;
}

/** A part of a path as it was meant; a stray `%` is itself, since anybody can write an address. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Matches `/runs/:id` against a path; the parameters, or null. An `:id` is a number. */
export function match(pattern: string, path: string): Record<string, string> | null {
  const wanted = pattern.split('/').filter(Boolean);
  const given = path.split('/').filter(Boolean);
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? '';
    if (part === ':id' && !/^\d+$/.test(value)) return null;
    if (part.startsWith(':')) params[part.slice(1)] = decoded(value);
    else if (part !== value) return null;
  }
  return params;
}

/** The nearest path above one that a page has; null where there is none. */
export function above(path: string, pages: readonly string[]): string | null {
  const parts = path.split('/').filter(Boolean);
  for (let length = parts.length - 1; length > 0; length--) {
    const upper = `/${parts.slice(0, length).join('/')}`;
    if (pages.some((page) => match(page, upper))) return upper;
  }
  return null;
}
