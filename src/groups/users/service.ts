// Lets people set their password.
import type { AuthCollections } from '../../auth/collections.ts';
import { livePassword } from '../../auth/live.ts';
import { checkPassword, hashPassword } from '../../auth/passwords.ts';
import { implement } from '../../contract/operation.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { users } from './contract.ts';
import { type RegistryDeps, registryHandlers } from './registry.ts';

export interface UsersDeps extends RegistryDeps {
  collections: AuthCollections;
  clock: Clock;
}

/** NIST SP 800-63B asks for eight characters or more where a password is the only factor; we ask for ten. */
const shortest = 10;
/** Milliseconds after which a person has to prove anew who they are, to set a password where there is none. */
const recentMs = 3_600_000;

export const usersService = implement(users, ({ collections, clock, ...deps }: UsersDeps) => ({
  ...registryHandlers(deps),
  changePassword: async ({ caller, body }) => {
    const user = await collections.users.findOne({ _id: caller.userId ?? 0, tenantId: caller.tenantId });
    if (user?.type !== 'Human')
      throw new Fault('FORBIDDEN', 'Only a person’s account has a password.', { hint: 'Agents sign in with keys.' });
    const { permissions } = await deps.ranks.standing(user);
    const lacking = [...permissions].filter((permission) => !caller.permissions.has(permission));
    if (lacking.length > 0)
      throw new Fault('FORBIDDEN', 'A password opens more than this key does.', {
        hint: `Sign in instead, or use a key that has ${lacking.slice(0, 5).join(', ')}${lacking.length > 5 ? ' …' : ''} too.`,
      });
    const current = await livePassword(collections, clock, user);
    if (current === null && caller.provenAt !== null && caller.provenAt < clock.now() - recentMs)
      throw new Fault('FORBIDDEN', 'It is too long ago that you signed in.', {
        hint: 'Sign in again, and set the password within an hour.',
      });
    if (current !== null && !(await checkPassword(current, body.currentPassword)))
      throw new Fault('INVALID_CREDENTIALS', 'The current password is wrong.', { hint: 'Try again.' });
    if (body.newPassword.length < shortest)
      throw new Fault('WEAK_PASSWORD', `A password has ${shortest} characters or more.`, {
        hint: 'A few words make a good one.',
      });
    await collections.users.updateOne(
      { _id: user._id },
      { $set: { passwordHash: await hashPassword(body.newPassword), passwordKeyId: caller.originKeyId } },
    );
    if (body.endOtherSessions) {
      const others = { userId: user._id, revokedAt: null, _id: { $ne: caller.sessionId ?? 0 } };
      await collections.sessions.updateMany(others, { $set: { revokedAt: new Date(clock.now()) } });
      deps.accessChanged();
    }
    return null;
  },
}));
