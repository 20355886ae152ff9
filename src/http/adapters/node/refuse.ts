// Plain HTTP answers on a raw socket: to what is not HTTP, and to upgrades that are not let in.
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Refusal } from '../../adapter.ts';
import { checkHeaders } from '../head.ts';

/** Writes a whole answer and closes the connection. */
export function refuseSocket(socket: Duplex, { status, headers, body }: Refusal): void {
  if (!socket.writable) return void socket.destroy();
  checkHeaders(headers);
  const lines = headers
    .filter(([name]) => name !== 'connection')
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  const length = Buffer.byteLength(body);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}\r\n${lines}content-length: ${length}\r\nconnection: close\r\n\r\n${body}`,
  );
  // What the client still sends must be read, or the kernel resets the connection before the answer is seen.
  socket.on('error', () => undefined);
  socket.resume();
}
