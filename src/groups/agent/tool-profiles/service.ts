// Keeps tool profiles: names unique in the tenant, each for one role.
import type { Caller } from '../../../contract/caller.ts';
import { implement } from '../../../contract/operation.ts';
import { Fault } from '../../../kernel/fault.ts';
import { given } from '../../fields.ts';
import { kept } from '../../kept.ts';
import type { Roles } from '../roles/roles.ts';
import { agentToolProfiles } from './contract.ts';
import { type ToolProfiles, toProfileDto, withRoleKey } from './profiles.ts';

interface Deps {
  profiles: ToolProfiles;
  roles: Roles;
}

export const agentToolProfilesService = implement(agentToolProfiles, ({ profiles, roles }: Deps) => {
  /** The definition that a profile is for: the one named by id, else the one of the role's name, if there is one. */
  const definitionOf = async (caller: Caller, body: { role: string; roleDefinitionId?: number | null | undefined }) => {
    if (body.roleDefinitionId == null)
      return { role: body.role, roleDefinitionId: (await roles.findByName(caller.tenantId, body.role))?._id ?? null };
    const role = await roles.find(caller.tenantId, body.roleDefinitionId);
    if (!role)
      throw new Fault('NOT_FOUND', `There is no role definition ${body.roleDefinitionId}.`, {
        hint: 'List roles with GET /api/agent/role-definitions.',
      });
    if (role.nameKey !== body.role.toLowerCase())
      throw new Fault('VALIDATION_FAILED', `Role definition ${role._id} is named ${role.name}, not ${body.role}.`, {
        hint: 'Name the role of that definition, or leave roleDefinitionId out.',
      });
    return { role: role.name, roleDefinitionId: role._id };
  };

  return {
    ...kept(agentToolProfiles, profiles.keeper, {
      show: toProfileDto,
      draft: async (body, caller) =>
        withRoleKey({
          ...plainProfile,
          ...given(body),
          ...(await definitionOf(caller, body)),
          name: body.name,
        }),
      replace: async (body, _, caller) =>
        withRoleKey({ ...body, ...(await definitionOf(caller, body)), description: body.description ?? null }),
    }),
    byRole: async ({ caller, params }) => {
      const profile = await profiles.findByRole(caller.tenantId, params.role);
      if (profile) return toProfileDto(profile);
      throw new Fault('NOT_FOUND', `The role ${params.role} has no tool profile, so its runs may use every tool.`, {
        hint: 'Make one with POST /api/agent/tool-profiles.',
      });
    },
  };
});

const plainProfile = {
  description: null,
  safeTools: [],
  optInTools: [],
  blockedTools: [],
  sandboxedTools: [],
  discoveryEnabled: true,
};
