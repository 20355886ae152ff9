// Every page: its path, its place in the navigation, and what the server must offer for it to be there at all.
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import type { Permission } from '../../client/index.ts';
import type { IconName } from '../ui/icon.tsx';
import type { PageProps } from './page-props.ts';
import { RunsPage } from './runs/runs-page.tsx';

export interface PageEntry {
  path: string;
  title: string;
  view: ComponentType<PageProps> | LazyExoticComponent<ComponentType<PageProps>>;
  /** In the rail, with its `g` key. */
  nav?: { icon: IconName; key: string };
  needs?: Permission;
}

/** Tries again while the network is away: a part of the page that could not be loaded must not need a reload. */
async function patiently<T>(load: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await load();
    } catch (error) {
      if (attempt >= 30) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }
}

const page = <K extends string>(load: () => Promise<Record<K, ComponentType<PageProps>>>, name: K) =>
  lazy(() => patiently(load).then((module) => ({ default: module[name] })));

export const pages: readonly PageEntry[] = [
  { path: '/runs', title: 'Runs', view: RunsPage, nav: { icon: 'runs', key: 'r' }, needs: 'RunsRead' },
  { path: '/runs/:id', title: 'Run', view: page(() => import('./run/run-page.tsx'), 'RunPage'), needs: 'RunsRead' },
  {
    path: '/escalations',
    title: 'Escalations',
    view: page(() => import('./escalations/escalations-page.tsx'), 'EscalationsPage'),
    nav: { icon: 'gate', key: 'e' },
    needs: 'RunsRead',
  },
  {
    path: '/chat',
    title: 'Chat',
    view: page(() => import('./chat/chat-page.tsx'), 'ChatPage'),
    nav: { icon: 'chat', key: 'c' },
    needs: 'ChatRead',
  },
  {
    path: '/chat/new',
    title: 'New chat',
    view: page(() => import('./chat/chat-page.tsx'), 'ChatPage'),
    needs: 'ChatWrite',
  },
  {
    path: '/chat/:id',
    title: 'Chat',
    view: page(() => import('./chat/chat-page.tsx'), 'ChatPage'),
    needs: 'ChatRead',
  },
  {
    path: '/analytics',
    title: 'Analytics',
    view: page(() => import('./analytics/analytics-page.tsx'), 'AnalyticsPage'),
    nav: { icon: 'chart', key: 'a' },
    needs: 'RunsRead',
  },
  {
    path: '/models',
    title: 'Models',
    view: page(() => import('./models/models-page.tsx'), 'ModelsPage'),
    nav: { icon: 'models', key: 'm' },
    needs: 'AiRouterRead',
  },
  {
    path: '/roles',
    title: 'Roles and tools',
    view: page(() => import('./roles/roles-page.tsx'), 'RolesPage'),
    nav: { icon: 'roles', key: 'o' },
    needs: 'AgentConfigRead',
  },
  {
    path: '/goals',
    title: 'Knowledge goals',
    view: page(() => import('./goals/goals-page.tsx'), 'GoalsPage'),
    nav: { icon: 'goal', key: 'k' },
    needs: 'KnowledgeRead',
  },
  {
    path: '/people',
    title: 'People',
    view: page(() => import('./people/people-page.tsx'), 'PeoplePage'),
    nav: { icon: 'people', key: 'p' },
    needs: 'UsersRead',
  },
  {
    path: '/identities',
    title: 'Identities and keys',
    view: page(() => import('./identities/identities-page.tsx'), 'IdentitiesPage'),
    nav: { icon: 'identity', key: 'i' },
    needs: 'IdentitiesRead',
  },
  {
    path: '/identities/:id',
    title: 'Identity',
    view: page(() => import('./identities/identities-page.tsx'), 'IdentitiesPage'),
    needs: 'IdentitiesRead',
  },
  {
    path: '/system',
    title: 'System',
    view: page(() => import('./system/system-page.tsx'), 'SystemPage'),
    nav: { icon: 'system', key: 's' },
  },
];
