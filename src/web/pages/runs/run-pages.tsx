// Pages of runs: the list, two side by side, one, and a council.
import { lazyPart } from '../../base/lazy-part.ts';
import type { PageEntry } from '../page-props.ts';
import { RunsPage } from './runs-page.tsx';

export const runPages: readonly PageEntry[] = [
  { path: '/runs', title: 'Runs', view: RunsPage, nav: { icon: 'runs', key: 'r' }, needs: 'RunsRead' },
  {
    path: '/runs/compare',
    title: 'Compare',
    view: lazyPart(
      () => import('../compare/compare-page.tsx'),
      (part) => part.ComparePage,
    ),
    needs: 'RunsRead',
  },
  {
    path: '/runs/:id',
    title: 'Run',
    view: lazyPart(
      () => import('../run/run-page.tsx'),
      (part) => part.RunPage,
    ),
    needs: 'RunsRead',
  },
  {
    path: '/councils/:id',
    title: 'Council',
    view: lazyPart(
      () => import('../council/council-page.tsx'),
      (part) => part.CouncilPage,
    ),
    needs: 'RunsRead',
  },
];
