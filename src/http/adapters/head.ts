// What both adapters do with request and answer heads.
import type { HeaderList } from '../adapter.ts';

const forbidden = /[\0\r\n]/;
const token = /^[!#$%&'*+\-.^_`|~\w]+$/;

/**
 * Refuses header injection.
 *
 * @throws Error when a name is not a token or a value holds CR, LF or NUL
 */
export function checkHeaders(headers: HeaderList): void {
  for (const header of headers)
    if (forbidden.test(header[1]) || !isToken(header[0]))
      throw new Error(`header ${JSON.stringify(header[0])} cannot be sent`);
}

const tokens = new Set<string>();

/** Valid header names, cached: there are few. */
function isToken(name: string): boolean {
  if (tokens.has(name)) return true;
  if (!token.test(name)) return false;
  if (tokens.size < 200) tokens.add(name);
  return true;
}

/** The value of a header of an answer, by lower-case name. */
export function headerOf(headers: HeaderList, name: string): string | undefined {
  for (const header of headers)
    if (header[0].length === name.length && header[0].toLowerCase() === name) return header[1];
  return undefined;
}

/** True for answers that must not have a body. */
export const isBodiless = (status: number) => status === 204 || status === 304;

/**
 * True when the head says without doubt where the body ends. Otherwise a proxy in front could read it differently, and
 * a part of the body be taken for the next request.
 */
export function isFramed(contentLength: string | undefined, transferEncoding: string | undefined): boolean {
  if (transferEncoding === undefined) return contentLength === undefined || /^\d{1,15}$/.test(contentLength);
  return contentLength === undefined && transferEncoding.toLowerCase() === 'chunked';
}
