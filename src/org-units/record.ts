// Organisation units as they are kept, with their members and invitations.
import type { InviteStatus, OrgUnitKind, UserRole } from '../contract/enums.ts';
import type { UnitPolicy } from '../ports/org-units.ts';
import { type KeptDoc, record } from '../ports/record.ts';

export interface OrgUnitDoc extends KeptDoc {
  guid: string;
  /** Null for a root; a tenant may have several. */
  parentId: number | null;
  name: string;
  /** Lower-case and unique in the tenant, e.g. `platform`; paths are made of keys. */
  key: string;
  description: string | null;
  kind: OrgUnitKind;
  managerUserId: number | null;
  costCenter: string | null;
  sortOrder: number;
  /** One that is not active gives nobody rights, and nothing new begins in it. */
  isActive: boolean;
  /** Roles that may be given here; null where nobody has said: all but Owner and Agent. */
  roleIds: number[] | null;
  /** The roles of the unit above may be given here too. */
  inheritRoles: boolean;
  /** Given to a new member that no role is named for; null for that of the unit above. */
  defaultRoleId: number | null;
  /** What it tightens of the policy above; null where it says nothing. */
  policy: UnitPolicy | null;
  policyUpdatedAt: Date | null;
  updatedAt: Date;
}

/** A person or an agent in a unit: one of the two ids is set. */
export interface OrgUnitMemberDoc extends KeptDoc {
  guid: string;
  orgUnitId: number;
  userId: number | null;
  identityId: number | null;
  roleId: number | null;
  title: string | null;
  isManager: boolean;
  /** A member gives no rights from then on. */
  expiresAt: Date | null;
  updatedAt: Date;
}

export interface OrgUnitInviteDoc extends KeptDoc {
  guid: string;
  orgUnitId: number;
  /** Lower-case. */
  email: string;
  roleId: number | null;
  /** As stored; a pending one whose time has passed is shown as Expired. */
  status: InviteStatus;
  /** System role of an account that is made by it. */
  accountRole: UserRole;
  tokenHash: string;
  message: string | null;
  invitedByUserId: number | null;
  invitedByName: string | null;
  acceptedByUserId: number | null;
  expiresAt: Date;
  acceptedAt: Date | null;
  updatedAt: Date;
}

export const orgUnitRecord = record<OrgUnitDoc>('org_units', {
  noun: 'organisation unit',
  list: 'GET /api/org-units',
  order: 'sortOrder',
  search: ['name', 'key', 'description', 'costCenter'],
  unique: 'key',
  staysSmall: true,
  indexes: [{ keys: { tenantId: 1, key: 1 }, unique: true }],
});

export const orgUnitMemberRecord = record<OrgUnitMemberDoc>('org_unit_members', {
  noun: 'member',
  list: 'GET /api/org-units/{id}/members',
  order: 'id',
  indexes: [
    { keys: { tenantId: 1, orgUnitId: 1, userId: 1, identityId: 1 }, unique: true },
    { keys: { tenantId: 1, userId: 1 } },
    { keys: { tenantId: 1, identityId: 1 } },
  ],
});

export const orgUnitInviteRecord = record<OrgUnitInviteDoc>('org_unit_invites', {
  noun: 'invitation',
  list: 'GET /api/org-units/{id}/invites',
  order: '-createdAtUtc',
  indexes: [
    { keys: { tenantId: 1, orgUnitId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, orgUnitId: 1, status: 1, expiresAt: 1 } },
    { keys: { tokenHash: 1 }, unique: true },
  ],
});
