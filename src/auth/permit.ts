// The one place that checks the permission of a call.
import type { Caller } from '../contract/caller.ts';
import type { AnyOperation } from '../contract/operation.ts';
import { Fault } from '../kernel/fault.ts';

/**
 * Allows the call or refuses it.
 *
 * @param params - of the path, by which `inUnit` names a unit
 * @throws Fault UNAUTHENTICATED without a caller, FORBIDDEN without the permission
 */
export function permit(
  { needs, byAnyKey, inUnit }: Pick<AnyOperation, 'needs' | 'byAnyKey' | 'inUnit'>,
  caller: Caller | null,
  params: Readonly<Record<string, unknown>> = {},
): void {
  if (needs === 'public') return;
  if (!caller)
    throw new Fault('UNAUTHENTICATED', 'This needs a key or an access token.', {
      hint: 'Send "Authorization: Bearer <key or access token>".',
    });
  if (needs === 'self') {
    if (!byAnyKey) requireAccount(caller);
    return;
  }
  if (caller.permissions.has(needs)) return;
  if (inUnit && manages(caller, params[inUnit])) return;
  if (caller.lacks === 'SecondFactor')
    throw new Fault('FORBIDDEN', 'Your role takes a second factor.', {
      hint: 'Set one up with POST /api/auth/mfa/totp/enroll, in the dashboard under your account.',
    });
  if (caller.lacks === 'ConfirmedEmail')
    throw new Fault('EMAIL_NOT_CONFIRMED', 'Your e-mail address is not confirmed.', {
      hint: 'Open the link in the mail, ask for another with POST /api/auth/email/resend, or give an address with PUT /api/users/me/profile.',
    });
  throw new Fault('FORBIDDEN', `${caller.name} may not do this.`, {
    hint: `It needs the permission ${needs}; ask an administrator for a role or key that has it.`,
  });
}

/** Whether the caller manages a unit. A client that acts for a person does not. */
const manages = ({ projects, permissions, client, lacks }: Caller, unitId: unknown): boolean =>
  !client && !lacks && permissions.has('OrgUnitsRead') && projects?.units?.managed.has(Number(unitId)) === true;

/** Whether `permit` allows the call. */
export function isPermitted(operation: Pick<AnyOperation, 'needs' | 'byAnyKey'>, caller: Caller | null): boolean {
  try {
    permit(operation, caller);
    return true;
  } catch {
    return false;
  }
}

/** An account belongs to its person: a key without the account scope changes nothing of it. */
function requireAccount(caller: Caller): void {
  if (caller.managesAccount) return;
  throw new Fault('FORBIDDEN', 'A key may not do this to the account of its person.', {
    hint: 'Sign in with a password or a link, or use a key that names the scope UsersWrite.',
  });
}
