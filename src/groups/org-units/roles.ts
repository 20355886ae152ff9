// The roles that may be given in a unit: those that it names, and those of the unit above where it inherits them.
import type { RoleDoc } from '../../auth/documents.ts';
import { permittedBy } from '../../auth/roles.ts';
import type { Caller } from '../../contract/caller.ts';
import type { Handlers } from '../../contract/operation.ts';
import { Fault } from '../../kernel/fault.ts';
import type { OrgUnitDoc } from '../../org-units/record.ts';
import type { Base, Tree } from './base.ts';
import type { orgUnits } from './contract.ts';
import type { OrgUnitRoleDto } from './dto.ts';

/** Roles of the system that no unit gives: an owner owns the tenant, and an agent is none of its people. */
const never = ['Owner', 'Agent'];

export interface Givable {
  /** Roles that may be given, the heaviest first. */
  roles: RoleDoc[];
  /** Of them, those that only a unit above names. */
  inherited: ReadonlySet<number>;
  defaultRoleId: number | null;
}

const isNamed = (unit: OrgUnitDoc, { _id, isSystem, name }: RoleDoc): boolean =>
  unit.roleIds?.includes(_id) ?? !(isSystem && never.includes(name));

/** What may be given in a unit. A unit that says nothing gives what the one above gives; a root then gives all. */
export function givableIn(tree: Tree, unit: OrgUnitDoc, all: readonly RoleDoc[]): Givable {
  const [, ...above] = tree.pathOf(unit._id);
  const parent = above[0] ? givableIn(tree, above[0], all) : null;
  const own = parent && unit.roleIds === null ? [] : all.filter((role) => isNamed(unit, role));
  const more = parent && unit.inheritRoles ? parent.roles.filter((role) => !own.includes(role)) : [];
  const roles = [...own, ...more].sort((a, b) => b.weight - a.weight || a._id - b._id);
  const wanted = unit.defaultRoleId ?? parent?.defaultRoleId ?? null;
  const defaultRoleId = roles.some(({ _id }) => _id === wanted) ? wanted : null;
  return { roles, inherited: new Set(more.map(({ _id }) => _id)), defaultRoleId };
}

const allRoles = ({ roles }: Base, { tenantId }: Pick<Caller, 'tenantId'>) => roles(tenantId).find({}).toArray();

/**
 * The role that a member gets: the one that is named, else the default one of the unit; null where there is none.
 *
 * @throws Fault NOT_FOUND, VALIDATION_FAILED for one that the unit does not give, FORBIDDEN for one above the caller
 */
export async function roleToGive(
  base: Base,
  caller: Caller,
  { unit, tree }: { unit: OrgUnitDoc; tree: Tree },
  wanted: number | null | undefined,
): Promise<RoleDoc | null> {
  const all = await allRoles(base, caller);
  const { roles, defaultRoleId } = givableIn(tree, unit, all);
  const id = wanted ?? defaultRoleId;
  if (id === null) return null;
  const role = all.find(({ _id }) => _id === id);
  if (!role) throw new Fault('NOT_FOUND', `There is no role ${id}.`, { hint: 'List them with GET /api/roles.' });
  if (!roles.includes(role))
    throw new Fault('VALIDATION_FAILED', `The unit ${unit.name} does not give the role ${role.name}.`, {
      field: 'roleId',
      hint: `See those that it gives with GET /api/org-units/${unit._id}/roles.`,
    });
  if (role.weight > caller.rank)
    throw new Fault('FORBIDDEN', `The role ${role.name} ranks above you.`, {
      hint: `Your own weight is ${caller.rank}.`,
    });
  return role;
}

export function roleHandlers(base: Base): Pick<Handlers<typeof orgUnits>, 'roles' | 'setRoles'> {
  const show = async (caller: Caller, id: number): Promise<OrgUnitRoleDto[]> => {
    const { unit, tree } = await base.find(caller, id);
    const { roles, inherited, defaultRoleId } = givableIn(tree, unit, await allRoles(base, caller));
    const members = await base.memberships.of(caller.tenantId).find({ orgUnitId: id }).toArray();
    return roles.map((role) => ({
      roleId: role._id,
      roleName: role.name,
      weight: role.weight,
      isDefault: role._id === defaultRoleId,
      isInherited: inherited.has(role._id),
      memberCount: members.filter(({ roleId }) => roleId === role._id).length,
      permissions: [...permittedBy(role)].sort(),
    }));
  };
  return {
    roles: ({ caller, params }) => show(caller, params.id),
    setRoles: async ({ caller, params, body }) => {
      const { unit, tree } = await base.find(caller, params.id);
      const all = await allRoles(base, caller);
      const roleIds = [...new Set(body.roleIds)];
      for (const id of roleIds) {
        const role = all.find(({ _id }) => _id === id);
        if (!role) throw new Fault('NOT_FOUND', `There is no role ${id}.`, { hint: 'List them with GET /api/roles.' });
        if (role.isSystem && never.includes(role.name))
          throw new Fault('VALIDATION_FAILED', `No unit gives the role ${role.name}.`, {
            field: 'roleIds',
            hint: 'Leave it out: it is given to a user as a whole, with PATCH /api/users/{id}.',
          });
      }
      const fields = { roleIds, defaultRoleId: body.defaultRoleId ?? null, inheritRoles: body.inherit ?? false };
      if (fields.defaultRoleId !== null) {
        const { roles } = givableIn(tree, { ...unit, ...fields }, all);
        if (!roles.some(({ _id }) => _id === fields.defaultRoleId))
          throw new Fault('VALIDATION_FAILED', 'The default role is none of those that may be given.', {
            field: 'defaultRoleId',
            hint: 'Name it in roleIds too, or inherit it.',
          });
      }
      await base.keeper.change(caller, params.id, fields);
      await base.changed(unit);
      return show(caller, params.id);
    },
  };
}
