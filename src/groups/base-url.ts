// The address by which the client of a request reaches this server, also behind a proxy.
import type { RequestInfo } from '../contract/operation.ts';

const saneHost = /^[\w.-]+(:\d{1,5})?$|^\[[0-9a-fA-F:]+\](:\d{1,5})?$/;

/** Base URL without a trailing slash; `fallback` where the request names no usable host. */
export function baseUrlOf(request: Pick<RequestInfo, 'header'>, fallback: string): string {
  const host = first(request.header('x-forwarded-host')) ?? request.header('host');
  if (!host || !saneHost.test(host)) return fallback;
  const scheme = first(request.header('x-forwarded-proto')) === 'https' ? 'https' : 'http';
  return `${scheme}://${host}`;
}

const first = (list: string | undefined) => list?.split(',')[0]?.trim() || undefined;
