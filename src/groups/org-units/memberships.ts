// The units that a caller is in, as who they are is answered.
import { roleRecord } from '../../auth/collections.ts';
import type { Caller } from '../../contract/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { createUnitRights } from '../../org-units/rights.ts';
import type { UnitsOfTenants } from '../../org-units/units.ts';
import type { Db } from '../../ports/db.ts';
import { perTenant } from '../../ports/tenanted.ts';
import type { OrgUnitMembershipDto } from '../auth/dto.ts';

export function createShowMemberships(deps: { db: Db; clock: Clock; units: Pick<UnitsOfTenants, 'treeOf'> }) {
  const rights = createUnitRights(deps);
  const roles = perTenant(deps.db.collection(roleRecord.spec));

  /** Units that the caller is a member of or manages, by path; not those below. */
  return async ({ tenantId, userId, identityId }: Caller): Promise<OrgUnitMembershipDto[]> => {
    const tree = await deps.units.treeOf(tenantId);
    if (tree.units.size === 0) return [];
    const own = await rights.membershipsOf({ tenantId, userId, identityId });
    const given = await roles(tenantId)
      .find({ _id: { $in: own.flatMap(({ roleId }) => roleId ?? []) } })
      .toArray();
    const found = [...tree.units.values()].flatMap(({ _id, name, managerUserId }) => {
      const all = own.filter(({ orgUnitId }) => orgUnitId === _id);
      const isManager = all.some((one) => one.isManager) || (userId !== null && managerUserId === userId);
      const role = given.find((one) => all.some(({ roleId }) => roleId === one._id));
      if (all.length === 0 && !isManager) return [];
      const roleOf = { roleId: role?._id ?? null, roleName: role?.name ?? null };
      return [{ orgUnitId: _id, orgUnitName: name, path: tree.textOf(_id), ...roleOf, isManager }];
    });
    return found.sort((a, b) => a.path.localeCompare(b.path));
  };
}
