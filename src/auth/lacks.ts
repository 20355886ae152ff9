// What the tenant's policy asks of a person before a session may do more than that.
import type { TenantPolicy } from '../ports/tenant-policy.ts';
import type { UserDoc } from './documents.ts';
import { hasSecondFactor } from './mfa.ts';

export type Lack = 'SecondFactor' | 'ConfirmedEmail';

/** Keys are not asked: they cannot answer, and were made by somebody who could. */
export function lackOf(
  user: Pick<UserDoc, 'role' | 'totp' | 'emailConfirmed'>,
  policy: Pick<TenantPolicy, 'mfaRequiredForRoles' | 'requireEmailConfirmation'>,
): Lack | null {
  if (policy.requireEmailConfirmation && !user.emailConfirmed) return 'ConfirmedEmail';
  if (policy.mfaRequiredForRoles.includes(user.role) && !hasSecondFactor(user)) return 'SecondFactor';
  return null;
}
