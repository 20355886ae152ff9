// Cookies of this server: no script reads them, and each server on a host has its own.
import { parseCookie, stringifySetCookie } from 'cookie';
import type { RequestInfo } from '../contract/operation.ts';
import { baseUrlOf } from './base-url.ts';

interface Cookie {
  /** What it is for, in its name. */
  name: string;
  /** Where the browser sends it to. */
  path: string;
  /** `lax` for one that comes along when another site sends the browser here. */
  sameSite: 'strict' | 'lax';
}

export function createOwnCookie({ name, path, sameSite }: Cookie) {
  return {
    /** What the browser sent, if any. */
    read: (request: RequestInfo): string | null =>
      parseCookie(request.header('cookie') ?? '')[nameOf(name, request)] || null,
    /** Gives the browser a value until `expiresAt`, or takes the one it has (null). */
    give(request: RequestInfo, value: string | null, expiresAt: Date): void {
      const cookie = stringifySetCookie({
        name: nameOf(name, request),
        value: value ?? '',
        ...(value === null ? { maxAge: 0 } : { expires: expiresAt }),
        ...{ path, httpOnly: true, sameSite, secure: isOverTls(request) },
      });
      request.answerWith('set-cookie', cookie);
    },
  };
}

/** Browsers send a cookie to every port of its host: each server has a name of its own, by the port that they know. */
function nameOf(name: string, request: RequestInfo): string {
  const url = baseUrlOf(request, '');
  const port = URL.canParse(url) ? new URL(url).port : '';
  return port ? `rivulet_${name}_${port}` : `rivulet_${name}`;
}

/** A page knows its own scheme, also behind a proxy that does not pass it on. */
const isOverTls = (request: RequestInfo) => (request.header('origin') ?? baseUrlOf(request, '')).startsWith('https:');
