// Permissions that each permission implies and that each system role has.
import { Permission, type UserRole } from '../contract/enums.ts';

/** Permissions implied by another one, beyond `…Write` → `…Read`. */
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

/** Permissions that a permission implies directly. */
export function impliedBy(permission: Permission): Permission[] {
  const read = Permission.safeParse(permission.replace(/Write$/, 'Read'));
  return [...(implied[permission] ?? []), ...(read.success && read.data !== permission ? [read.data] : [])];
}

/** The granted permissions and all that they imply. */
export function expand(granted: Iterable<Permission>): Set<Permission> {
  const all = new Set<Permission>();
  const queue = [...granted];
  for (let next = queue.pop(); next; next = queue.pop()) {
    if (all.has(next)) continue;
    all.add(next);
    queue.push(...impliedBy(next));
  }
  return all;
}

/** Permissions left by a key's scopes; all without scopes. */
export function narrow(all: ReadonlySet<Permission>, scopes: readonly Permission[]): Set<Permission> {
  if (scopes.length === 0) return new Set(all);
  const narrowed = expand(scopes);
  return new Set([...all].filter((permission) => narrowed.has(permission)));
}
