// Keeps roles: nobody makes one that could do more than they may, and those of the system stay as they are.
import { aboutPermissions } from '../../auth/about-permissions.ts';
import type { AuthCollections } from '../../auth/collections.ts';
import type { RoleDoc } from '../../auth/documents.ts';
import { expand, impliedBy } from '../../auth/permissions.ts';
import { requireOwn } from '../../auth/rank.ts';
import { membersOf, permittedBy } from '../../auth/roles.ts';
import type { Caller } from '../../contract/caller.ts';
import { Permission } from '../../contract/enums.ts';
import { implement } from '../../contract/operation.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Keeper } from '../../ports/keeper.ts';
import { shown } from '../../ports/shown.ts';
import { defined } from '../fields.ts';
import { kept } from '../kept.ts';
import { permissions, roles } from './contract.ts';
import { RoleDetailDto } from './dto.ts';
import { toRoleDtos } from './to-dto.ts';

export interface RolesDeps {
  roles: Keeper<RoleDoc>;
  users: AuthCollections['users'];
}

type Content = Partial<Pick<RoleDoc, 'name' | 'description' | 'weight' | 'permissions'>>;

export const rolesService = implement(roles, ({ roles: keeper, users }: RolesDeps) => {
  const memberCount = (role: RoleDoc) => users.countDocuments(membersOf(role));
  const show = async (role: RoleDoc) =>
    shown(RoleDetailDto, role, { memberCount: await memberCount(role), permissions: [...role.permissions].sort() });

  /** What a change makes of a role, unless it gives away what the caller does not have. */
  const changed = (caller: Caller, content: Content, old: RoleDoc) => {
    const had = permittedBy(old);
    if (content.permissions) {
      const added = [...expand(content.permissions)].filter((permission) => !had.has(permission));
      requireOwn(caller, added, `The role ${old.name}`);
    }
    requireReach(caller, content.weight ?? 0, 'This weight');
    return { ...content, version: old.version + 1 };
  };

  const mayWrite = async (role: RoleDoc, caller: Caller, how: 'change' | 'remove') => {
    if (role.isSystem)
      throw new Fault('SYSTEM_PROTECTED', `The system role ${role.name} stays as it is.`, {
        hint: 'Make a role of your own with POST /api/roles.',
      });
    requireReach(caller, role.weight, `The role ${role.name}`);
    const members = how === 'remove' ? await memberCount(role) : 0;
    if (members > 0)
      throw new Fault('IN_USE', `${members} users have the role ${role.name}.`, {
        hint: 'Take it from them with PATCH /api/users/{id} {"roleIds": […]}.',
      });
  };

  return {
    ...kept(roles, keeper, {
      show,
      showAll: (found) => toRoleDtos({ users }, found),
      draft: (body, caller) => {
        const role = { weight: body.weight ?? 0, permissions: body.permissions ?? [] };
        requireReach(caller, role.weight, 'This weight');
        requireOwn(caller, expand(role.permissions), `The role ${body.name}`);
        return { ...role, name: body.name, description: body.description ?? null, isSystem: false, version: 1 };
      },
      expecting: ['version'],
      change: (body, old, caller) => changed(caller, defined(body), old),
      replace: (body, old, caller) => changed(caller, { ...body, description: body.description ?? null }, old),
      mayWrite,
    }),
    setPermissions: async ({ caller, params, body }) => {
      const work = async (old: RoleDoc) => {
        await mayWrite(old, caller, 'change');
        return changed(caller, body, old);
      };
      return show(await keeper.change(caller, params.id, work, { expecting: ['version'] }));
    },
  };
});

export const permissionsService = implement(permissions, (_: object) => ({
  list: ({ query: { group } }) =>
    Permission.options
      .map((name) => ({ name, ...aboutPermissions[name], implies: impliedBy(name) }))
      .filter((one) => group === undefined || one.group === group),
}));

/** @throws Fault FORBIDDEN for a weight above the caller's */
function requireReach(caller: Caller, weight: number, what: string): void {
  if (weight <= caller.rank) return;
  throw new Fault('FORBIDDEN', `${what} ranks above you.`, { hint: `Your own weight is ${caller.rank}.` });
}
