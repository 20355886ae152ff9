// Invitations to units: found by their token, and accepted once.
import type { UserDoc } from '../auth/documents.ts';
import { hashSecret, type TokenPrefix } from '../auth/keys.ts';
import type { InviteStatus } from '../contract/enums.ts';
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import type { Db, Filter } from '../ports/db.ts';
import { isDuplicate } from '../ports/duplicate.ts';
import type { Ids } from '../ports/ids.ts';
import { type By, createKeeper } from '../ports/keeper.ts';
import { type OrgUnitInviteDoc, type OrgUnitMemberDoc, orgUnitInviteRecord, orgUnitMemberRecord } from './record.ts';

export const invitePrefix: TokenPrefix = 'oui_';

/** How an invitation stands now: nothing is written when its time passes. */
export const statusOf = ({ status, expiresAt }: OrgUnitInviteDoc, now: number): InviteStatus =>
  status === 'Pending' && expiresAt.getTime() <= now ? 'Expired' : status;

/** Invitations to a unit that can be accepted. */
export const pendingIn = (orgUnitId: number, now: number): Filter<OrgUnitInviteDoc> => ({
  orgUnitId,
  status: 'Pending',
  expiresAt: { $gt: new Date(now) },
});

export interface Invitations {
  /**
   * An invitation that holds, or that this user has accepted.
   *
   * @throws Fault INVALID_TOKEN
   */
  find(raw: string, userId?: number | null): Promise<OrgUnitInviteDoc>;
  /**
   * Uses an invitation up and makes the user a member of its unit; who is one already stays as they are. Of concurrent
   * uses one succeeds.
   *
   * @param by - the user, where they call by themselves
   * @throws Fault INVALID_TOKEN
   */
  accept(invite: OrgUnitInviteDoc, user: Pick<UserDoc, '_id' | 'tenantId'>, by?: By): Promise<OrgUnitMemberDoc>;
}

export function createInvitations(deps: { db: Db; ids: Ids; clock: Clock }): Invitations {
  const { db, clock } = deps;
  const invites = db.collection(orgUnitInviteRecord.spec);
  const members = createKeeper(orgUnitMemberRecord, deps);
  const memberOf = (tenantId: number, orgUnitId: number, userId: number) =>
    members.of(tenantId).findOne({ orgUnitId, userId, identityId: null });

  return {
    async find(raw, userId = null) {
      const invite = await invites.findOne({ tokenHash: hashSecret(raw) });
      if (!invite) throw invalid();
      const isOwn = userId !== null && invite.acceptedByUserId === userId;
      if (!isOwn && statusOf(invite, clock.now()) !== 'Pending') throw invalid();
      return invite;
    },
    async accept({ _id, tenantId, orgUnitId, roleId }, { _id: userId }, by = { tenantId }) {
      const now = new Date(clock.now());
      const taken = await invites.updateOne(
        { _id, status: 'Pending', expiresAt: { $gt: now } },
        { $set: { status: 'Accepted', acceptedAt: now, acceptedByUserId: userId, updatedAt: now } },
      );
      // Who accepted it before may have been cut off before the membership was written.
      const own = taken.matchedCount > 0 || (await invites.findOne({ _id, acceptedByUserId: userId }));
      if (!own) throw invalid();
      const known = await memberOf(tenantId, orgUnitId, userId);
      if (known) return known;
      const plain = { identityId: null, title: null, isManager: false, expiresAt: null };
      try {
        return await members.insert(by, { ...plain, orgUnitId, userId, roleId });
      } catch (cause) {
        const there = isDuplicate(cause) ? await memberOf(tenantId, orgUnitId, userId) : null;
        if (there) return there;
        throw cause;
      }
    },
  };
}

const invalid = () =>
  new Fault('INVALID_TOKEN', 'This invitation is not known, was used or revoked, or is too old.', {
    hint: 'Ask for another invitation.',
  });
