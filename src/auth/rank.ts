// Who ranks above whom: the order of the roles, and the check before a write on somebody.
import type { Caller } from '../contract/caller.ts';
import { UserRole } from '../contract/enums.ts';
import { Fault } from '../kernel/fault.ts';
import type { UserDoc } from './documents.ts';

/** The higher, the more it may do; the enumeration lists the strongest role first. */
export const rankOf = (role: UserRole): number => UserRole.options.length - UserRole.options.indexOf(role);

/** Whether nobody behind `user` ranks above the caller. */
export const reaches = (caller: Pick<Caller, 'role'>, user: Pick<UserDoc, 'role'>): boolean =>
  rankOf(user.role) <= rankOf(caller.role);

/**
 * Goes before every write on a user, on an identity of theirs, and on its keys.
 *
 * @param what - named in the message, e.g. `Identity 7`
 * @throws Fault FORBIDDEN when the user ranks above the caller
 */
export function requireRank(caller: Caller, user: Pick<UserDoc, 'role'>, what: string): void {
  if (reaches(caller, user)) return;
  throw new Fault('FORBIDDEN', `${what} ranks above you.`, {
    hint: `Ask somebody whose role is ${user.role}, or one above it.`,
  });
}
