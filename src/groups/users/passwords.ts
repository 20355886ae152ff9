// Sets passwords: one's own, and those of others who have lost theirs.

import { randomBytes } from 'node:crypto';
import type { Accounts } from '../../auth/accounts.ts';
import type { AuthCollections } from '../../auth/collections.ts';
import type { UserDoc } from '../../auth/documents.ts';
import { livePassword } from '../../auth/live.ts';
import { noteUser } from '../../auth/note-user.ts';
import type { Proof } from '../../auth/proof.ts';
import type { Ranks } from '../../auth/rank.ts';
import type { Handlers } from '../../contract/operation.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Keeper } from '../../ports/keeper.ts';
import type { users } from './contract.ts';
import { requireAccount } from './registry.ts';

export interface PasswordsDeps {
  collections: AuthCollections;
  users: Keeper<UserDoc>;
  accounts: Accounts;
  proof: Proof;
  ranks: Ranks;
  clock: Clock;
}

export function passwordHandlers(
  deps: PasswordsDeps,
): Pick<Handlers<typeof users>, 'changePassword' | 'resetPassword'> {
  const { accounts, proof, ranks } = deps;
  return {
    changePassword: async ({ caller, body }) => {
      const user = await proof.person(caller);
      const { permissions } = await ranks.standing(user);
      // A person's own session stands for all of them, also while the policy keeps it from using its rights.
      const all = caller.originKeyId === null ? permissions : caller.permissions;
      const lacking = [...permissions].filter((permission) => !all.has(permission));
      if (lacking.length > 0)
        throw new Fault('FORBIDDEN', 'A password opens more than this key does.', {
          hint: `Sign in instead, or use a key that has ${lacking.slice(0, 5).join(', ')}${lacking.length > 5 ? ' …' : ''} too.`,
        });
      await proof.requirePassword(caller, user, body.currentPassword);
      await accounts.requireGood(user.tenantId, body.newPassword, user.username);
      await accounts.setPassword(user, body.newPassword, caller.originKeyId);
      await noteUser(deps.collections.users, caller, user);
      if (body.endOtherSessions) await accounts.endSessions(user._id, caller.sessionId);
      return null;
    },
    resetPassword: async ({ caller, params, body = {} }) => {
      const user = await deps.users.get(caller, params.id);
      if (user._id === caller.userId)
        throw new Fault('CONFLICT', 'This is your own account.', { hint: 'Use POST /api/users/me/password.' });
      if (user.type !== 'Human')
        throw new Fault('CONFLICT', 'Only a person’s account has a password.', { hint: 'Agents sign in with keys.' });
      await requireAccount(ranks, caller, user);
      const result = { userId: user._id, temporaryPassword: null, resetLinkSent: false, expiresAtUtc: null };
      if (body.sendEmail && body.newPassword == null) {
        if (!user.email)
          throw new Fault('VALIDATION_FAILED', `User ${user._id} has no e-mail address.`, {
            hint: 'Leave sendEmail out to have a temporary password made.',
          });
        const resetLinkSent = await accounts.mailToken(user, 'reset');
        if (body.endSessions) await accounts.endSessions(user._id);
        const token = await deps.collections.mailTokens.findOne({ userId: user._id, kind: 'reset' });
        return { ...result, resetLinkSent, expiresAtUtc: token?.expiresAt.toISOString() ?? null };
      }
      const password = body.newPassword ?? randomBytes(12).toString('base64url');
      await accounts.requireGood(user.tenantId, password, user.username);
      const had = (await livePassword(deps.collections, deps.clock, user)) !== null;
      await accounts.setPassword(user, password, caller.originKeyId);
      await noteUser(deps.collections.users, caller, user);
      // The old password may have leaked: its sessions end.
      if (body.endSessions ?? had) await accounts.endSessions(user._id);
      return { ...result, temporaryPassword: body.newPassword == null ? password : null };
    },
  };
}
