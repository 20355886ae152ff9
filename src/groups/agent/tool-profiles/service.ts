// Keeps tool profiles: names unique in the tenant, each for one role.
import type { Caller } from '../../../contract/caller.ts';
import { implement } from '../../../contract/operation.ts';
import { toPage } from '../../../contract/page.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import { contains } from '../../../ports/db.ts';
import { pageOf } from '../../../ports/page-of.ts';
import { sortOf } from '../../../ports/sort-of.ts';
import type { Roles } from '../roles/roles.ts';
import { agentToolProfiles } from './contract.ts';
import { type ToolProfiles, toProfileDto } from './profiles.ts';

interface Deps {
  profiles: ToolProfiles;
  roles: Roles;
  clock: Clock;
}

export const agentToolProfilesService = implement(agentToolProfiles, ({ profiles, roles, clock }: Deps) => {
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
    list: async ({ caller, query }) => {
      const text = query.q === undefined ? null : { $regex: contains(query.q), $options: 'i' as const };
      const filter = {
        ...(query.roleDefinitionId === undefined ? {} : { roleDefinitionId: query.roleDefinitionId }),
        ...(text === null ? {} : { $or: [{ name: text }, { role: text }, { description: text }] }),
      };
      const { items, totalCount } = await pageOf(profiles.of(caller.tenantId), {
        ...query,
        filter,
        sort: sortOf(query.sort ?? 'role'),
      });
      return toPage(items.map(toProfileDto), totalCount, query);
    },
    create: async ({ caller, body }) => {
      const profile = await profiles
        .insert(caller.tenantId, {
          ...(await definitionOf(caller, body)),
          name: body.name,
          description: body.description ?? null,
          safeTools: body.safeTools ?? [],
          optInTools: body.optInTools ?? [],
          blockedTools: body.blockedTools ?? [],
          sandboxedTools: body.sandboxedTools ?? [],
          discoveryEnabled: body.discoveryEnabled ?? true,
        })
        .catch((error) => Promise.reject(nameTaken(error, body.name)));
      return toProfileDto(profile);
    },
    replace: async ({ caller, params, body }) => {
      const definition = await definitionOf(caller, body);
      const profile = await profiles
        .of(caller.tenantId)
        .findOneAndUpdate(
          { _id: params.id },
          {
            $set: {
              ...body,
              ...definition,
              description: body.description ?? null,
              roleKey: definition.role.toLowerCase(),
              nameKey: body.name.toLowerCase(),
              updatedAt: new Date(clock.now()),
            },
          },
          { returnDocument: 'after' },
        )
        .catch((error) => Promise.reject(nameTaken(error, body.name)));
      if (profile) return toProfileDto(profile);
      throw new Fault('NOT_FOUND', `There is no tool profile ${params.id}.`, {
        hint: 'List them with GET /api/agent/tool-profiles.',
      });
    },
    byRole: async ({ caller, params }) => {
      const profile = await profiles.findByRole(caller.tenantId, params.role);
      if (profile) return toProfileDto(profile);
      throw new Fault('NOT_FOUND', `The role ${params.role} has no tool profile, so its runs may use every tool.`, {
        hint: 'Make one with POST /api/agent/tool-profiles.',
      });
    },
  };
});

function nameTaken(error: unknown, name: string): unknown {
  if (!(error instanceof Fault) || error.code !== 'DUPLICATE') return error;
  return new Fault('DUPLICATE', `There is a tool profile named ${name} already.`, {
    hint: 'Choose another name, or change that one with PUT /api/agent/tool-profiles/{id}.',
  });
}
