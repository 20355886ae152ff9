// The pages of who is there: people, the tree of the organisation's units, and one unit.
import { lazyPart } from '../../base/lazy-part.ts';
import type { PageEntry } from '../page-props.ts';

export const unitPages: readonly PageEntry[] = [
  {
    path: '/people',
    title: 'People',
    view: lazyPart(
      () => import('../people/people-page.tsx'),
      (part) => part.PeoplePage,
    ),
    nav: { icon: 'people', key: 'p' },
    needs: 'UsersRead',
  },
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
