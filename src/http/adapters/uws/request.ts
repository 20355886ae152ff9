// Copies what an uWebSockets.js request holds: it is valid only until its handler returns.
import type { HttpRequest } from 'uWebSockets.js';

/** Headers by lower-case name; repeated ones are joined. */
export function headersOf(request: HttpRequest): Map<string, string> {
  const headers = new Map<string, string>();
  request.forEach((name, value) => {
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  });
  return headers;
}

/** Text form of a binary address of 4 or 16 bytes. */
export function addressOf(binary: ArrayBuffer): string {
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
