// Sign-in by name or e-mail address and password, and by a second factor where the user has one.
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import type { AuthCollections } from './collections.ts';
import type { UserDoc } from './documents.ts';
import { livePassword, liveUser } from './live.ts';
import type { Lockout } from './lockout.ts';
import { hasSecondFactor, type SecondFactor } from './mfa.ts';
import { checkPassword } from './passwords.ts';
import type { ClientInfo, IssuedTokens, Sessions } from './sessions.ts';

/** Limit of users tried for one name, oldest first: users of several tenants may share it. */
const mostNamesakes = 5;

export interface SignIn {
  /** @throws Fault INVALID_CREDENTIALS, ACCOUNT_LOCKED, MFA_REQUIRED, MFA_INVALID, ACCOUNT_DISABLED */
  withPassword(
    login: string,
    password: string,
    options: ClientInfo & { remember: boolean; mfaCode: string | null },
  ): Promise<IssuedTokens>;
}

interface Deps {
  auth: AuthCollections;
  sessions: Pick<Sessions, 'begin'>;
  lockout: Lockout;
  secondFactor: Pick<SecondFactor, 'check'>;
  clock: Clock;
}

/** Users that a login name may mean; matches by name before matches by address. */
export async function namesakes({ users }: Pick<AuthCollections, 'users'>, login: string): Promise<UserDoc[]> {
  const lower = login.trim().toLowerCase();
  const options = { sort: { _id: 1 }, limit: mostNamesakes } as const;
  const named = await users.find({ username: lower, deletedAt: null }, options).toArray();
  if (!lower.includes('@')) return named;
  const addressed = await users.find({ email: { $in: [lower, login.trim()] }, deletedAt: null }, options).toArray();
  // A holder with a confirmed address precedes those who only claim it.
  const others = addressed.filter(({ _id }) => !named.some((one) => one._id === _id));
  others.sort((a, b) => Number(b.emailConfirmed ?? false) - Number(a.emailConfirmed ?? false));
  return [...named, ...others].slice(0, mostNamesakes);
}

export function createSignIn({ auth, sessions, lockout, secondFactor, clock }: Deps): SignIn {
  const whose = async (found: readonly UserDoc[], password: string): Promise<UserDoc> => {
    // An unknown login name takes as long as a wrong password, so that the time does not reveal which it is.
    for (const user of found.length > 0 ? found : [null])
      if (await checkPassword(user && (await livePassword(auth, clock, user)), password)) if (user) return user;
    throw new Fault('INVALID_CREDENTIALS', 'Login or password is wrong.', {
      hint: 'Try again, or sign in with a key.',
    });
  };

  return {
    async withPassword(login, password, { mfaCode, ...options }) {
      await lockout.attempt(login);
      const found = await namesakes(auth, login);
      const user = await whose(found, password);
      if (hasSecondFactor(user)) {
        // An attempt without a code is neither a guess of one nor a success.
        if (!mfaCode)
          throw new Fault('MFA_REQUIRED', 'This account has a second factor.', {
            hint: 'Send the login again with mfaCode: a code of your authenticator app, or a recovery code.',
          });
        await secondFactor.check(user, mfaCode);
      }
      await lockout.succeeded(login, { shared: found.length > 1 });
      return sessions.begin(liveUser(user), options);
    },
  };
}
