// Lets people set their password.
import type { AuthCollections } from '../../auth/collections.ts';
import { checkPassword, hashPassword } from '../../auth/passwords.ts';
import { implement } from '../../contract/operation.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { users } from './contract.ts';

export interface UsersDeps {
  collections: AuthCollections;
  clock: Clock;
  /** Called after sessions have ended; sockets and caches follow. */
  accessChanged: () => void;
}

/** NIST SP 800-63B asks for eight characters or more where a password is the only factor; we ask for ten. */
const shortest = 10;

export const usersService = implement(users, ({ collections, clock, accessChanged }: UsersDeps) => ({
  changePassword: async ({ caller, body }) => {
    const user = await collections.users.findOne({ _id: caller.userId ?? 0, tenantId: caller.tenantId });
    if (user?.type !== 'Human')
      throw new Fault('FORBIDDEN', 'Only a person’s account has a password.', { hint: 'Agents sign in with keys.' });
    if (user.passwordHash !== null && !(await checkPassword(user.passwordHash, body.currentPassword)))
      throw new Fault('INVALID_CREDENTIALS', 'The current password is wrong.', { hint: 'Try again.' });
    if (body.newPassword.length < shortest)
      throw new Fault('WEAK_PASSWORD', `A password has ${shortest} characters or more.`, {
        hint: 'A few words make a good one.',
      });
    await collections.users.updateOne(
      { _id: user._id },
      { $set: { passwordHash: await hashPassword(body.newPassword) } },
    );
    if (body.endOtherSessions) {
      const others = { userId: user._id, revokedAt: null, _id: { $ne: caller.sessionId ?? 0 } };
      await collections.sessions.updateMany(others, { $set: { revokedAt: new Date(clock.now()) } });
      accessChanged();
    }
    return null;
  },
}));
