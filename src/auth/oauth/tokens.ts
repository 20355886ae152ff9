// Tokens of OAuth clients: access tokens (RFC 9068) and ID tokens (OpenID Connect), verified by anybody who has the public keys.
import { randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { TokenKeys } from '../jwt.ts';
import { audienceOf, type Resource } from './resources.ts';
import { type KeyPair, keyPairOf, type PublicJwk } from './signing.ts';

/** What an access token says. */
export interface GrantedUse {
  sessionId: number;
  clientId: string;
  /** Scopes of this token: those of its grant, or fewer. */
  scopes: string[];
  resource: Resource;
}

export interface AccessTokenClaims extends GrantedUse {
  issuer: string;
  subject: string;
  identityId: number | null;
}

export interface VerifiedToken extends AccessTokenClaims {
  id: string;
  audience: string;
  /** ms since 1970 */
  issuedAt: number;
  expiresAt: number;
}

export interface IdTokenClaims {
  issuer: string;
  subject: string;
  clientId: string;
  nonce: string | null;
  authTime: number;
  claims: Readonly<Record<string, unknown>>;
}

export interface OAuthTokens {
  access(claims: AccessTokenClaims, seconds: number): string;
  id(claims: IdTokenClaims, seconds: number): string;
  /** @throws Fault TOKEN_EXPIRED, UNAUTHENTICATED */
  verify(token: string): VerifiedToken;
  /** Public keys by which tokens of now verify, the newest first. */
  keys(): PublicJwk[];
}

const accessType = 'at+jwt';

/** Tells an access token of a client from one of a session by its head alone. */
export function isOAuthToken(token: string): boolean {
  try {
    return JSON.parse(Buffer.from(token.slice(0, token.indexOf('.')), 'base64url').toString()).typ === accessType;
  } catch {
    return false;
  }
}

export function createOAuthTokens({ clock, keys }: { clock: Clock; keys: TokenKeys }): OAuthTokens {
  const pairs = new Map<string, KeyPair>();
  const pairFor = (one: { id: string | null; key: Buffer }): KeyPair => {
    const name = one.id ?? 'first';
    let pair = pairs.get(name);
    if (!pair) {
      pair = keyPairOf(one);
      pairs.set(name, pair);
    }
    return pair;
  };
  /** @throws Error for a key that does not hold any more */
  const publicKey = (kid: string | undefined) => {
    const key = kid === undefined ? null : keys.find(kid === 'first' ? null : kid);
    if (!key || kid === undefined) throw new jwt.JsonWebTokenError('its key is not in use');
    return pairFor({ id: kid === 'first' ? null : kid, key }).public;
  };
  const sign = (claims: object, seconds: number, typ: string) => {
    const pair = pairFor(keys.current());
    const iat = Math.floor(clock.now() / 1000);
    const head = { alg: 'ES256', typ, kid: pair.kid } as const;
    return jwt.sign({ ...claims, iat, exp: iat + seconds }, pair.private, { algorithm: 'ES256', header: head });
  };
  return {
    access: ({ issuer, subject, sessionId, clientId, scopes, resource, identityId }, seconds) =>
      sign(
        {
          iss: issuer,
          sub: subject,
          aud: audienceOf(issuer, resource),
          client_id: clientId,
          scope: scopes.join(' '),
          jti: randomUUID(),
          sid: sessionId,
          identity_id: identityId,
        },
        seconds,
        accessType,
      ),
    id: ({ issuer, subject, clientId, nonce, authTime, claims }, seconds) =>
      sign(
        {
          ...claims,
          iss: issuer,
          sub: subject,
          aud: clientId,
          auth_time: Math.floor(authTime / 1000),
          ...(nonce !== null && { nonce }),
        },
        seconds,
        'JWT',
      ),
    verify: (token) => {
      try {
        const head = jwt.decode(token, { complete: true })?.header;
        if (head?.typ !== accessType) throw new jwt.JsonWebTokenError('it is no access token');
        const said = jwt.verify(token, publicKey(head.kid), {
          algorithms: ['ES256'],
          clockTimestamp: Math.floor(clock.now() / 1000),
        }) as jwt.JwtPayload;
        return verified(said);
      } catch (error) {
        if (error instanceof jwt.TokenExpiredError)
          throw new Fault('TOKEN_EXPIRED', 'The access token has expired.', {
            hint: 'Get a new one with the refresh token.',
          });
        throw new Fault('UNAUTHENTICATED', 'The access token cannot be verified.', {
          hint: 'Ask the person to connect again.',
          cause: error,
        });
      }
    },
    keys: () => keys.all().map((one) => pairFor(one).jwk),
  };
}

function verified(said: jwt.JwtPayload): VerifiedToken {
  const issuer = String(said.iss);
  const audience = String(said.aud);
  return {
    id: String(said.jti),
    issuer,
    audience,
    subject: String(said.sub),
    sessionId: said.sid,
    clientId: said.client_id,
    scopes: String(said.scope).split(' ').filter(Boolean),
    resource: audience === audienceOf(issuer, 'mcp') ? 'mcp' : 'api',
    identityId: said.identity_id ?? null,
    issuedAt: (said.iat ?? 0) * 1000,
    expiresAt: (said.exp ?? 0) * 1000,
  };
}
