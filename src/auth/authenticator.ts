// Finds out who calls: turns a key or an access token into a Caller, cached briefly and dropped at once on a change.
import { LRUCache } from 'lru-cache';
import type { Caller } from '../contract/caller.ts';
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import type { AuthCollections } from './collections.ts';
import type { IdentityDoc, KeyDoc, UserDoc } from './documents.ts';
import type { AccessTokens } from './jwt.ts';
import { hashSecret, keyPrefix } from './keys.ts';
import { expand, rolePermissions } from './permissions.ts';

/** Milliseconds a looked-up caller may be reused; bounds how long another node's change stays unseen. */
const cacheMs = 1000;
/** Milliseconds between two writes of a key's last use. */
const lastUseMs = 60_000;

export interface Authenticator {
  /**
   * The caller behind an `Authorization` header value; at once when it is known.
   *
   * @throws Fault UNAUTHENTICATED, TOKEN_EXPIRED, TOKEN_REVOKED, ACCOUNT_DISABLED
   */
  authenticate(authorization: string, ip: string): Caller | Promise<Caller>;
  /** The same for a bare key or access token, as sockets send it. */
  fromToken(token: string, ip: string): Promise<Caller>;
  /** Looks a caller up afresh: the same principal with today's permissions, or a Fault if it may not act any more. */
  refresh(caller: Caller): Promise<Caller>;
  /** Forgets what is cached; call after keys, identities, users or roles have changed. */
  forget(): void;
}

interface Deps {
  auth: AuthCollections;
  tokens: AccessTokens;
  clock: Clock;
}

export function createAuthenticator({ auth, tokens, clock }: Deps): Authenticator {
  const cache = new LRUCache<string, Caller>({ max: 10_000, ttl: cacheMs, perf: { now: () => clock.now() } });
  const lastUse = new LRUCache<number, number>({ max: 10_000 });

  // The token itself is the name: hashing it would cost more than the rest of a look-up.
  const cached = (token: string): Caller | null => {
    const known = cache.get(token);
    return known && (known.expiresAt === null || known.expiresAt > clock.now()) ? known : null;
  };

  const lookUp = async (token: string, ip: string): Promise<Caller> => {
    const caller = token.startsWith(keyPrefix) ? await byKeyHash(hashSecret(token), ip) : await byAccessToken(token);
    cache.set(token, caller);
    return caller;
  };

  const byKeyHash = async (hash: string, ip: string) => {
    const key = await auth.keys.findOne({ hash });
    if (!key)
      throw new Fault('UNAUTHENTICATED', 'This key is not known.', {
        hint: 'Check the key, or make one with POST /api/identities/{identityId}/api-keys.',
      });
    const caller = await keyCaller(key);
    noteUse(key, ip);
    return caller;
  };

  const keyCaller = async (key: KeyDoc) => {
    checkKey(key, clock.now());
    const identity = await auth.identities.findOne({ _id: key.identityId });
    const user = identity && (await auth.users.findOne({ _id: identity.userId }));
    return toCaller({ identity: active(identity, clock.now()), user: activeUser(user), key });
  };

  const byAccessToken = async (token: string) => {
    const claims = tokens.verify(token);
    return sessionCaller(claims.sessionId, claims.expiresAt);
  };

  const sessionCaller = async (sessionId: number, expiresAt: number | null) => {
    const session = await auth.sessions.findOne({ _id: sessionId });
    if (!session || session.revokedAt)
      throw new Fault('TOKEN_REVOKED', 'This session has ended.', { hint: 'Sign in again.' });
    const user = activeUser(await auth.users.findOne({ _id: session.userId }));
    const identity = session.identityId === null ? null : await auth.identities.findOne({ _id: session.identityId });
    return { ...toCaller({ identity, user, key: null }), kind: 'User' as const, sessionId, expiresAt };
  };

  const noteUse = (key: KeyDoc, ip: string) => {
    const now = clock.now();
    if (now - (lastUse.get(key._id) ?? 0) < lastUseMs) return;
    lastUse.set(key._id, now);
    auth.keys
      .updateOne({ _id: key._id }, { $set: { lastUsedAt: new Date(now), lastUsedIp: ip } })
      .catch(() => lastUse.delete(key._id));
  };

  return {
    fromToken: async (token, ip) => cached(token) ?? lookUp(token, ip),
    authenticate: (authorization, ip) => {
      const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
      if (!token)
        throw new Fault('UNAUTHENTICATED', 'The Authorization header cannot be read.', {
          hint: 'Send "Authorization: Bearer <key or access token>".',
        });
      return cached(token) ?? lookUp(token, ip);
    },
    refresh: async (caller) => {
      if (caller.sessionId !== null) return sessionCaller(caller.sessionId, caller.expiresAt);
      const key = caller.keyId === null ? null : await auth.keys.findOne({ _id: caller.keyId });
      if (!key) throw new Fault('TOKEN_REVOKED', 'This key no longer exists.', { hint: 'Use another key.' });
      return keyCaller(key);
    },
    forget: () => cache.clear(),
  };
}

function checkKey(key: KeyDoc, now: number): void {
  if (key.revokedAt && key.revokedAt.getTime() <= now)
    throw new Fault('TOKEN_REVOKED', 'This key was revoked.', { hint: 'Use another key.' });
  if (key.expiresAt && key.expiresAt.getTime() <= now)
    throw new Fault('TOKEN_EXPIRED', 'This key has expired.', {
      hint: 'Rotate it with POST /api/identities/{identityId}/api-keys/{keyId}/rotate.',
    });
}

function active(identity: IdentityDoc | null, now: number): IdentityDoc {
  const expired = identity?.expiresAt && identity.expiresAt.getTime() <= now;
  if (!identity || identity.deletedAt || !identity.isActive || expired)
    throw new Fault('ACCOUNT_DISABLED', 'This identity is not active.', {
      hint: 'Ask an administrator to activate it.',
    });
  return identity;
}

function activeUser(user: UserDoc | null): UserDoc {
  if (!user?.isActive)
    throw new Fault('ACCOUNT_DISABLED', 'This account is not active.', {
      hint: 'Ask an administrator to activate it.',
    });
  return user;
}

/** What a key may do: what its user may do, narrowed to the key's scopes where it has any. */
export function permissionsOf(user: Pick<UserDoc, 'role'>, scopes: KeyDoc['scopes']) {
  const all = expand(rolePermissions[user.role]);
  if (scopes.length === 0) return all;
  const narrowed = expand(scopes);
  return new Set([...all].filter((permission) => narrowed.has(permission)));
}

function toCaller({
  identity,
  user,
  key,
}: {
  identity: IdentityDoc | null;
  user: UserDoc;
  key: KeyDoc | null;
}): Caller {
  const ends = [key?.expiresAt, key?.revokedAt]
    .filter((date) => date !== null && date !== undefined)
    .map((date) => date.getTime());
  return {
    tenantId: user.tenantId,
    kind: 'IdentityKey',
    userId: user._id,
    identityId: identity?._id ?? null,
    keyId: key?._id ?? null,
    sessionId: null,
    name: identity?.displayName ?? user.displayName ?? user.username,
    permissions: permissionsOf(user, key?.scopes ?? []),
    expiresAt: ends.length > 0 ? Math.min(...ends) : null,
  };
}
