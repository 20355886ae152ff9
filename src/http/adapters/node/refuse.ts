// Plain HTTP answers on a raw socket: to bytes that are not HTTP, and to refused upgrades.
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../../kernel/clock.ts';
import type { Refusal } from '../../adapter.ts';
import { checkHeaders } from '../head.ts';
import { lingerMs } from '../limits.ts';

/** Writes a whole answer and closes the connection. */
export function refuseSocket(socket: Duplex, { status, headers, body }: Refusal, clock: Clock): void {
  if (!socket.writable) return void socket.destroy();
  checkHeaders(headers);
  const lines = headers
    .filter(([name]) => name !== 'connection')
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  const length = Buffer.byteLength(body);
  endSocket(
    socket,
    clock,
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}\r\n${lines}content-length: ${length}\r\nconnection: close\r\n\r\n${body}`,
  );
}

/** Half-closes a connection; a client that does not close it too is cut soon, which frees the descriptor. */
export function endSocket(socket: Duplex, clock: Clock, last = ''): void {
  socket.end(last);
  socket.once(
    'close',
    clock.after(lingerMs, () => socket.destroy()),
  );
  // What the client still sends must be read, or the kernel resets the connection before the answer is seen.
  socket.on('error', () => undefined);
  socket.resume();
}
