// Which folders of chats stand open in this browser. It forgets them when its reader signs out.
import { createStore, useStore } from '../base/store.ts';
import { credential } from './session.ts';

const key = 'rivulet.open-folders';
const most = 200;

function load(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(kept) ? kept.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

const open = createStore<readonly string[]>(load());
open.subscribe(() => localStorage.setItem(key, JSON.stringify(open.get())));
credential.subscribe(() => {
  if (credential.get() !== null) return;
  open.set([]);
  localStorage.removeItem(key);
});

export const useOpenFolders = (): readonly string[] => useStore(open);

export const closeFolder = (path: string) => open.set((all) => all.filter((one) => one !== path));

/** Opens a folder and those above it, so that what lies in it is seen. */
export function openFolder(path: string) {
  const names = path
    .split('/')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const paths = names.map((_, at) => names.slice(0, at + 1).join('/'));
  open.set((all) => [...new Set([...all, ...paths])].slice(-most));
}
