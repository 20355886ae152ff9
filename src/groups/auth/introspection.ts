// Explains tokens and keys to their owner and to administrators of its tenant; to all others each is unknown.
import type { Authenticator } from '../../auth/authenticator.ts';
import type { AuthCollections } from '../../auth/collections.ts';
import type { AccessTokens } from '../../auth/jwt.ts';
import { hashSecret, keyPrefix } from '../../auth/keys.ts';
import type { Caller } from '../../contract/caller.ts';
import { Fault } from '../../kernel/fault.ts';
import type { TokenIntrospectionDto } from './dto.ts';

interface Deps {
  collections: AuthCollections;
  tokens: AccessTokens;
  authenticator: Pick<Authenticator, 'fromToken'>;
}

const unknown: TokenIntrospectionDto = {
  active: false,
  kind: null,
  subject: null,
  userId: null,
  identityId: null,
  clientId: null,
  keyId: null,
  permissions: [],
  scopes: [],
  issuedAtUtc: null,
  expiresAtUtc: null,
  lastUsedAtUtc: null,
  reason: 'It is no token or key that you may know of.',
};

const utc = (time: Date | number | null | undefined) => (time == null ? null : new Date(time).toISOString());

export function createIntrospection({ collections: auth, tokens, authenticator }: Deps) {
  /** What it may do now, or why it may not. */
  const standing = async (token: string, ip: string) => {
    try {
      const holder = await authenticator.fromToken(token, ip);
      return {
        active: true,
        subject: holder.name,
        permissions: [...holder.permissions].sort(),
        expiresAtUtc: utc(holder.expiresAt),
        reason: null,
      };
    } catch (error) {
      if (!(error instanceof Fault) || error.status >= 500) throw error;
      return { active: false, reason: error.message };
    }
  };

  const ofKey = async (caller: Caller, token: string, ip: string): Promise<TokenIntrospectionDto> => {
    const key = await auth.keys.findOne({ hash: hashSecret(token) });
    const identity = key && (await auth.identities.findOne({ _id: key.identityId }));
    if (!key || !identity || !mayKnow(caller, key.tenantId, identity.userId)) return unknown;
    return {
      ...unknown,
      kind: key.ofUser ? 'UserKey' : 'IdentityKey',
      subject: identity.displayName,
      userId: identity.userId,
      identityId: identity._id,
      keyId: key._id,
      scopes: key.scopes,
      issuedAtUtc: utc(key.createdAt),
      expiresAtUtc: utc(key.expiresAt),
      lastUsedAtUtc: utc(key.lastUsedAt),
      ...(await standing(token, ip)),
    };
  };

  const ofAccessToken = async (caller: Caller, token: string, ip: string): Promise<TokenIntrospectionDto> => {
    let claims: ReturnType<AccessTokens['verify']>;
    try {
      claims = tokens.verify(token);
    } catch {
      return unknown;
    }
    if (!mayKnow(caller, claims.tenantId, claims.userId)) return unknown;
    const session = await auth.sessions.findOne({ _id: claims.sessionId });
    return {
      ...unknown,
      kind: 'AccessJwt',
      userId: claims.userId,
      identityId: session?.identityId ?? null,
      issuedAtUtc: utc(claims.issuedAt),
      expiresAtUtc: utc(claims.expiresAt),
      lastUsedAtUtc: utc(session?.lastSeenAt),
      ...(await standing(token, ip)),
    };
  };

  /** Looks at a token without using it. */
  return (caller: Caller, token: string, { ip, now }: { ip: string; now: number }): Promise<TokenIntrospectionDto> => {
    if (token.startsWith(keyPrefix)) return ofKey(caller, token, ip);
    if (token.split('.').length === 3) return ofAccessToken(caller, token, ip);
    return ofRefreshToken(auth, caller, token, now);
  };
}

const mayKnow = (caller: Caller, tenantId: number, userId: number | null) =>
  caller.tenantId === tenantId && (caller.userId === userId || caller.permissions.has('ApiKeysManage'));

async function ofRefreshToken(
  auth: AuthCollections,
  caller: Caller,
  token: string,
  now: number,
): Promise<TokenIntrospectionDto> {
  const hash = hashSecret(token);
  const session = await auth.sessions.findOne({ $or: [{ refreshHash: hash }, { usedHashes: hash }] });
  if (!session || !mayKnow(caller, session.tenantId, session.userId)) return unknown;
  const reason = session.revokedAt
    ? 'Its session has ended.'
    : session.refreshHash !== hash
      ? 'It was used before.'
      : session.expiresAt.getTime() <= now
        ? 'Its session has expired.'
        : null;
  return {
    ...unknown,
    active: reason === null,
    kind: 'RefreshToken',
    userId: session.userId,
    identityId: session.identityId,
    issuedAtUtc: utc(session.createdAt),
    expiresAtUtc: utc(session.expiresAt),
    lastUsedAtUtc: utc(session.lastSeenAt),
    reason,
  };
}
