// Turns a second factor on and off.
import type { AuthCollections } from '../../auth/collections.ts';
import type { Lockout } from '../../auth/lockout.ts';
import { hasSecondFactor, type SecondFactor } from '../../auth/mfa.ts';
import { noteUser } from '../../auth/note-user.ts';
import type { Proof } from '../../auth/proof.ts';
import type { Handlers } from '../../contract/operation.ts';
import { Fault } from '../../kernel/fault.ts';
import type { auth } from './contract.ts';

export interface SecondFactorDeps {
  collections: AuthCollections;
  secondFactor: SecondFactor;
  proof: Proof;
  lockout: Lockout;
  /** Called after what a session may do has changed. */
  accessChanged: () => void;
}

export function secondFactorHandlers({
  collections,
  secondFactor,
  proof,
  lockout,
  accessChanged,
}: SecondFactorDeps): Pick<Handlers<typeof auth>, 'enrollTotp' | 'confirmTotp' | 'disableTotp'> {
  /** Guesses at codes are counted. */
  const counted = async <T>(userId: number, work: () => Promise<T>): Promise<T> => {
    const name = `second factor of user ${userId}`;
    await lockout.attempt(name);
    const result = await work();
    await lockout.succeeded(name);
    return result;
  };
  return {
    enrollTotp: async ({ caller, body }) => {
      const user = await proof.person(caller);
      if (hasSecondFactor(user))
        throw new Fault('CONFLICT', 'This account has a second factor already.', {
          hint: 'Turn it off with POST /api/auth/mfa/totp/disable first.',
        });
      await proof.requirePassword(caller, user, body.password);
      const { expiresAt, ...enrolment } = await secondFactor.enrol(user);
      return { ...enrolment, expiresAtUtc: expiresAt.toISOString() };
    },
    confirmTotp: async ({ caller, body }) => {
      const user = await proof.person(caller);
      const confirmed = await counted(user._id, () => secondFactor.confirm(user, body.code));
      await noteUser(collections.users, caller, user);
      accessChanged();
      return { recoveryCodes: confirmed.recoveryCodes, enabledAtUtc: confirmed.enabledAt.toISOString() };
    },
    disableTotp: async ({ caller, body }) => {
      const user = await proof.person(caller);
      if (!hasSecondFactor(user))
        throw new Fault('CONFLICT', 'This account has no second factor.', {
          hint: 'Set one up with POST /api/auth/mfa/totp/enroll.',
        });
      await proof.requirePassword(caller, user, body.password);
      await counted(user._id, () => secondFactor.check(user, body.code));
      await secondFactor.disable(user._id);
      await noteUser(collections.users, caller, user);
      accessChanged();
      return null;
    },
  };
}
