// What the tab of the browser is called: the page's thing first, then the product; waiting decisions before all.
import { useEffect } from 'react';
import { createStore, useStore } from './store.ts';

const parts = createStore<{ page: string; waiting: number }>({ page: '', waiting: 0 });

parts.subscribe(() => {
  const { page, waiting } = parts.get();
  document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${page ? `${page} · ` : ''}Rivulet`;
});

/** Names the tab while the component is shown. */
export function useTitle(page: string) {
  useEffect(() => parts.set((now) => ({ ...now, page })), [page]);
}

/** What the tab is called now, without the product. */
export const usePageTitle = (): string => useStore(parts).page;

/** How many decisions wait, in front of the name. */
export function useTitleCount(waiting: number) {
  useEffect(() => parts.set((now) => ({ ...now, waiting })), [waiting]);
}
