// Keyboard shortcuts: single keys and two-key sequences, listed for the help dialog.
import { useEffect } from 'react';

export interface Shortcut {
  /** `?`, `j`, `g r`, `mod+k`, `Escape` */
  keys: string;
  label: string;
  run: () => void;
  /** Runs only where nothing on the page has the same keys. */
  fallback?: boolean;
}

const active: Shortcut[] = [];
let first: { key: string; at: number } | null = null;

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Enter belongs to a link, which it follows, and to a button, which it presses. */
const isPressable = (target: EventTarget | null) =>
  target instanceof Element && target.closest('a[href], button, summary') !== null;

function nameOf(event: KeyboardEvent): string {
  const mod = event.metaKey || event.ctrlKey ? 'mod+' : '';
  return mod + (event.key.length === 1 ? event.key.toLowerCase() : event.key);
}

/** What is on the page comes before the frame around it. */
function find(keys: string): Shortcut | undefined {
  const all = active.filter((shortcut) => shortcut.keys === keys);
  return all.findLast(({ fallback }) => !fallback) ?? all.at(-1);
}

function onKey(event: KeyboardEvent) {
  if (event.defaultPrevented || event.altKey) return;
  const key = nameOf(event);
  if (isTyping(event.target) && !key.startsWith('mod+')) {
    // Escape leaves the field and nothing else: what is written there stays.
    if (key !== 'Escape') return;
    event.preventDefault();
    (event.target as HTMLElement).blur();
    return;
  }
  if (key === 'Enter' && isPressable(event.target)) return;
  const sequence = first && event.timeStamp - first.at < 900 ? `${first.key} ${key}` : null;
  const found = (sequence && find(sequence)) || find(key);
  first = found ? null : { key, at: event.timeStamp };
  if (!found) return;
  event.preventDefault();
  found.run();
}

/**
 * Keys that belong to an input method, whose Enter takes what it offers and whose Escape gives it up, reach nothing on
 * the page. Safari tells the Enter that ends a composition by its code alone.
 */
function keepFromPage(event: KeyboardEvent) {
  if (event.isComposing || event.keyCode === 229) event.stopImmediatePropagation();
}

export function installKeys() {
  window.addEventListener('keydown', keepFromPage, { capture: true });
  window.addEventListener('keydown', onKey);
}

export const activeShortcuts = (): readonly Shortcut[] => active;

/** Shortcuts while the component is shown. */
export function useShortcuts(shortcuts: readonly Shortcut[]) {
  useEffect(() => {
    active.push(...shortcuts);
    return () => {
      for (const shortcut of shortcuts) active.splice(active.indexOf(shortcut), 1);
    };
  });
}
