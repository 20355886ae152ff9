// What the pipeline and the stream transports need of an HTTP server; `uws` and `node` are its two adapters.

import type { Server as SocketIoServer } from 'socket.io';
import type { Resource } from '../auth/oauth/resources.ts';
import type { ClientAddress } from '../kernel/client-address.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Admission } from '../kernel/open-files.ts';

/** One HTTP request and its answer. Everything of the request head is copied, so it stays valid after awaits. */
export interface Exchange {
  readonly method: string;
  /** Path without the query, still percent-encoded. */
  readonly path: string;
  /** Raw query without the question mark. */
  readonly query: string;
  /** Header by lower-case name, until an event stream has begun. Repeated headers are joined with ", ". */
  header(name: string): string | undefined;
  /** Address of the client, also behind trusted proxies. */
  readonly ip: string;
  /** Whether the request came through a trusted proxy, whose `X-Forwarded-*` headers count. */
  readonly isForwarded: boolean;
  /** Resource that the client of a request which the server makes to itself asked; by the path unless given. */
  readonly resource?: Resource;
  /** Aborted when the client goes away before the answer is complete. */
  readonly signal: AbortSignal;

  /**
   * Reads the whole body.
   *
   * @throws Fault PAYLOAD_TOO_LARGE above `limitBytes`; BAD_REQUEST when it does not arrive within `deadlineMs`; CLIENT_CLOSED
   */
  body(limitBytes: number, deadlineMs: number): Promise<Buffer>;
  /** The body in chunks, with back-pressure; the same errors as `body`. */
  bodyStream(limitBytes: number, idleMs: number): AsyncIterable<Buffer>;

  /** Sends a complete answer in one corked write. Ignored when the client is gone or an answer was begun. */
  send(status: number, headers: HeaderList, body: string | Uint8Array): void;
  /** Begins an answer of unknown length. */
  begin(status: number, headers: HeaderList): ResponseSink;
  readonly answered: boolean;
}

/** Name and value pairs; values must not contain CR, LF or NUL (adapters throw on them). */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/**
 * An answer that is written in pieces. Where its media type is text/event-stream, each chunk must hold whole events:
 * an adapter may put a comment between chunks.
 */
export interface ResponseSink {
  /** Takes the chunk in any case. False when the client is slow: write on after `onDrain`. Never throws when the client is gone. */
  write(chunk: string | Uint8Array): boolean;
  /** Calls back each time that buffered bytes have left after a refused write. */
  onDrain(listener: () => void): void;
  /** Calls back once when the client has gone; not after `end`. */
  onClose(listener: () => void): void;
  end(): void;
  /** Cuts the connection, so that the client sees that the answer is not whole. */
  abort(): void;
  readonly open: boolean;
  /** Bytes that wait in this process for the client. */
  readonly bufferedBytes: number;
}

/** One WebSocket of the native protocol. */
export interface Socket {
  readonly ip: string;
  readonly query: string;
  /** Only while the route's `open` runs: adapters let go of the head afterwards. */
  header(name: string): string | undefined;
  /** Sends one text frame; bytes are UTF-8. False when the socket is slow or closed: wait for `onDrain`. */
  send(text: string | Uint8Array): boolean;
  /**
   * Sends several text frames in one write; otherwise like `send`. The same list may go to many sockets, and must not
   * change: what an adapter makes of it, it may keep for the others.
   */
  sendAll(texts: readonly Uint8Array[]): boolean;
  /** Groups several sends in one write. */
  cork(run: () => void): void;
  close(code: number, reason: string): void;
  readonly bufferedBytes: number;
  readonly open: boolean;
  onMessage(listener: (data: string | Buffer) => void): void;
  onDrain(listener: () => void): void;
  onPong(listener: () => void): void;
  onClose(listener: (code: number, reason: string) => void): void;
  ping(): void;
}

export interface WebSocketRoute {
  path: string;
  maxMessageBytes: number;
  /**
   * Runs before the upgrade is accepted: return a refusal to answer with plain HTTP instead. At once: what must be
   * waited for is decided on the open socket.
   */
  admit(request: Pick<Exchange, 'header' | 'query' | 'ip'>): Refusal | null;
  open(socket: Socket): void;
}

export interface Refusal {
  status: number;
  headers: HeaderList;
  body: string;
}

export interface HttpServerOptions {
  host: string;
  port: number;
  /** Every request that is not an upgrade and not socket.io's. Must not throw; adapters answer 500 if it does. */
  handle(exchange: Exchange): Promise<void> | void;
  webSocket?: WebSocketRoute;
  /** Shares the port, and is closed with the server. */
  socketIo?: SocketIoServer;
  /** Finds the client's address; the peer's unless given. */
  clientAddress?: ClientAddress;
  /** Bytes that may wait in this process for all clients together. */
  waitingBytes?: number | undefined;
  /** Tells which connections may stay; all may unless given. */
  admission?: Admission | undefined;
  /** The system's clock unless a test gives its own. */
  clock?: Clock;
}

export interface HttpServer {
  readonly name: 'uws' | 'node';
  /** The port in use; differs from the one asked for when that was 0. */
  readonly port: number;
  /** Stops accepting connections; open ones go on. */
  stopListening(): void;
  /** Bytes that wait for clients: of answers, streams and sockets. */
  readonly waitingBytes: number;
  /** Requests whose answers are not complete. */
  readonly inFlight: number;
  /** Closes every connection at once. */
  close(): Promise<void>;
}

export type HttpAdapter = (options: HttpServerOptions) => Promise<HttpServer>;
