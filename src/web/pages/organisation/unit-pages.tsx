// The pages of the organisation: the tree of its units, and one unit.
import { lazyPart } from '../../base/lazy-part.ts';
import type { PageEntry } from '../page-props.ts';

export const unitPages: readonly PageEntry[] = [
  {
    path: '/organisation',
    title: 'Organisation',
    view: lazyPart(
      () => import('./organisation-page.tsx'),
      (part) => part.OrganisationPage,
    ),
    nav: { icon: 'tree', key: '1' },
    needs: 'OrgUnitsRead',
  },
  {
    path: '/organisation/:id',
    title: 'Organisation unit',
    view: lazyPart(
      () => import('./unit-page.tsx'),
      (part) => part.UnitPage,
    ),
    needs: 'OrgUnitsRead',
  },
];
