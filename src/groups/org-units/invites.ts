// Invitations to a unit: made, mailed, listed, revoked and accepted.
import { hashSecret, newToken } from '../../auth/keys.ts';
import { unitInvitation } from '../../auth/mails.ts';
import { expand, rolePermissions } from '../../auth/permissions.ts';
import { requireOwn } from '../../auth/rank.ts';
import { permittedBy } from '../../auth/roles.ts';
import type { Handlers } from '../../contract/operation.ts';
import { Fault } from '../../kernel/fault.ts';
import { invitePrefix, pendingIn, statusOf } from '../../org-units/invitations.ts';
import type { OrgUnitInviteDoc } from '../../org-units/record.ts';
import { projectRoleOf } from '../../org-units/rights.ts';
import { shown } from '../../ports/shown.ts';
import type { Base } from './base.ts';
import type { orgUnits } from './contract.ts';
import { OrgUnitInviteDto, type OrgUnitMemberDto } from './dto.ts';
import { showMembers } from './members.ts';
import { roleToGive } from './roles.ts';

type InviteHandlers = Pick<Handlers<typeof orgUnits>, 'invites' | 'invite' | 'revokeInvite' | 'acceptInvite'>;

const day = 86_400_000;
const usualDays = 7;
/** Invitations of a unit that its list shows, the newest. */
const mostShown = 500;
/** Invitations of a unit that nobody has accepted yet. */
const mostPending = 200;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one handler after the other.
export function inviteHandlers(base: Base): InviteHandlers {
  const { invitations, invited, roles, auth, clock } = base;

  const show = async (invites: readonly OrgUnitInviteDoc[], orgUnitName: string): Promise<OrgUnitInviteDto[]> => {
    const [first] = invites;
    if (!first) return [];
    const ids = [...new Set(invites.flatMap(({ roleId }) => roleId ?? []))];
    const given = await roles(first.tenantId)
      .find({ _id: { $in: ids } })
      .toArray();
    return invites.map((invite) =>
      shown(OrgUnitInviteDto, invite, {
        orgUnitName,
        roleName: given.find(({ _id }) => _id === invite.roleId)?.name ?? null,
        status: statusOf(invite, clock.now()),
      }),
    );
  };

  return {
    invites: async ({ caller, params, query: { status } }) => {
      const { unit } = await base.find(caller, params.id);
      const found = await invitations
        .of(caller.tenantId)
        .find({ orgUnitId: params.id }, { sort: { createdAt: -1 }, limit: mostShown })
        .toArray();
      return (await show(found, unit.name)).filter((one) => status === undefined || one.status === status);
    },
    invite: async ({ caller, params, body }) => {
      const place = await base.find(caller, params.id);
      const role = await roleToGive(base, caller, place, body.roleId);
      const contributes = projectRoleOf({ isManager: false }, role && permittedBy(role)) !== 'Viewer';
      const accountRole = contributes ? 'Member' : 'Viewer';
      requireOwn(caller, expand(rolePermissions[accountRole]), 'Who is invited');
      const pending = pendingIn(params.id, clock.now());
      if ((await invitations.of(caller.tenantId).countDocuments(pending)) >= mostPending)
        throw new Fault('CONFLICT', `${mostPending} invitations to this unit wait for an answer.`, {
          hint: 'Revoke some with DELETE /api/org-units/{id}/invites/{inviteId}.',
        });
      const rawToken = newToken(invitePrefix);
      const email = body.email.toLowerCase();
      const tokenHash = hashSecret(rawToken);
      const made = await invitations.insert(caller, {
        ...{ orgUnitId: params.id, email, roleId: role?._id ?? null, status: 'Pending', accountRole },
        ...{ tokenHash, message: body.message ?? null },
        ...{ invitedByUserId: caller.userId, invitedByName: caller.name, acceptedByUserId: null, acceptedAt: null },
        expiresAt: new Date(clock.now() + (body.expiresInDays ?? usualDays) * day),
      });
      // A repeated request found its invitation there, whose token nobody was shown: this one takes its place.
      const isShown = made.tokenHash === tokenHash || made.status !== 'Pending';
      const invite = isShown ? made : await invitations.change(caller, made._id, { tokenHash });
      const acceptUrl = `${base.publicUrl()}/#/signin?invite=${rawToken}`;
      if (body.sendEmail) {
        const facts = { by: caller.name, unit: place.unit.name, url: acceptUrl, message: invite.message };
        await base.accounts.mail(unitInvitation({ ...facts, email, expiresAt: invite.expiresAt }));
      }
      await base.changed(place.unit);
      const [dto] = await show([invite], place.unit.name);
      return { invite: dto as OrgUnitInviteDto, rawToken, acceptUrl, emailSent: body.sendEmail ?? false };
    },
    revokeInvite: async ({ caller, params }) => {
      const { unit } = await base.find(caller, params.id);
      await invitations.change(
        caller,
        params.inviteId,
        (invite) => {
          const status = statusOf(invite, clock.now());
          if (status === 'Pending') return { status: 'Revoked' as const };
          throw new Fault('INVALID_TRANSITION', `This invitation is ${status}.`, {
            hint: status === 'Accepted' ? 'Remove the member instead.' : 'It holds no more: nothing is to be done.',
          });
        },
        { expecting: ['status'], within: { orgUnitId: params.id } },
      );
      await base.changed(unit);
      return null;
    },
    acceptInvite: async ({ caller, body }) => {
      const invite = await invited.find(body.token, caller.userId);
      const user = await auth.users.findOne({ _id: caller.userId ?? 0, tenantId: invite.tenantId });
      if (!user)
        throw new Fault('FORBIDDEN', 'This invitation is of another tenant.', {
          hint: 'Sign out, open its link, and make an account there.',
        });
      const { unit } = await base.find(caller, invite.orgUnitId);
      const member = await invited.accept(invite, user, caller);
      await base.changed(unit);
      return (await showMembers(base, caller.tenantId, [member], invite.orgUnitId))[0] as OrgUnitMemberDto;
    },
  };
}
