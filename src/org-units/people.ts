// Whom a message to an organisation unit reaches: the identities that belong to it or below it, and those of its members.
import type { IdentityDoc } from '../auth/documents.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Db, Filter } from '../ports/db.ts';
import { perTenant } from '../ports/tenanted.ts';
import { orgUnitMemberRecord } from './record.ts';
import { isCurrent } from './rights.ts';
import { noUnit, type UnitsOfTenants } from './units.ts';

/** A filter for identities, or Fault NOT_FOUND; those of a unit that is not active, or is below one, are left out. */
export type PeopleOfUnit = (tenantId: number, unitId: number) => Promise<Filter<IdentityDoc>>;

export function createPeopleOfUnits(deps: {
  db: Db;
  clock: Clock;
  units: Pick<UnitsOfTenants, 'treeOf'>;
}): PeopleOfUnit {
  const members = perTenant(deps.db.collection(orgUnitMemberRecord.spec));
  return async (tenantId, unitId) => {
    const tree = await deps.units.treeOf(tenantId);
    if (!tree.units.has(unitId)) throw noUnit(unitId);
    const unitIds = tree.idsBelow(unitId).filter((id) => tree.isLive(id));
    const found = await members(tenantId)
      .find({ orgUnitId: { $in: unitIds } })
      .toArray();
    const current = found.filter((one) => isCurrent(one, deps.clock.now()));
    const managers = unitIds.flatMap((id) => tree.units.get(id)?.managerUserId ?? []);
    const userIds = [...managers, ...current.flatMap(({ userId }) => userId ?? [])];
    const ids = current.flatMap(({ identityId }) => identityId ?? []);
    const anyOf = [{ orgUnitId: { $in: unitIds } }, { _id: { $in: ids } }, { userId: { $in: userIds } }];
    return { $or: anyOf } as Filter<IdentityDoc>;
  };
}
