// Pages of the rail that this server offers and this caller may see.
import { type PageEntry, pages } from '../pages/registry.tsx';
import { may, serves } from '../state/app.ts';

export function navigation(): PageEntry[] {
  return pages.filter((page) => page.nav && (!page.route || serves(page.route)) && (!page.needs || may(page.needs)));
}
