// Every page: its path, its place in the navigation, and what the server must offer for it to be there at all.
import { lazyPart } from '../base/lazy-part.ts';
import { unitPages } from './organisation/unit-pages.tsx';
import { outsidePages } from './outside.tsx';
import type { PageEntry } from './page-props.ts';
import { runPages } from './runs/run-pages.tsx';

const chatPage = lazyPart(
  () => import('./chat/chat-page.tsx'),
  (part) => part.ChatPage,
);

export const pages: readonly PageEntry[] = [
  ...runPages,
  {
    path: '/escalations',
    title: 'Escalations',
    view: lazyPart(
      () => import('./escalations/escalations-page.tsx'),
      (part) => part.EscalationsPage,
    ),
    nav: { icon: 'gate', key: 'e' },
    needs: 'RunsRead',
  },
  {
    path: '/routines',
    title: 'Routines',
    view: lazyPart(
      () => import('./routines/routines-page.tsx'),
      (part) => part.RoutinesPage,
    ),
    nav: { icon: 'refresh', key: 'u' },
    needs: 'RoutinesRead',
  },
  {
    path: '/routines/:id',
    title: 'Routine',
    view: lazyPart(
      () => import('./routines/routine-page.tsx'),
      (part) => part.RoutinePage,
    ),
    needs: 'RoutinesRead',
  },
  ...outsidePages,
  {
    path: '/chat',
    title: 'Chat',
    view: chatPage,
    nav: { icon: 'chat', key: 'c' },
    needs: 'ChatRead',
  },
  {
    path: '/chat/new',
    title: 'New chat',
    view: chatPage,
    needs: 'ChatWrite',
  },
  {
    path: '/chat/prompts',
    title: 'Prompts',
    view: lazyPart(
      () => import('./prompts/prompts-page.tsx'),
      (part) => part.PromptsPage,
    ),
    needs: 'ChatRead',
  },
  {
    path: '/chat/:id',
    title: 'Chat',
    view: chatPage,
    needs: 'ChatRead',
  },
  {
    path: '/inbox',
    title: 'Inbox',
    view: lazyPart(
      () => import('./inbox/inbox-page.tsx'),
      (part) => part.InboxPage,
    ),
    nav: { icon: 'mail', key: 'b' },
    needs: 'MessagesRead',
  },
  {
    path: '/inbox/:id',
    title: 'Inbox',
    view: lazyPart(
      () => import('./inbox/inbox-page.tsx'),
      (part) => part.InboxPage,
    ),
    needs: 'MessagesRead',
  },
  {
    path: '/analytics',
    title: 'Analytics',
    view: lazyPart(
      () => import('./analytics/analytics-page.tsx'),
      (part) => part.AnalyticsPage,
    ),
    nav: { icon: 'chart', key: 'a' },
    needs: 'RunsRead',
  },
  {
    path: '/models',
    title: 'Models',
    view: lazyPart(
      () => import('./models/models-page.tsx'),
      (part) => part.ModelsPage,
    ),
    nav: { icon: 'models', key: 'm' },
    needs: 'AiRouterRead',
  },
  {
    path: '/roles',
    title: 'Roles and tools',
    view: lazyPart(
      () => import('./roles/roles-page.tsx'),
      (part) => part.RolesPage,
    ),
    nav: { icon: 'roles', key: 'o' },
    needs: 'AgentConfigRead',
  },
  {
    path: '/memory',
    title: 'Memory',
    view: lazyPart(
      () => import('./memory/memory-page.tsx'),
      (part) => part.MemoryPage,
    ),
    nav: { icon: 'memory', key: 'y' },
    needs: 'MemoriesRead',
  },
  {
    path: '/memory/facts',
    title: 'Facts',
    view: lazyPart(
      () => import('./memory/facts-page.tsx'),
      (part) => part.FactsPage,
    ),
    needs: 'FactsRead',
  },
  {
    path: '/memory/rules',
    title: 'Standing rules',
    view: lazyPart(
      () => import('./memory/rules-page.tsx'),
      (part) => part.RulesPage,
    ),
    needs: 'RulesRead',
  },
  {
    path: '/memory/lessons',
    title: 'Lessons',
    view: lazyPart(
      () => import('./memory/lessons-page.tsx'),
      (part) => part.LessonsPage,
    ),
    needs: 'MemoriesRead',
  },
  {
    path: '/memory/about-me',
    title: 'About me',
    view: lazyPart(
      () => import('./memory/personal-page.tsx'),
      (part) => part.PersonalPage,
    ),
  },
  {
    path: '/memory/graph',
    title: 'Graph',
    view: lazyPart(
      () => import('./memory/graph-page.tsx'),
      (part) => part.GraphPage,
    ),
    needs: 'GraphRead',
  },
  {
    path: '/memory/interests',
    title: 'Interests',
    view: lazyPart(
      () => import('./memory/interests-page.tsx'),
      (part) => part.InterestsPage,
    ),
    needs: 'IdentitiesRead',
  },
  {
    path: '/memory/hydration',
    title: 'Start of a session',
    view: lazyPart(
      () => import('./memory/hydration-page.tsx'),
      (part) => part.HydrationPage,
    ),
    needs: 'MemoriesRead',
  },
  {
    path: '/mirror',
    title: 'Mirror',
    view: lazyPart(
      () => import('./mirror/mirror-page.tsx'),
      (part) => part.MirrorPage,
    ),
    nav: { icon: 'mirror', key: 'f' },
    needs: 'MirrorRead',
  },
  {
    path: '/imports',
    title: 'Imports',
    view: lazyPart(
      () => import('./imports/imports-page.tsx'),
      (part) => part.ImportsPage,
    ),
    nav: { icon: 'upload', key: 'v' },
    needs: 'ImportData',
  },
  {
    path: '/imports/:id',
    title: 'Import',
    view: lazyPart(
      () => import('./imports/import-page.tsx'),
      (part) => part.ImportPage,
    ),
    needs: 'ImportData',
  },
  {
    path: '/export',
    title: 'Export',
    view: lazyPart(
      () => import('./export/export-page.tsx'),
      (part) => part.ExportPage,
    ),
    nav: { icon: 'down', key: 'x' },
    needs: 'ExportData',
  },
  {
    path: '/evaluation',
    title: 'Evaluation',
    view: lazyPart(
      () => import('./evaluation/evaluation-page.tsx'),
      (part) => part.EvaluationPage,
    ),
    nav: { icon: 'check', key: '0' },
    needs: 'RunsRead',
  },
  {
    path: '/evaluation/experiments/:id',
    title: 'Experiment',
    view: lazyPart(
      () => import('./evaluation/experiment-page.tsx'),
      (part) => part.ExperimentPage,
    ),
    needs: 'RunsRead',
  },
  {
    path: '/goals',
    title: 'Knowledge goals',
    view: lazyPart(
      () => import('./goals/goals-page.tsx'),
      (part) => part.GoalsPage,
    ),
    nav: { icon: 'goal', key: 'k' },
    needs: 'KnowledgeRead',
  },
  {
    path: '/projects',
    title: 'Projects',
    view: lazyPart(
      () => import('./projects/projects-page.tsx'),
      (part) => part.ProjectsPage,
    ),
    nav: { icon: 'folder', key: 'j' },
    needs: 'ProjectsRead',
  },
  {
    path: '/projects/:id',
    title: 'Project',
    view: lazyPart(
      () => import('./projects/project-page.tsx'),
      (part) => part.ProjectPage,
    ),
    needs: 'ProjectsRead',
  },
  {
    path: '/documents',
    title: 'Documents',
    view: lazyPart(
      () => import('./documents/documents-page.tsx'),
      (part) => part.DocumentsPage,
    ),
    nav: { icon: 'file', key: 'd' },
    needs: 'DocsRead',
  },
  ...unitPages,
  {
    path: '/identities',
    title: 'Identities and keys',
    view: lazyPart(
      () => import('./identities/identities-page.tsx'),
      (part) => part.IdentitiesPage,
    ),
    nav: { icon: 'identity', key: 'i' },
    needs: 'IdentitiesRead',
  },
  {
    path: '/identities/:id',
    title: 'Identity',
    view: lazyPart(
      () => import('./identities/identities-page.tsx'),
      (part) => part.IdentitiesPage,
    ),
    needs: 'IdentitiesRead',
  },
  {
    path: '/audit',
    title: 'Audit log',
    view: lazyPart(
      () => import('./audit/audit-page.tsx'),
      (part) => part.AuditPage,
    ),
    nav: { icon: 'file', key: 'l' },
    needs: 'AuditRead',
  },
  {
    path: '/billing',
    title: 'Billing',
    view: lazyPart(
      () => import('./billing/billing-page.tsx'),
      (part) => part.BillingPage,
    ),
    nav: { icon: 'card', key: '9' },
    needs: 'BillingRead',
  },
  {
    path: '/policy',
    title: 'Policy',
    view: lazyPart(
      () => import('./policy/policy-page.tsx'),
      (part) => part.PolicyPage,
    ),
    nav: { icon: 'flag', key: 't' },
    needs: 'PolicyRead',
  },
  {
    path: '/logs',
    title: 'Log',
    view: lazyPart(
      () => import('./logs/logs-page.tsx'),
      (part) => part.LogsPage,
    ),
    nav: { icon: 'clip', key: 'h' },
    needs: 'LogsRead',
  },
  {
    path: '/account',
    title: 'Account',
    view: lazyPart(
      () => import('./account/account-page.tsx'),
      (part) => part.AccountPage,
    ),
  },
  {
    path: '/consent',
    title: 'Access',
    view: lazyPart(
      () => import('./consent/consent-page.tsx'),
      (part) => part.ConsentPage,
    ),
  },
  {
    path: '/system',
    title: 'System',
    view: lazyPart(
      () => import('./system/system-page.tsx'),
      (part) => part.SystemPage,
    ),
    nav: { icon: 'system', key: 's' },
  },
  {
    path: '/help',
    title: 'Help',
    view: lazyPart(
      () => import('./help/help-page.tsx'),
      (part) => part.HelpPage,
    ),
  },
  {
    path: '/help/:slug',
    title: 'Topic',
    view: lazyPart(
      () => import('./help/help-page.tsx'),
      (part) => part.HelpPage,
    ),
  },
];
