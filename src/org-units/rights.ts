// What units mean for who calls: their role in the projects of the units that they are in, and the units that they manage.
import { identityRecord, roleRecord } from '../auth/collections.ts';
import { permittedBy } from '../auth/roles.ts';
import type { UnitRights } from '../contract/caller.ts';
import type { Permission, ProjectRole } from '../contract/enums.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Db, Filter } from '../ports/db.ts';
import { strongestOf } from '../ports/project-roles.ts';
import { perTenant } from '../ports/tenanted.ts';
import { type OrgUnitMemberDoc, orgUnitMemberRecord, orgUnitRecord } from './record.ts';
import { treeOf } from './tree.ts';

/** Whom units may mean something for. */
export interface InUnits {
  tenantId: number;
  userId: number | null;
  identityId: number | null;
}

/** Permissions of a role that make a member a Contributor, and a manager, of the unit that it is given in. */
const contributes: Permission = 'ProjectsWrite';
const manages: Permission = 'OrgUnitsWrite';

/** Whether somebody is a member now: a membership may end by itself. */
export const isCurrent = ({ expiresAt }: Pick<OrgUnitMemberDoc, 'expiresAt'>, now: number): boolean =>
  expiresAt === null || expiresAt.getTime() > now;

/** The role of a member in the projects of the unit: without a role they contribute, as far as they may at all. */
export function projectRoleOf(
  { isManager }: Pick<OrgUnitMemberDoc, 'isManager'>,
  permissions: ReadonlySet<Permission> | null,
): ProjectRole {
  if (isManager || permissions?.has(manages)) return 'Maintainer';
  return permissions === null || permissions.has(contributes) ? 'Contributor' : 'Viewer';
}

export function createUnitRights({ db, clock }: { db: Db; clock: Clock }) {
  const units = perTenant(db.collection(orgUnitRecord.spec));
  const members = perTenant(db.collection(orgUnitMemberRecord.spec));
  const roles = perTenant(db.collection(roleRecord.spec));
  const identities = perTenant(db.collection(identityRecord.spec));

  /** Memberships that hold now. */
  const membershipsOf = async ({ tenantId, userId, identityId }: InUnits): Promise<OrgUnitMemberDoc[]> => {
    const who: Filter<OrgUnitMemberDoc>[] = [
      ...(userId === null ? [] : [{ userId }]),
      ...(identityId === null ? [] : [{ identityId }]),
    ] as Filter<OrgUnitMemberDoc>[];
    const found = await Promise.all(who.map((one) => members(tenantId).find(one).toArray()));
    return found.flat().filter((one) => isCurrent(one, clock.now()));
  };

  return {
    membershipsOf,
    /** Null where no unit means anything for them. */
    async of(who: InUnits): Promise<UnitRights | null> {
      const { tenantId, userId, identityId } = who;
      const all = await units(tenantId)
        .find({}, { projection: { _id: 1, parentId: 1, key: 1, isActive: 1, managerUserId: 1 } })
        .toArray();
      if (all.length === 0) return null;
      const tree = treeOf(all);
      const own = await membershipsOf(who);
      const roleIds = own.flatMap(({ roleId }) => roleId ?? []);
      const given =
        roleIds.length === 0
          ? []
          : await roles(tenantId)
              .find({ _id: { $in: roleIds } })
              .toArray();
      const permissionsOf = (id: number | null) => {
        const role = given.find(({ _id }) => _id === id);
        // A role that is gone gives nothing but a look.
        return id === null ? null : role ? permittedBy(role) : new Set<Permission>();
      };
      const identity = identityId === null ? null : await identities(tenantId).findOne({ _id: identityId });
      const found = new Map<number, ProjectRole>();
      const add = (unitId: number, role: ProjectRole) => {
        for (const { _id } of tree.subtreeOf(unitId))
          if (tree.isLive(_id)) found.set(_id, strongestOf([role, found.get(_id) ?? role]) ?? role);
      };
      for (const one of own) add(one.orgUnitId, projectRoleOf(one, permissionsOf(one.roleId)));
      if (userId !== null)
        for (const { _id, managerUserId } of all) if (managerUserId === userId) add(_id, 'Maintainer');
      // Who belongs to a unit works in its projects.
      if (identity?.orgUnitId) add(identity.orgUnitId, 'Contributor');
      const managed = [...found].filter(([, role]) => role === 'Maintainer').map(([id]) => id);
      return found.size === 0 ? null : { roles: found, managed: new Set(managed) };
    },
  };
}
