// The topics of the interface and the permission that each one needs.
import type { Permission } from './enums.ts';

export interface TopicPattern {
  pattern: string;
  needs: Permission | 'self';
}

export const topics = [
  { pattern: 'runs', needs: 'RunsRead' },
  { pattern: 'run:*', needs: 'RunsRead' },
  { pattern: 'run-tree:*', needs: 'RunsRead' },
  { pattern: 'chat:*', needs: 'ChatRead' },
  { pattern: 'chats', needs: 'ChatRead' },
  { pattern: 'inbox:*', needs: 'MessagesRead' },
  { pattern: 'identity:*', needs: 'IdentitiesRead' },
  { pattern: 'identities', needs: 'IdentitiesRead' },
  // Ours.
  { pattern: 'org-units', needs: 'OrgUnitsRead' },
  { pattern: 'project:*', needs: 'ProjectsRead' },
  { pattern: 'escalations', needs: 'RunsRead' },
  { pattern: 'routines', needs: 'RoutinesRead' },
  { pattern: 'import:*', needs: 'ImportData' },
  { pattern: 'connectors', needs: 'ConnectorsRead' },
  { pattern: 'router', needs: 'AiRouterRead' },
  { pattern: 'billing', needs: 'BillingRead' },
  { pattern: 'channels', needs: 'ChannelsRead' },
  { pattern: 'webhooks', needs: 'WebhooksRead' },
  { pattern: 'logs', needs: 'LogsRead' },
  { pattern: 'audit', needs: 'AuditRead' },
  { pattern: 'system', needs: 'SystemRead' },
  { pattern: 'me', needs: 'self' },
] as const satisfies readonly TopicPattern[];

type KindOf<Pattern> = Pattern extends `${infer Kind}:*` ? Kind : never;
/** Kinds of topics that are about one thing, e.g. `run` of `run:42`. */
export type IdTopic = KindOf<(typeof topics)[number]['pattern']>;
