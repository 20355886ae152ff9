// Sends a browser on to another page.
import type { FileReply } from '../contract/replies.ts';

export const redirectTo = (location: string, headers: Readonly<Record<string, string>> = {}): FileReply => ({
  ...{ kind: 'file', mediaType: 'text/html', body: '', status: 302 },
  headers: { location, ...headers },
});

/** The same for an address that holds what nobody else may see: neither caches nor the next page get it. */
export const redirectInConfidence = (location: string): FileReply =>
  redirectTo(location, { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });

/** What a request said in its query, as a query again; fields that it left out stay out. */
export const queryOf = (given: object): URLSearchParams =>
  new URLSearchParams(Object.entries(given).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
