// What is read from the head of a node:http request, of a plain one and of an upgrade alike.
import type { IncomingMessage } from 'node:http';
import { type ClientAddress, directClients } from '../../../kernel/client-address.ts';

/** Value of a header by lower-case name; repeated ones are joined. */
export function headerOfRequest({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Address of the client behind a request. */
export function clientOf(request: IncomingMessage, clientAddress: ClientAddress = directClients): string {
  return clientAddress(plainAddress(request.socket.remoteAddress), headerOfRequest(request, 'x-forwarded-for'));
}

/** Whether a request comes from a trusted proxy. */
export const isForwarded = (request: IncomingMessage, clientAddress: ClientAddress = directClients): boolean =>
  clientAddress.trusts(plainAddress(request.socket.remoteAddress));

/** IPv4 addresses that arrive over an IPv6 socket, in their own form. */
function plainAddress(address: string | undefined): string {
  if (!address) return '0.0.0.0';
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}
