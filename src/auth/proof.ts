// Asks people to authenticate again before operations that a stolen session must not carry out.
import type { Caller } from '../contract/caller.ts';
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import type { AuthCollections } from './collections.ts';
import type { UserDoc } from './documents.ts';
import { livePassword } from './live.ts';
import type { Lockout } from './lockout.ts';
import { checkPassword } from './passwords.ts';

/** Time in ms after which a person without a password must sign in again. */
const recentMs = 3_600_000;

export interface Proof {
  /** The person behind the caller. @throws Fault FORBIDDEN for an agent's account */
  person(caller: Caller): Promise<UserDoc>;
  /** @throws Fault FORBIDDEN for a session whose sign-in is too old; keys that may write the account pass */
  requireRecent(caller: Caller): void;
  /** Requires the password, or without one a recent sign-in. @throws Fault INVALID_CREDENTIALS, FORBIDDEN */
  requirePassword(caller: Caller, user: UserDoc, password: string): Promise<void>;
}

interface Deps {
  auth: AuthCollections;
  lockout: Lockout;
  clock: Clock;
}

export function createProof({ auth, lockout, clock }: Deps): Proof {
  const requireRecent = (caller: Caller) => {
    if (caller.provenAt === null || caller.provenAt >= clock.now() - recentMs) return;
    throw new Fault('FORBIDDEN', 'It is too long ago that you signed in.', {
      hint: 'Sign in again, and repeat this within an hour.',
    });
  };
  return {
    requireRecent,
    async person({ userId, tenantId }) {
      const user = await auth.users.findOne({ _id: userId ?? 0, tenantId });
      if (user?.type === 'Human') return user;
      throw new Fault('FORBIDDEN', 'Only a person’s account has a password.', { hint: 'Agents sign in with keys.' });
    },
    async requirePassword(caller, user, password) {
      const current = await livePassword(auth, clock, user);
      if (current === null) return requireRecent(caller);
      // Guesses through a stolen session count like those at sign-in.
      const name = `password of user ${user._id}`;
      await lockout.attempt(name);
      if (!(await checkPassword(current, password)))
        throw new Fault('INVALID_CREDENTIALS', 'The current password is wrong.', { hint: 'Try again.' });
      await lockout.succeeded(name);
    },
  };
}
