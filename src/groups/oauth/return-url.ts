// Where a browser goes on after a sign-in with a provider: to pages of this server, or of origins that may call it.
import { Fault } from '../../kernel/fault.ts';

/**
 * The whole address for what a request asks for.
 *
 * @param given - an address, or a path of this server
 * @throws Fault VALIDATION_FAILED for an address elsewhere
 */
export function returnUrlOf(given: string, base: string, origins: readonly string[]): string {
  // Browsers read `//host` and `/\host` as addresses of other servers.
  const text = /^\/(?![/\\])/.test(given) ? base + given : given;
  const url = URL.canParse(text) ? new URL(text) : null;
  const isOwn = url !== null && (url.origin === new URL(base).origin || origins.includes(url.origin));
  if (url && isOwn && /^https?:$/.test(url.protocol)) return url.href;
  throw new Fault('VALIDATION_FAILED', 'The query is not valid: returnUrl: is no address of this server.', {
    field: 'returnUrl',
    hint: 'Give a path, or an address of an origin in RIVULET_CORS_ORIGINS.',
  });
}

/** The address with one thing more: in the query of its fragment where that is a path, which no server log sees. */
export function withAnswer(returnUrl: string, name: string, value: string): string {
  const url = new URL(returnUrl);
  if (!url.hash.startsWith('#/')) {
    url.searchParams.set(name, value);
    return url.href;
  }
  const [path = '', query = ''] = url.hash.split(/\?(.*)/s);
  const answered = new URLSearchParams(query);
  answered.set(name, value);
  url.hash = `${path}?${answered}`;
  return url.href;
}
