// Roles of a tenant: the system's roles as documents, so that lists show them, and the tenant's own.
import { createHash } from 'node:crypto';
import { UserRole } from '../contract/enums.ts';
import type { Clock } from '../kernel/clock.ts';
import { ignoreDuplicate } from '../ports/duplicate.ts';
import type { Ids } from '../ports/ids.ts';
import type { AuthCollections } from './collections.ts';
import type { RoleDoc, TenantDoc, UserDoc } from './documents.ts';
import { expand, rolePermissions } from './permissions.ts';
import { rankOf } from './rank.ts';

const about: Record<UserRole, string> = {
  Owner: 'May do everything, and cannot be locked out.',
  Admin: 'Runs the tenant: everything but billing and policy.',
  Operator: 'Runs agents and models, and manages no people.',
  Member: 'Works with agents, chats and knowledge.',
  Viewer: 'Looks and changes nothing.',
  Agent: 'What an agent’s own identity may do.',
};

interface Deps {
  auth: Pick<AuthCollections, 'roles'>;
  ids: Ids;
  clock: Clock;
}

/** Creates missing documents of the system's roles and updates the others. Safe to run at every boot. */
export async function seedSystemRoles({ auth, ids, clock }: Deps, tenant: TenantDoc): Promise<void> {
  const names = UserRole.options.map((name) => name.toLowerCase());
  const found = await auth.roles.find({ tenantId: tenant._id, nameKey: { $in: names } }).toArray();
  for (const name of UserRole.options) {
    const own = { tenantId: tenant._id, nameKey: name.toLowerCase() };
    const known = found.find(({ nameKey }) => nameKey === own.nameKey);
    const content = { description: about[name], weight: rankOf(name), permissions: [...rolePermissions[name]] };
    if (known?.isSystem) {
      if (!isSame(known, content)) await auth.roles.updateOne({ _id: known._id }, { $set: content });
      continue;
    }
    const now = new Date(clock.now());
    const role: RoleDoc = {
      ...own,
      ...content,
      _id: await ids.next('roles'),
      guid: derivedGuid(`${tenant.guid} role ${name}`),
      name,
      isSystem: true,
      version: 1,
      createdAt: tenant.createdAt,
      updatedAt: now,
    };
    await auth.roles.insertOne(role).catch(ignoreDuplicate);
  }
}

const isSame = (
  role: RoleDoc,
  { description, weight, permissions }: Pick<RoleDoc, 'description' | 'weight' | 'permissions'>,
) => role.description === description && role.weight === weight && role.permissions.join() === permissions.join();

/** Permissions of a role, with all that they imply. */
export const permittedBy = (role: Pick<RoleDoc, 'isSystem' | 'name' | 'permissions'>) =>
  expand(role.isSystem ? rolePermissions[role.name as UserRole] : role.permissions);

/** Filter for the users of a role. */
export const membersOf = ({ tenantId, isSystem, name, _id }: RoleDoc) =>
  isSystem ? { tenantId, role: name as UserRole } : { tenantId, roleIds: _id };

/** Documents of a user's roles, its system role first. */
export async function rolesOf({ roles }: Pick<AuthCollections, 'roles'>, user: UserDoc): Promise<RoleDoc[]> {
  const { tenantId, role, roleIds = [] } = user;
  const found = await roles
    .find({ tenantId, $or: [{ nameKey: role.toLowerCase() }, { _id: { $in: roleIds } }] }, { sort: { _id: 1 } })
    .toArray();
  return found.sort((a, b) => Number(b.isSystem) - Number(a.isSystem));
}

/** A UUID of version 8 (RFC 9562) derived from a text. */
function derivedGuid(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
