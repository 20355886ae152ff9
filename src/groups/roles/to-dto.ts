// Roles as lists and principals show them.
import type { AuthCollections } from '../../auth/collections.ts';
import type { RoleDoc } from '../../auth/documents.ts';
import { membersOf, permittedBy } from '../../auth/roles.ts';
import { shown } from '../../ports/shown.ts';
import { RoleDto } from './dto.ts';

export const toRoleDtos = ({ users }: Pick<AuthCollections, 'users'>, roles: RoleDoc[]): Promise<RoleDto[]> =>
  Promise.all(
    roles.map(async (role) =>
      shown(RoleDto, role, {
        memberCount: await users.countDocuments(membersOf(role)),
        permissionCount: permittedBy(role).size,
      }),
    ),
  );
