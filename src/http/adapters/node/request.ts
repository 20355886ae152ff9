// What is read from the head of a node:http request, of a plain one and of an upgrade alike.
import type { IncomingMessage } from 'node:http';
import { plainAddress } from '../../../kernel/addresses.ts';
import { type ClientAddress, directClients } from '../../../kernel/client-address.ts';

/** Value of a header by lower-case name; repeated ones are joined. */
export function headerOfRequest({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Address of the client behind a request. */
export function clientOf(request: IncomingMessage, clientAddress: ClientAddress = directClients): string {
  return clientAddress(peerOf(request), headerOfRequest(request, 'x-forwarded-for'));
}

/** Whether a request comes from a trusted proxy. */
export const isForwarded = (request: IncomingMessage, clientAddress: ClientAddress = directClients): boolean =>
  clientAddress.trusts(peerOf(request));

function peerOf({ socket: { remoteAddress = '0.0.0.0' } }: IncomingMessage): string {
  return remoteAddress.startsWith('::ffff:') ? plainAddress(remoteAddress) : remoteAddress;
}
