// What a role gives to a run that names no limits of its own.
import type { RunSpec } from '../../../../runtime/records.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Roles } from '../roles/roles.ts';

/** Limits of a role, and the pool of a tree whose root has it. */
export type RoleDefaults = Partial<RunSpec> & { poolIterationBudget?: number; poolTokenBudget?: number };

/** Looks a role up by id or name. A name that no definition bears is allowed: such a run has the engine's limits. */
export function createRoleDefaults(roles: Roles) {
  return async (tenantId: number, { id, name }: { id: number | null; name: string | null }): Promise<RoleDefaults> => {
    const role =
      id !== null ? await roles.find(tenantId, id) : name !== null ? await roles.findByName(tenantId, name) : null;
    if (id !== null && !role)
      throw new Fault('NOT_FOUND', `There is no role definition ${id}.`, {
        hint: 'List them with GET /api/agent/role-definitions.',
      });
    if (!role) return {};
    if (!role.enabled)
      throw new Fault('CONFLICT', `The role ${role.name} is switched off.`, {
        hint: `Enable it with PATCH /api/agent/role-definitions/${role._id}.`,
      });
    return {
      role: role.name,
      roleDefinitionId: role._id,
      maxIterations: role.defaultMaxIterations,
      maxTokens: role.defaultMaxTokens,
      maxWallClockMs: role.defaultMaxWallClockMs,
      hardIterationCap: role.hardIterationCap,
      contextBudgetTokens: role.contextBudgetTokens,
      poolIterationBudget: role.defaultPoolIterationBudget,
      poolTokenBudget: role.defaultPoolTokenBudget,
    };
  };
}
export type FindRoleDefaults = ReturnType<typeof createRoleDefaults>;
