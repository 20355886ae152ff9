// What was opened last from the palette, for the next time; forgotten when somebody signs out.
import type { SearchHitKind } from '../../client/index.ts';
import { credential } from '../state/session.ts';

export interface Opened {
  kind: SearchHitKind;
  id: number;
  title: string;
  url: string;
}

const key = 'rivulet.recent';
const most = 8;

/** The newest first. */
export function recent(): Opened[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(kept) ? (kept as Opened[]).slice(0, most) : [];
  } catch {
    return [];
  }
}

export function noteOpened({ kind, id, title, url }: Opened) {
  const others = recent().filter((one) => one.kind !== kind || one.id !== id);
  localStorage.setItem(key, JSON.stringify([{ kind, id, title, url }, ...others].slice(0, most)));
}

credential.subscribe(() => {
  if (credential.get() === null) localStorage.removeItem(key);
});
