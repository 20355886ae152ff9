// Keeps role definitions: names unique in the tenant, those of the system protected.
import type { Caller } from '../../../contract/caller.ts';
import { implement } from '../../../contract/operation.ts';
import { Fault } from '../../../kernel/fault.ts';
import { defined, given } from '../../fields.ts';
import { kept } from '../../kept.ts';
import { agentRoles, roleSoul } from './contract.ts';
import type { RoleBudgets } from './role-content.ts';
import { plainBudgets, type RoleDoc, type Roles, toRoleDto } from './roles.ts';
import { roleAsSoul } from './soul.ts';
import { checkTemplate } from './template.ts';

export const agentRolesService = implement(agentRoles, ({ roles }: { roles: Roles }) => ({
  ...kept(agentRoles, roles.keeper, {
    show: (role) => toDto(roles, role),
    draft: async (body, caller) => {
      checkTemplate(body.systemPromptTemplate);
      await requireRoute(roles, caller, body.routeId);
      const { name, systemPromptTemplate } = body;
      const role = { ...plainRole, ...given(body), name, displayName: body.displayName ?? name, systemPromptTemplate };
      checkBudgets(role);
      return role;
    },
    expecting: ['defaultMaxIterations', 'hardIterationCap'],
    change: async (body, role, caller) => {
      if (role.isSystem && body.name !== undefined && body.name !== role.name)
        throw new Fault('SYSTEM_PROTECTED', `The name of the system role ${role.name} is fixed.`, {
          hint: 'Change its displayName, or create a role of your own.',
        });
      if (body.systemPromptTemplate !== undefined) checkTemplate(body.systemPromptTemplate);
      await requireRoute(roles, caller, body.routeId);
      const change = defined(body);
      checkBudgets({ ...role, ...change });
      return { ...change, ...(role.isSystem ? { customised: true } : {}) };
    },
    mayWrite: (role, _, how) => {
      if (how === 'remove' && role.isSystem)
        throw new Fault('SYSTEM_PROTECTED', `The system role ${role.name} cannot be deleted.`, {
          hint: `Switch it off with PATCH /api/agent/role-definitions/${role._id} {"enabled": false}.`,
        });
    },
  }),
  byName: async ({ caller, params }) => {
    const role = await roles.findByName(caller.tenantId, params.name);
    if (role) return toDto(roles, role);
    throw new Fault('NOT_FOUND', `There is no role named ${params.name}.`, {
      hint: 'List roles with GET /api/agent/role-definitions.',
    });
  },
}));

const plainRole = {
  ...plainBudgets,
  description: null,
  icon: null,
  routeId: null,
  temperature: 0.3,
  fallbackModelId: null,
  enabled: true,
  sortOrder: 100,
  isSystem: false,
  customised: false,
};

export const roleSoulService = implement(roleSoul, ({ roles }: { roles: Roles }) => ({
  get: async ({ caller, params, query }) => {
    const role = await roles.keeper.get(caller, params.id);
    return {
      kind: 'file' as const,
      mediaType: 'text/markdown; charset=utf-8',
      body: roleAsSoul(role),
      ...(query.download ? { fileName: `${role.name.replaceAll(' ', '-')}.soul.md` } : {}),
    };
  },
}));

const toDto = async (roles: Roles, role: RoleDoc) => toRoleDto(role, await roles.routeName(role));

/** @throws Fault NOT_FOUND for a route that is not there */
async function requireRoute(roles: Roles, { tenantId }: Caller, routeId: number | null | undefined): Promise<void> {
  if (routeId == null || (await roles.routeName({ tenantId, routeId })) !== null) return;
  throw new Fault('NOT_FOUND', `There is no route ${routeId}.`, {
    hint: 'List routes with GET /api/ai-router/routes.',
  });
}

function checkBudgets(budgets: RoleBudgets): void {
  if (budgets.defaultMaxIterations <= budgets.hardIterationCap) return;
  throw new Fault('VALIDATION_FAILED', 'defaultMaxIterations is above hardIterationCap.', {
    hint: `Lower defaultMaxIterations to ${budgets.hardIterationCap} or raise hardIterationCap.`,
  });
}
