// Short-lived access tokens: HS256 JWTs with a key derived from the server's secret.
import { hkdfSync } from 'node:crypto';
import jwt from 'jsonwebtoken';
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';

/** Lifetime of an access token in seconds, unless the tenant's policy sets another. */
export const accessTokenSeconds = 15 * 60;
const issuer = 'rivulet';

export interface AccessClaims {
  tenantId: number;
  userId: number;
  sessionId: number;
}

export interface AccessTokens {
  sign(claims: AccessClaims, seconds?: number): string;
  /** @throws Fault TOKEN_EXPIRED, UNAUTHENTICATED */
  verify(token: string): AccessClaims & { issuedAt: number; expiresAt: number };
}

/** Keys by which tokens are signed: each token names its own. */
export interface TokenKeys {
  /** The one that signs. Its id stands in the head of each token; null for the key that a server begins with. */
  current(): { id: string | null; key: Buffer };
  /** A key by which a token may have been signed; null when it signs no token that still holds. */
  find(id: string | null): Buffer | null;
  /** Keys that verify tokens now; the first one signs. */
  all(): { id: string | null; key: Buffer }[];
}

/** The key that a server begins with: HKDF-SHA-256 (RFC 5869) of its secret. */
export const firstTokenKey = (secret: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', 'rivulet access token v1', 32));

/** One key, derived from the server's secret, for ever. */
export const oneTokenKey = (secret: string): TokenKeys => {
  const one = { id: null, key: firstTokenKey(secret) };
  return { current: () => one, find: (id) => (id === null ? one.key : null), all: () => [one] };
};

export function createAccessTokens(deps: { secret: string; clock: Clock; keys?: TokenKeys | undefined }): AccessTokens {
  const { secret, clock, keys = oneTokenKey(secret) } = deps;
  /** @throws Error where a token names no key that holds */
  const keyFor = (token: string): Buffer => {
    const id = jwt.decode(token, { complete: true })?.header.kid ?? null;
    const key = keys.find(id);
    if (!key) throw new jwt.JsonWebTokenError('its key is not in use any more');
    return key;
  };
  return {
    sign: ({ tenantId, userId, sessionId }, seconds = accessTokenSeconds) => {
      const issuedAt = Math.floor(clock.now() / 1000);
      const claims = {
        sub: String(userId),
        tid: tenantId,
        sid: sessionId,
        iat: issuedAt,
        exp: issuedAt + seconds,
      };
      const { id, key } = keys.current();
      return jwt.sign(claims, key, { algorithm: 'HS256', issuer, ...(id !== null && { keyid: id }) });
    },
    verify: (token) => {
      try {
        const clockTimestamp = Math.floor(clock.now() / 1000);
        const claims = jwt.verify(token, keyFor(token), {
          algorithms: ['HS256'],
          issuer,
          clockTimestamp,
        }) as jwt.JwtPayload;
        return {
          tenantId: claims.tid,
          userId: Number(claims.sub),
          sessionId: claims.sid,
          issuedAt: (claims.iat ?? 0) * 1000,
          expiresAt: (claims.exp ?? 0) * 1000,
        };
      } catch (error) {
        if (error instanceof jwt.TokenExpiredError)
          throw new Fault('TOKEN_EXPIRED', 'The access token has expired.', {
            hint: 'Get a new one with POST /api/auth/refresh.',
          });
        throw new Fault('UNAUTHENTICATED', 'The access token cannot be verified.', {
          hint: 'Sign in again.',
          cause: error,
        });
      }
    },
  };
}
