// Requirements of the tenant's policy that a person must meet before a session may do anything else.
import type { TenantPolicy } from '../ports/tenant-policy.ts';
import type { UserDoc } from './documents.ts';
import { hasSecondFactor } from './mfa.ts';

export type Lack = 'SecondFactor' | 'ConfirmedEmail';

/**
 * Requirement that a session does not meet; null for keys, which cannot answer and were made by a session that
 * could.
 */
export function lackOf(
  user: Pick<UserDoc, 'role' | 'totp' | 'emailConfirmed'>,
  policy: Pick<TenantPolicy, 'mfaRequiredForRoles' | 'requireEmailConfirmation'>,
): Lack | null {
  if (policy.requireEmailConfirmation && !user.emailConfirmed) return 'ConfirmedEmail';
  if (policy.mfaRequiredForRoles.includes(user.role) && !hasSecondFactor(user)) return 'SecondFactor';
  return null;
}
