// What a role gives to a run that names no limits of its own.
import type { RunSpec } from '../../../../runtime/records.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Roles } from '../roles/roles.ts';
import type { ToolProfiles } from '../tool-profiles/profiles.ts';

/** Limits of a role, and the pool of a tree whose root has it. */
export type RoleDefaults = Partial<RunSpec> & { poolIterationBudget?: number; poolTokenBudget?: number };

/**
 * Looks a role up by id or name. A name that only a tool profile bears is a role with the engine's limits; one that
 * nothing bears is refused, for nothing would limit its tools. `isInherited`: it was accepted before.
 */
export function createRoleDefaults(roles: Roles, profiles: Pick<ToolProfiles, 'findByRole'>) {
  const unknown = async (tenantId: number, name: string): Promise<Fault> => {
    const known = await roles
      .of(tenantId)
      .find({ enabled: true, deletedAt: null }, { sort: { nameKey: 1 }, limit: 50 })
      .toArray();
    return new Fault('NOT_FOUND', `There is no role ${name}.`, {
      hint: `Use one of ${known.map((one) => one.name).join(', ')}, or make it with POST /api/agent/role-definitions.`,
    });
  };
  return async (
    tenantId: number,
    { id, name }: { id: number | null; name: string | null },
    isInherited = false,
  ): Promise<RoleDefaults> => {
    const role =
      id !== null ? await roles.find(tenantId, id) : name !== null ? await roles.findByName(tenantId, name) : null;
    if (id !== null && !role)
      throw new Fault('NOT_FOUND', `There is no role definition ${id}.`, {
        hint: 'List them with GET /api/agent/role-definitions.',
      });
    if (!role) {
      if (name !== null && !isInherited && !(await profiles.findByRole(tenantId, name)))
        throw await unknown(tenantId, name);
      return {};
    }
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
