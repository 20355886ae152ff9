// What each permission implies and what each system role may do.
import { Permission, type UserRole } from '../contract/enums.ts';

/** Permissions that come with another one, where that is not just `…Write` → `…Read`. */
const implied: Partial<Record<Permission, Permission[]>> = {
  IdentitiesProvision: ['IdentitiesRead'],
  ApiKeysManage: ['IdentitiesRead'],
  EscalationsResolve: ['RunsRead'],
  TrainingApprove: ['MirrorRead'],
  MessagesBroadcast: ['MessagesWrite'],
  DocsPublish: ['DocsRead'],
  ChannelsSend: ['ChannelsRead'],
};

const everything: readonly Permission[] = Permission.options;
const without = (...left: Permission[]) => everything.filter((permission) => !left.includes(permission));

/** The permissions of the system roles. */
export const rolePermissions: Record<UserRole, readonly Permission[]> = {
  Owner: everything,
  Admin: without('BillingWrite', 'PolicyWrite'),
  Operator: without('UsersWrite', 'RolesWrite', 'ExportData', 'BillingWrite', 'OrgUnitsWrite', 'PolicyWrite'),
  Member: [
    'ConnectorsRead',
    'IdentitiesRead',
    'IdentitiesWrite',
    'IdentitiesProvision',
    'RunsRead',
    'RunsWrite',
    'EscalationsResolve',
    'RoutinesRead',
    'RoutinesWrite',
    'AgentConfigRead',
    'ChatRead',
    'ChatWrite',
    'MirrorRead',
    'MirrorWrite',
    'TrainingApprove',
    'MemoriesRead',
    'MemoriesWrite',
    'FactsRead',
    'FactsWrite',
    'RulesRead',
    'RulesWrite',
    'KnowledgeRead',
    'KnowledgeWrite',
    'GraphRead',
    'GraphWrite',
    'RelationshipsRead',
    'RelationshipsWrite',
    'MessagesRead',
    'MessagesWrite',
    'ProjectsRead',
    'ProjectsWrite',
    'TasksRead',
    'TasksWrite',
    'DocsRead',
    'DocsWrite',
    'DocsPublish',
    'WorkspacesRead',
    'WorkspacesWrite',
    'AiRouterRead',
    'AiRouterUse',
    'ChannelsRead',
    'OrgUnitsRead',
  ],
  Viewer: [
    'ConnectorsRead',
    'RolesRead',
    'IdentitiesRead',
    'RunsRead',
    'RoutinesRead',
    'AgentConfigRead',
    'ChatRead',
    'MirrorRead',
    'MemoriesRead',
    'FactsRead',
    'RulesRead',
    'KnowledgeRead',
    'GraphRead',
    'RelationshipsRead',
    'MessagesRead',
    'ProjectsRead',
    'TasksRead',
    'DocsRead',
    'WorkspacesRead',
    'AiRouterRead',
    'OrgUnitsRead',
  ],
  Agent: [
    'ConnectorsRead',
    'IdentitiesRead',
    'IdentitiesProvision',
    'RunsRead',
    'RunsWrite',
    'RoutinesRead',
    'AgentConfigRead',
    'ChatRead',
    'ChatWrite',
    'MirrorRead',
    'MirrorWrite',
    'MemoriesRead',
    'MemoriesWrite',
    'FactsRead',
    'FactsWrite',
    'RulesRead',
    'RulesWrite',
    'KnowledgeRead',
    'KnowledgeWrite',
    'GraphRead',
    'GraphWrite',
    'RelationshipsRead',
    'RelationshipsWrite',
    'MessagesRead',
    'MessagesWrite',
    'ProjectsRead',
    'TasksRead',
    'TasksWrite',
    'DocsRead',
    'DocsWrite',
    'WorkspacesRead',
    'WorkspacesWrite',
    'AiRouterUse',
  ],
};

/** The permissions given and all that they imply. */
export function expand(granted: Iterable<Permission>): Set<Permission> {
  const all = new Set<Permission>();
  const queue = [...granted];
  for (let next = queue.pop(); next; next = queue.pop()) {
    if (all.has(next)) continue;
    all.add(next);
    queue.push(...(implied[next] ?? []));
    const read = Permission.safeParse(next.replace(/Write$/, 'Read'));
    if (read.success) queue.push(read.data);
  }
  return all;
}
