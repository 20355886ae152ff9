// Connections to databases, whose answers are read whole: a limit of what one may say.
import type { Socket } from 'node:net';
import { Fault } from '../kernel/fault.ts';

/** Bytes that one statement may be answered with, and how often they are looked at, in ms: some more arrive meanwhile. */
const mostBytes = 64 << 20;
const lookEveryMs = 10;

/** Ends the connection with a Fault once more has come than a statement may be answered with. */
export function bounded(socket: Socket): Socket {
  const look = setInterval(() => {
    if (socket.bytesRead <= mostBytes) return;
    clearInterval(look);
    socket.destroy(
      new Fault('CONNECTOR_ERROR', `The answer of the database is larger than ${mostBytes >> 20} MiB.`, {
        hint: 'Ask for fewer columns, or for parts of long texts.',
      }),
    );
  }, lookEveryMs);
  socket.once('close', () => clearInterval(look));
  return socket;
}
