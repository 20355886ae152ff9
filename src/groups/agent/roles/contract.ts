// Role definitions: what an agent of a role is told, and the budgets its runs start with.
import { z } from 'zod';
import { group, op } from '../../../contract/operation.ts';
import { listQuery, page } from '../../../contract/page.ts';
import { boolean, fields, float, int32, int64, nothing, string } from '../../../contract/types.ts';
import { AgentRoleDefinitionDto } from '../dto.ts';

const name = string
  .trim()
  .min(1)
  .max(100)
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} ._-]*$/u, 'letters, digits, spaces and . _ - only');
const label = string.trim().min(1).max(200);
const template = string.trim().min(1).max(32_000);
const budget = int32.min(1);
const temperature = float.min(0).max(2);

const limits = {
  defaultMaxIterations: budget,
  defaultMaxTokens: budget,
  defaultMaxWallClockMs: budget,
  defaultPoolIterationBudget: budget,
  defaultPoolTokenBudget: budget,
  hardIterationCap: budget,
  contextBudgetTokens: int32.min(1000),
};
const texts = {
  description: string.max(2000).nullish(),
  icon: string.max(50).nullish(),
  routeId: int64.nullish(),
  fallbackModelId: string.max(200).nullish(),
};

export const agentRoles = group(
  'Agent',
  { id: 'AgentRoles', base: '/api/agent/role-definitions', doc: 'Roles of agents: their instructions and budgets.' },
  {
    list: op.get('', {
      doc: 'List role definitions in their own order.',
      needs: 'AgentConfigRead',
      query: listQuery(['sortOrder', 'name', 'createdAtUtc', 'id'], {
        q: string.max(200).optional(),
        enabled: boolean.optional(),
        isSystem: boolean.optional(),
      }),
      data: page(AgentRoleDefinitionDto),
    }),
    create: op.post('', {
      doc: 'Define a role; the template may use {{agent}}, {{role}}, {{goal}}, {{date}}, {{deliverable}} and {{destination}}.',
      needs: 'AgentConfigWrite',
      body: fields({
        name,
        displayName: label.nullish(),
        systemPromptTemplate: template,
        ...texts,
        ...z.object(limits).partial().shape,
        temperature: temperature.nullish(),
        enabled: boolean.nullish(),
        sortOrder: int32.nullish(),
      }),
      data: AgentRoleDefinitionDto,
    }),
    get: op.get('/{id}', { doc: 'One role definition.', needs: 'AgentConfigRead', data: AgentRoleDefinitionDto }),
    patch: op.patch('/{id}', {
      doc: 'Change a role definition; running agents follow it from their next turn on.',
      needs: 'AgentConfigWrite',
      body: fields({
        name: name.optional(),
        displayName: label.optional(),
        systemPromptTemplate: template.optional(),
        ...texts,
        ...z.object(limits).partial().shape,
        temperature: temperature.optional(),
        enabled: boolean.optional(),
        sortOrder: int32.optional(),
      }),
      data: AgentRoleDefinitionDto,
    }),
    remove: op.delete('/{id}', {
      doc: 'Delete a role definition that is not one of the system.',
      needs: 'AgentConfigWrite',
      data: nothing,
    }),
    byName: op.get('/by-name/{name}', {
      doc: 'The role definition of this name, in any case.',
      needs: 'AgentConfigRead',
      data: AgentRoleDefinitionDto,
    }),
  },
);

export const roleSoul = group(
  'Identities',
  { id: 'AgentRoleSoul', base: '/api/agent-roles/{id}', doc: 'A role as a soul.md file.' },
  {
    get: op.get('/soul.md', {
      doc: 'The role as Markdown, to read or to carry to another server.',
      needs: 'AgentConfigRead',
      query: fields({ download: boolean.optional() }),
      data: string,
      reply: 'file',
      mediaType: 'text/markdown',
    }),
  },
);
