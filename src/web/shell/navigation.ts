// Pages of the rail that this caller may see.
import type { PageEntry } from '../pages/page-props.ts';
import { pages } from '../pages/registry.tsx';
import { may } from '../state/app.ts';

export function navigation(): PageEntry[] {
  return pages.filter((page) => page.nav && (!page.needs || may(page.needs)));
}
