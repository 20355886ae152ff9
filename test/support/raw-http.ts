// Raw sockets: what no HTTP client would send, and exactly what comes back.
import { connect, type Socket } from 'node:net';

export interface RawConversation {
  /** Everything received, as Latin-1 text so that no byte is lost. */
  text: string;
  /** True when the server ended or cut the connection; false when the time was up first. */
  closed: boolean;
}

export interface RawSocket {
  socket: Socket;
  write(data: string | Uint8Array): void;
  /** Resolves when the received text matches, or the connection ends, or after `ms`. */
  until(pattern: RegExp, ms?: number): Promise<RawConversation>;
  close(): void;
}

/** Opens a socket to a server on this machine. */
export async function openRaw(port: number): Promise<RawSocket> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  let closed = false;
  const watchers = new Set<() => void>();
  const tell = () => {
    for (const watcher of watchers) watcher();
  };
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1');
    tell();
  });
  // A reset is one of the ways in which a server may end the conversation.
  socket.on('error', () => undefined);
  socket.on('end', () => socket.end());
  socket.on('close', () => {
    closed = true;
    tell();
  });
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
  return {
    socket,
    write: (data) => {
      if (!socket.destroyed) socket.write(data);
    },
    until: (pattern, ms = 3000) =>
      new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer);
          watchers.delete(look);
          resolve({ text, closed });
        };
        const look = () => {
          if (closed || pattern.test(text)) done();
        };
        const timer = setTimeout(done, ms);
        watchers.add(look);
        look();
      }),
    close: () => socket.destroy(),
  };
}

/** Sends bytes on a socket of its own and gives what came back. */
export async function sendRaw(port: number, data: string | Uint8Array, ms = 3000): Promise<RawConversation> {
  const raw = await openRaw(port);
  raw.write(data);
  const conversation = await raw.until(/^HTTP\/1\.1 \d+[\s\S]*\r\n\r\n/, ms);
  raw.close();
  return conversation;
}

/** Status of the first answer in a conversation, or null. */
export function statusOf({ text }: RawConversation): number | null {
  const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
  return status === undefined ? null : Number(status);
}
