// What this browser remembers of its reader: theme, density, alerts, past filters.
import { useSyncExternalStore } from 'react';
import { createStore, useStore } from './store.ts';

export interface Prefs {
  theme: 'system' | 'light' | 'dark';
  /** Rail with labels, icons only, or by width. */
  rail: 'auto' | 'open' | 'closed';
  alerts: boolean;
  sound: boolean;
}

const key = 'rivulet.prefs';
const initial: Prefs = { theme: 'system', rail: 'auto', alerts: false, sound: false };

function load(): Prefs {
  try {
    return { ...initial, ...(JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<Prefs>) };
  } catch {
    return initial;
  }
}

export const prefs = createStore<Prefs>(load());

prefs.subscribe(() => {
  localStorage.setItem(key, JSON.stringify(prefs.get()));
  applyTheme();
});

export function applyTheme() {
  const { theme } = prefs.get();
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export const prefersStill = (): boolean => window.matchMedia('(prefers-reduced-motion: reduce)').matches;

const darkScheme = () => window.matchMedia('(prefers-color-scheme: dark)');

/** Whether the page is dark now, as its reader or the system has chosen. */
export function useDark(): boolean {
  const { theme } = useStore(prefs);
  const system = useSyncExternalStore(
    (changed) => {
      const scheme = darkScheme();
      scheme.addEventListener('change', changed);
      return () => scheme.removeEventListener('change', changed);
    },
    () => darkScheme().matches,
  );
  return theme === 'system' ? system : theme === 'dark';
}
