// Where a client's people may be sent back to: what may be registered, and what matches it.
import { OAuthFault } from '../../contract/oauth-failure.ts';

const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);
/** Schemes that run something in the browser or read its files. */
const harmful = /^(javascript|data|vbscript|blob|file|about|filesystem|view-source|ws|wss|ftp|mailto):$/;

const isLoopback = ({ protocol, hostname }: URL) => protocol === 'http:' && loopback.has(hostname);

/** @throws OAuthFault invalid_redirect_uri */
export function requireRedirectUri(uri: string): string {
  const refuse = (why: string) => new OAuthFault('invalid_redirect_uri', `${uri.slice(0, 200)} ${why}.`);
  if (!URL.canParse(uri)) throw refuse('is no absolute URL');
  const url = new URL(uri);
  if (url.hash || uri.includes('#')) throw refuse('has a fragment');
  if (url.username || url.password) throw refuse('has credentials in it');
  if (harmful.test(url.protocol)) throw refuse('has a scheme that is not allowed');
  if (url.protocol === 'http:' && !isLoopback(url)) throw refuse('is not https, and not of this machine');
  return uri;
}

/**
 * Whether a redirect URI is the registered one: the same text, but for the port of a loopback address, which a native
 * program takes as it finds one (RFC 8252, section 7.3).
 */
export function matchesRedirect(registered: string, given: string): boolean {
  if (registered === given) return true;
  if (!URL.canParse(given) || !URL.canParse(registered)) return false;
  const [a, b] = [new URL(registered), new URL(given)];
  if (!isLoopback(a) || !isLoopback(b) || b.username || b.password || given.includes('#')) return false;
  return a.hostname === b.hostname && a.pathname === b.pathname && a.search === b.search;
}

/** A URL with more in its query. */
export function withQuery(uri: string, more: Readonly<Record<string, string | null>>): string {
  const url = new URL(uri);
  for (const [name, value] of Object.entries(more)) if (value !== null) url.searchParams.set(name, value);
  return url.href;
}

/** Where a redirect URI leads, as people know it. */
export function hostOf(uri: string): string {
  const { protocol, host } = new URL(uri);
  return protocol === 'https:' || protocol === 'http:' ? host : protocol.replace(/:$/, '');
}
