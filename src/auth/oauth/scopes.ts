// The scopes that a program may ask a person for, and the permissions that each of them lets it use.
import type { Permission } from '../../contract/enums.ts';
import { expand } from '../permissions.ts';

export interface Scope {
  name: string;
  description: string;
  /** The scope lets the program change things, or spend. */
  isDangerous: boolean;
  permissions: readonly Permission[];
}

const scope = (name: string, description: string, permissions: readonly Permission[] = [], isDangerous = false) => ({
  name,
  description,
  isDangerous,
  permissions,
});

export const scopes: readonly Scope[] = [
  scope('openid', 'Know who you are here'),
  scope('profile', 'See your name, language and time zone'),
  scope('email', 'See your e-mail address'),
  scope('offline_access', 'Stay connected while you are away, until you disconnect it'),
  scope('runs:read', 'See runs, routines and how agents are set up', ['RunsRead', 'RoutinesRead', 'AgentConfigRead']),
  scope(
    'runs:write',
    'Start, steer and stop runs, and decide what they ask',
    ['RunsWrite', 'EscalationsResolve'],
    true,
  ),
  scope('chat', 'Read your chats and write in them', ['ChatRead', 'ChatWrite'], true),
  scope('memories:read', 'Read memories, facts, rules, goals and the graph', [
    'MemoriesRead',
    'FactsRead',
    'RulesRead',
    'KnowledgeRead',
    'GraphRead',
  ]),
  scope(
    'memories:write',
    'Add, change and remove memories, facts, rules, goals and the graph',
    ['MemoriesWrite', 'FactsWrite', 'RulesWrite', 'KnowledgeWrite', 'GraphWrite'],
    true,
  ),
  scope('messages', 'Read and send messages as your identity', ['MessagesRead', 'MessagesWrite'], true),
  scope('tasks', 'See projects; see, add and change tasks', ['TasksRead', 'TasksWrite', 'ProjectsRead'], true),
  scope('models', 'Call the models, at your cost', ['AiRouterUse'], true),
  scope('mcp', 'Connect by MCP; the other permissions say what its tools may do'),
];

const byName = new Map(scopes.map((one) => [one.name, one]));

export const scopeNames: readonly string[] = scopes.map(({ name }) => name);
export const findScope = (name: string): Scope | undefined => byName.get(name);

/** All that these scopes let a token use. */
export const permissionsOf = (names: readonly string[]): Set<Permission> =>
  expand(names.flatMap((name) => byName.get(name)?.permissions ?? []));

/** Of a scope parameter: its names, each once. */
export const scopeList = (text: string): string[] => [...new Set(text.split(' ').filter(Boolean))];
