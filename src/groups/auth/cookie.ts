// Keeps the refresh token in a cookie that no script can read, for browsers that ask for it.
import type { IssuedTokens } from '../../auth/sessions.ts';
import type { RequestInfo } from '../../contract/operation.ts';
import { Fault } from '../../kernel/fault.ts';
import { baseUrlOf } from '../base-url.ts';
import { createOwnCookie } from '../own-cookie.ts';
import type { AuthTokenDto } from './dto.ts';
import { toTokenDto } from './to-token-dto.ts';

const cookie = createOwnCookie({ name: 'refresh', path: '/api/auth', sameSite: 'strict' });

/** The token that the browser sent, if any. */
export const readCookie = cookie.read;

/** Takes the token that the browser has. */
export const takeCookie = (request: RequestInfo): void => cookie.give(request, null, new Date(0));

/** The refresh token goes into a cookie instead of the answer. */
export function inCookie(issued: IssuedTokens, request: RequestInfo): AuthTokenDto {
  cookie.give(request, issued.refreshToken, issued.session.expiresAt);
  return { ...toTokenDto(issued), refreshToken: null };
}

/**
 * Refuses what a page of another origin makes the browser send, for which `SameSite` is not enough: other ports and
 * subdomains are of the same site.
 *
 * @throws Fault FORBIDDEN
 */
export function requireOwnOrigin(request: RequestInfo): void {
  const origin = request.header('origin');
  const site = request.header('sec-fetch-site');
  const host = (url: string) => (URL.canParse(url) ? new URL(url).host : null);
  // What a browser says of itself holds also behind a proxy that gives this server another name.
  const isOwn =
    site === undefined
      ? origin === undefined || host(origin) === host(baseUrlOf(request, ''))
      : site === 'same-origin' || site === 'none';
  if (!isOwn) throw foreign();
}

const foreign = () =>
  new Fault('FORBIDDEN', 'A cookie of this server is good for pages of this server only.', {
    hint: 'Send the refresh token in the body, or use a key.',
  });
