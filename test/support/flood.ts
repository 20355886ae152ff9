// A server of the loopback that greets whoever connects, and goes on without an end that anybody waits for.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

const mebibyte = 1 << 20;

export interface Flood {
  port: number;
  /** Bytes that were sent, to all who connected. */
  sent(): number;
  close(): void;
}

/** After `greeting` it sends `piece` again and again, 256 MiB at most. */
export async function startFlood(greeting: string | Buffer, piece = Buffer.alloc(mebibyte, 'x')): Promise<Flood> {
  let sent = 0;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.write(greeting);
    const more = () => {
      let goesOn = true;
      while (goesOn && sent < 256 * mebibyte && !socket.destroyed) {
        sent += piece.length;
        goesOn = socket.write(piece);
      }
      if (!goesOn) socket.once('drain', more);
    };
    more();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    sent: () => sent,
    close: () => void server.close(),
  };
}
