// Sign-in links made with the server's secret alone, whether the server runs or not: signed, not stored.
import { hkdfSync, randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import { linkPrefix } from './keys.ts';

/** Lifetime of such a link in minutes. */
export const linkMinutes = 15;
const issuer = 'rivulet';
const audience = 'sign-in link';
const again = 'Make another one with "npm run admin:link".';
const againAsThere =
  'Make another one with "npm run admin:link", with RIVULET_DATA and RIVULET_SECRET as the server has them.';

export interface SignInLinks {
  make(): string;
  /** False for tokens of another kind. @throws Fault TOKEN_EXPIRED, UNAUTHENTICATED */
  verify(token: string): boolean;
}

export function createSignInLinks({ secret, clock }: { secret: string; clock: Clock }): SignInLinks {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'rivulet sign-in link v1', 32));
  const seconds = () => Math.floor(clock.now() / 1000);
  return {
    make: () => {
      const claims = { jti: randomUUID(), iat: seconds(), exp: seconds() + linkMinutes * 60 };
      return linkPrefix + jwt.sign(claims, key, { algorithm: 'HS256', issuer, audience });
    },
    verify: (token) => {
      if (!token.startsWith(linkPrefix) || !token.includes('.')) return false;
      try {
        const options = { algorithms: ['HS256' as const], issuer, audience, clockTimestamp: seconds() };
        jwt.verify(token.slice(linkPrefix.length), key, options);
        return true;
      } catch (cause) {
        if (cause instanceof jwt.TokenExpiredError)
          throw new Fault('TOKEN_EXPIRED', 'This sign-in link is too old.', { hint: again });
        throw new Fault('UNAUTHENTICATED', 'This sign-in link is not of this server.', { hint: againAsThere, cause });
      }
    },
  };
}
