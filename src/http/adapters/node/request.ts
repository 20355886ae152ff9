// What is read from the head of a node:http request, of a plain one and of an upgrade alike.
import type { IncomingMessage } from 'node:http';
import { plainAddress } from '../../../kernel/addresses.ts';

/** Value of a header by lower-case name; repeated ones are joined. */
export function headerOfRequest({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Address of the other end of the connection. */
export function peerOf({ socket: { remoteAddress = '0.0.0.0' } }: IncomingMessage): string {
  return remoteAddress.startsWith('::ffff:') ? plainAddress(remoteAddress) : remoteAddress;
}
