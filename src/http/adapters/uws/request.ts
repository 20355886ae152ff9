// Copies what an uWebSockets.js request holds: it is valid only until its handler returns.
import type { HttpRequest, HttpResponse } from 'uWebSockets.js';

/** Headers of one request. They are few and each is asked for once or twice, so that looking costs less than hashing. */
export class RequestHeaders {
  static readonly none: RequestHeaders = new RequestHeaders(null);
  readonly #flat: string[] = [];
  /** False when a value holds DEL, the one control character besides tab that the parser lets through. */
  readonly isLegal: boolean;

  constructor(request: HttpRequest | null) {
    const flat = this.#flat;
    let isLegal = true;
    request?.forEach((name, value) => {
      flat.push(name, value);
      if (value.includes('\x7f')) isLegal = false;
    });
    this.isLegal = isLegal;
  }

  /** Value by lower-case name; repeated ones are joined. */
  get(name: string): string | undefined {
    const flat = this.#flat;
    let found: string | undefined;
    for (let i = 0; i < flat.length; i += 2)
      if (flat[i] === name) found = found === undefined ? flat[i + 1] : `${found}, ${flat[i + 1]}`;
    return found;
  }
}

/** Address of the other end of the connection: each call asks the kernel. */
export const peerOf = (response: HttpResponse): string => addressOf(response.getRemoteAddress());

/** Text form of a binary address of 4 or 16 bytes. */
function addressOf(binary: ArrayBuffer): string {
  const bytes = new Uint8Array(binary);
  if (bytes.length === 4) return `${bytes[0]}.${bytes[1]}.${bytes[2]}.${bytes[3]}`;
  if (bytes.length !== 16) return '0.0.0.0';
  const mapped = bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;
  if (mapped) return `${bytes[12]}.${bytes[13]}.${bytes[14]}.${bytes[15]}`;
  const groups = Array.from({ length: 8 }, (_, i) =>
    (((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0)).toString(16),
  );
  return groups
    .join(':')
    .replace(/\b0(:0)+\b/, ':')
    .replace(/:{3,}/, '::');
}
