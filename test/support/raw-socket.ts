// A bare TCP connection for tests: writes bytes as they are, reads what comes back.
import { connect, type Socket } from 'node:net';

export interface RawSocket {
  socket: Socket;
  write(data: string | Uint8Array): void;
  /** Everything received so far, as latin-1 text. */
  readonly text: string;
  /** Resolves with the text so far as soon as it matches; rejects when the connection ends before. */
  until(pattern: RegExp): Promise<string>;
  /** Resolves with everything when the server has closed the connection. */
  closed: Promise<string>;
  destroy(): void;
}

export async function openRaw(port: number): Promise<RawSocket> {
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  socket.setEncoding('latin1');
  let text = '';
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const check of [...waiting]) check();
  };
  let ended = false;
  const closed = new Promise<string>((resolve) => {
    const end = () => {
      ended = true;
      wake();
      socket.destroy();
      resolve(text);
    };
    socket.on('end', end);
    socket.on('close', end);
  });
  socket.on('data', (chunk: string) => {
    text += chunk;
    wake();
  });
  socket.on('error', () => {});
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  return {
    socket,
    closed,
    get text() {
      return text;
    },
    write: (data) => void socket.write(data),
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (!pattern.test(text) && !ended) return;
          waiting.delete(check);
          if (pattern.test(text)) resolve(text);
          else reject(new Error(`closed after ${JSON.stringify(text.slice(0, 500))}`));
        };
        waiting.add(check);
        check();
      }),
    destroy: () => socket.destroy(),
  };
}

/**
 * Sends bytes on a connection of their own. Resolves with everything that came back until the server closed it, or, with
 * a pattern, until that matches.
 */
export async function exchangeRaw(port: number, data: string | Uint8Array, pattern?: RegExp): Promise<string> {
  const raw = await openRaw(port);
  raw.write(data);
  if (!pattern) return raw.closed;
  const text = await Promise.race([raw.closed, raw.until(pattern)]);
  raw.destroy();
  return text;
}

/** Like `exchangeRaw`, and sends nothing more: servers that wait for the rest of a broken request hang up then. */
export async function sayRaw(port: number, data: string | Uint8Array): Promise<string> {
  const raw = await openRaw(port);
  raw.write(data);
  raw.socket.end();
  return raw.closed;
}

/** Status of the first answer; 0 when there is none. */
export const statusOf = (text: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);

/** One masked WebSocket frame of a client; `first` is its first byte (FIN and opcode). */
export function clientFrame(first: number, payload: Uint8Array, masked = true): Buffer {
  const length = payload.length;
  const head =
    length < 126
      ? Buffer.from([first, length])
      : length < 65_536
        ? Buffer.from([first, 126, length >> 8, length & 255])
        : Buffer.concat([Buffer.from([first, 127, 0, 0, 0, 0]), uint32(length)]);
  if (!masked) return Buffer.concat([head, payload]);
  head[1] = (head[1] ?? 0) | 0x80;
  const mask = Buffer.from([1, 2, 3, 4]);
  return Buffer.concat([head, mask, payload.map((byte, i) => byte ^ (mask[i % 4] ?? 0))]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
