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

export function createAccessTokens({ secret, clock }: { secret: string; clock: Clock }): AccessTokens {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'rivulet access token v1', 32));
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
      return jwt.sign(claims, key, { algorithm: 'HS256', issuer });
    },
    verify: (token) => {
      try {
        const clockTimestamp = Math.floor(clock.now() / 1000);
        const claims = jwt.verify(token, key, { algorithms: ['HS256'], issuer, clockTimestamp }) as jwt.JwtPayload;
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
