// Keeps the refresh token in a cookie that no script can read, for browsers that ask for it.
import { parseCookie, stringifySetCookie } from 'cookie';
import type { RequestInfo } from '../../contract/operation.ts';
import { Fault } from '../../kernel/fault.ts';
import { baseUrlOf } from '../base-url.ts';

/** Browsers send a cookie to every port of its host: each server has a name of its own, by the port that they know. */
function nameOf(request: RequestInfo): string {
  const url = baseUrlOf(request, '');
  const port = URL.canParse(url) ? new URL(url).port : '';
  return port ? `rivulet_refresh_${port}` : 'rivulet_refresh';
}

/** The token that the browser sent, if any. */
export const readCookie = (request: RequestInfo): string | null =>
  parseCookie(request.header('cookie') ?? '')[nameOf(request)] || null;

/** Gives the browser a token until `expiresAt`, or takes the one it has (null). */
export function giveCookie(request: RequestInfo, token: string | null, expiresAt: Date): void {
  const cookie = stringifySetCookie({
    name: nameOf(request),
    value: token ?? '',
    ...(token === null ? { maxAge: 0 } : { expires: expiresAt }),
    path: '/api/auth',
    httpOnly: true,
    sameSite: 'strict',
    secure: isOverTls(request),
  });
  request.answerWith('set-cookie', cookie);
}

/** A page knows its own scheme, also behind a proxy that does not pass it on. */
const isOverTls = (request: RequestInfo) => (request.header('origin') ?? baseUrlOf(request, '')).startsWith('https:');

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
