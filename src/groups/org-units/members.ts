// Members of units: people and agents with a role that holds in the unit and below it.
import type { RoleDoc } from '../../auth/documents.ts';
import { noIdentity } from '../../auth/named-identity.ts';
import type { Caller } from '../../contract/caller.ts';
import type { Handlers } from '../../contract/operation.ts';
import { toPage } from '../../contract/page.ts';
import { Fault } from '../../kernel/fault.ts';
import type { OrgUnitDoc, OrgUnitMemberDoc } from '../../org-units/record.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import { shown } from '../../ports/shown.ts';
import { present } from '../fields.ts';
import { type Base, requireUser } from './base.ts';
import type { orgUnits } from './contract.ts';
import { OrgUnitMemberDto } from './dto.ts';
import { roleToGive } from './roles.ts';

type All = Handlers<typeof orgUnits>;
type MemberHandlers = Pick<All, 'members' | 'addMember' | 'changeMember' | 'removeMember'>;

/** Members as they are answered, with the names of people, agents and roles. */
export async function showMembers(
  { users, roles, identities }: Base,
  tenantId: number,
  members: readonly OrgUnitMemberDoc[],
  of: number,
): Promise<OrgUnitMemberDto[]> {
  const [people, agents, given] = await Promise.all([
    users(tenantId)
      .find({ _id: { $in: present(members.map(({ userId }) => userId)) } })
      .toArray(),
    identities
      .of(tenantId)
      .find({ _id: { $in: present(members.map(({ identityId }) => identityId)) } })
      .toArray(),
    roles(tenantId)
      .find({ _id: { $in: present(members.map(({ roleId }) => roleId)) } })
      .toArray(),
  ]);
  const named = <Doc extends { _id: number }>(docs: readonly Doc[], id: number | null) =>
    docs.find(({ _id }) => _id === id);
  return members.map((member) => {
    const [user, identity] = [named(people, member.userId), named(agents, member.identityId)];
    return shown(OrgUnitMemberDto, member, {
      memberKind: member.userId === null ? ('Identity' as const) : ('User' as const),
      name: user?.displayName ?? user?.username ?? identity?.displayName ?? 'somebody who is gone',
      email: user?.email ?? null,
      roleName: named<RoleDoc>(given, member.roleId)?.name ?? null,
      inheritedFromOrgUnitId: member.orgUnitId === of ? null : member.orgUnitId,
    });
  });
}

export function memberHandlers(base: Base): MemberHandlers {
  const { memberships, identities } = base;
  const own = (caller: Caller, id: number, orgUnitId: number) => memberships.get(caller, id, { orgUnitId });
  const showOne = async (caller: Caller, member: OrgUnitMemberDoc) =>
    (await showMembers(base, caller.tenantId, [member], member.orgUnitId))[0] as OrgUnitMemberDto;

  return {
    members: async ({ caller, params, query }) => {
      const { tree } = await base.find(caller, params.id);
      const path = tree.pathOf(params.id).map(({ _id }) => _id);
      const of = query.includeInherited ? path : path.slice(0, 1);
      const found = await memberships
        .of(caller.tenantId)
        .find({ orgUnitId: { $in: of } }, { sort: { _id: 1 } })
        .toArray();
      const wanted = (await showMembers(base, caller.tenantId, found, params.id)).filter(matching(query));
      const sorted = wanted.sort(byField(query.sort ?? 'name'));
      return toPage(sorted.slice((query.page - 1) * query.pageSize, query.page * query.pageSize), wanted.length, query);
    },
    addMember: async ({ caller, params, body }) => {
      const place = await base.find(caller, params.id);
      const { userId = null, identityId = null } = body;
      if ((userId === null) === (identityId === null))
        throw new Fault('VALIDATION_FAILED', 'A member is a user or an identity.', {
          hint: 'Give exactly one of userId and identityId.',
        });
      await requireUser(base, caller.tenantId, userId);
      if (identityId !== null && !(await identities.find(caller, identityId))) throw noIdentity(identityId);
      const role = await roleToGive(base, caller, place, body.roleId);
      const { title = null, isManager, expiresAtUtc = null } = body;
      const draft = {
        ...{ orgUnitId: params.id, userId, identityId, roleId: role?._id ?? null },
        ...{ title, isManager: isManager ?? false, expiresAt: endOf(base, expiresAtUtc) },
      };
      try {
        return await showOne(caller, await memberships.insert(caller, draft));
      } catch (cause) {
        throw isDuplicate(cause) ? isMember(place.unit, cause) : cause;
      } finally {
        await base.changed(place.unit);
      }
    },
    changeMember: async ({ caller, params, body }) => {
      const place = await base.find(caller, params.id);
      await own(caller, params.memberId, params.id);
      const { roleId, title, isManager, expiresAtUtc } = body;
      if (roleId != null) await roleToGive(base, caller, place, roleId);
      const changed = await memberships.change(caller, params.memberId, {
        ...(roleId !== undefined && { roleId }),
        ...(title !== undefined && { title }),
        ...(isManager != null && { isManager }),
        ...(expiresAtUtc !== undefined && { expiresAt: endOf(base, expiresAtUtc) }),
      });
      await base.changed(place.unit);
      return showOne(caller, changed);
    },
    removeMember: async ({ caller, params }) => {
      const { unit } = await base.find(caller, params.id);
      await own(caller, params.memberId, params.id);
      await memberships.remove(caller, params.memberId);
      await base.changed(unit);
      return null;
    },
  };
}

/** @throws Fault VALIDATION_FAILED for a time that has passed */
function endOf({ clock }: Base, at: string | null): Date | null {
  if (at === null) return null;
  const end = new Date(at);
  if (end.getTime() > clock.now()) return end;
  throw new Fault('VALIDATION_FAILED', 'A membership cannot end in the past.', {
    field: 'expiresAtUtc',
    hint: 'Give a later time, or remove the member.',
  });
}

const isMember = ({ name }: OrgUnitDoc, cause: unknown) =>
  new Fault('DUPLICATE', `Already a member of ${name}.`, {
    hint: 'Change the membership with PATCH /api/org-units/{id}/members/{memberId}.',
    cause,
  });

function matching({
  q,
  roleId,
  memberKind,
}: Pick<Parameters<All['members']>[0]['query'], 'q' | 'roleId' | 'memberKind'>) {
  const words = q?.trim().toLowerCase();
  return (member: OrgUnitMemberDto) =>
    (roleId === undefined || member.roleId === roleId) &&
    (memberKind === undefined || member.memberKind === memberKind) &&
    (!words || [member.name, member.email, member.title].some((text) => text?.toLowerCase().includes(words)));
}

function byField(sort: string) {
  const [field, sign] = [sort.replace(/^-/, '') as 'name' | 'createdAtUtc' | 'id', sort.startsWith('-') ? -1 : 1];
  return (a: OrgUnitMemberDto, b: OrgUnitMemberDto) =>
    sign * (field === 'name' ? a.name.localeCompare(b.name) : a[field] < b[field] ? -1 : a[field] > b[field] ? 1 : 0) ||
    a.id - b.id;
}
