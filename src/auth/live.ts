// Whether a key, an identity or a user may still act, and until when.
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import type { AuthCollections } from './collections.ts';
import type { IdentityDoc, KeyDoc, UserDoc } from './documents.ts';

/** @throws Fault TOKEN_REVOKED, TOKEN_EXPIRED */
export function liveKey(key: KeyDoc, now: number): KeyDoc {
  if (key.revokedAt && key.revokedAt.getTime() <= now)
    throw new Fault('TOKEN_REVOKED', 'This key was revoked.', { hint: 'Use another key.' });
  if (key.expiresAt && key.expiresAt.getTime() <= now)
    throw new Fault('TOKEN_EXPIRED', 'This key has expired.', {
      hint: 'Rotate it with POST /api/identities/{identityId}/api-keys/{keyId}/rotate.',
    });
  return key;
}

/** Whether an identity may act. */
export function isLive(identity: IdentityDoc | null, now: number): identity is IdentityDoc {
  if (!identity || identity.deletedAt || !identity.isActive) return false;
  return identity.expiresAt === null || identity.expiresAt.getTime() > now;
}

/** @throws Fault ACCOUNT_DISABLED */
export function liveIdentity(identity: IdentityDoc | null, now: number): IdentityDoc {
  if (isLive(identity, now)) return identity;
  throw new Fault('ACCOUNT_DISABLED', 'This identity is not active.', {
    hint: 'Ask an administrator to activate it.',
  });
}

/** @throws Fault ACCOUNT_DISABLED */
export function liveUser(user: UserDoc | null): UserDoc {
  if (user?.isActive) return user;
  throw new Fault('ACCOUNT_DISABLED', 'This account is not active.', {
    hint: 'Ask an administrator to activate it.',
  });
}

/** The earliest of several times in ms since 1970; null without any. */
export function earliest(...ends: (Date | number | null | undefined)[]): number | null {
  const times = ends.filter((end) => end !== null && end !== undefined).map(Number);
  return times.length > 0 ? Math.min(...times) : null;
}

export const keyEnd = (key: KeyDoc | null): number | null => earliest(key?.expiresAt, key?.revokedAt);

export interface KeyHolder {
  key: KeyDoc;
  identity: IdentityDoc;
  user: UserDoc;
}

/**
 * A key with its identity and user, all of which may act.
 *
 * @throws Fault TOKEN_REVOKED, TOKEN_EXPIRED, ACCOUNT_DISABLED
 */
export async function holderOf(auth: AuthCollections, clock: Clock, key: KeyDoc | null): Promise<KeyHolder> {
  if (!key) throw new Fault('TOKEN_REVOKED', 'This key no longer exists.', { hint: 'Use another key.' });
  liveKey(key, clock.now());
  const identity = await auth.identities.findOne({ _id: key.identityId });
  const user = identity && (await auth.users.findOne({ _id: identity.userId }));
  return { key, identity: liveIdentity(identity, clock.now()), user: liveUser(user) };
}

/**
 * Checks the key that a session or a password was made with; null for those made by the person alone. A session or
 * password ends with its key.
 *
 * @throws Fault TOKEN_REVOKED
 */
export async function liveOrigin(auth: AuthCollections, clock: Clock, keyId: number | null | undefined) {
  if (keyId == null) return null;
  try {
    return (await holderOf(auth, clock, await auth.keys.findOne({ _id: keyId }))).key;
  } catch (cause) {
    if (!(cause instanceof Fault) || cause.status >= 500) throw cause;
    throw new Fault('TOKEN_REVOKED', 'The key that this came from has ended.', { hint: 'Sign in again.', cause });
  }
}

/** Hash of a user's password; null without one, or when the key that it was set with has ended. */
export async function livePassword(auth: AuthCollections, clock: Clock, user: UserDoc): Promise<string | null> {
  if (user.passwordHash === null || user.passwordKeyId == null) return user.passwordHash;
  try {
    await liveOrigin(auth, clock, user.passwordKeyId);
    return user.passwordHash;
  } catch (error) {
    if (error instanceof Fault && error.code === 'TOKEN_REVOKED') return null;
    throw error;
  }
}
