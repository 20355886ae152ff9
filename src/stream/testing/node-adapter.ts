// A plain node:http and ws server for tests of the stream layer alone.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Exchange, HttpAdapter, ResponseSink, Socket } from '../../http/adapter.ts';

const split = (request: IncomingMessage) => {
  const [path = '/', query = ''] = (request.url ?? '/').split('?');
  return { path, query };
};

function sinkOf(response: ServerResponse): ResponseSink {
  return {
    write: (chunk) => !response.destroyed && response.write(chunk),
    onDrain: (listener) => void response.on('drain', listener),
    onClose: (listener) => void response.on('close', () => response.writableEnded || listener()),
    end: () => void response.end(),
    abort: () => void response.destroy(),
    get open() {
      return !response.destroyed && !response.writableEnded;
    },
    get bufferedBytes() {
      return response.writableLength;
    },
  };
}

function exchangeOf(request: IncomingMessage, response: ServerResponse): Exchange {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  return {
    ...split(request),
    method: request.method ?? 'GET',
    header: (name) => request.headers[name]?.toString(),
    ip: request.socket.remoteAddress ?? '',
    signal: gone.signal,
    body: async () => Buffer.alloc(0),
    bodyStream: async function* () {},
    send: (status, headers, body) => void response.writeHead(status, headers.flat()).end(body),
    begin: (status, headers) => {
      response.writeHead(status, headers.flat());
      return sinkOf(response);
    },
    get answered() {
      return response.headersSent;
    },
  };
}

function socketOf(socket: WebSocket, request: IncomingMessage): Socket {
  const drained: (() => void)[] = [];
  return {
    ip: request.socket.remoteAddress ?? '',
    query: split(request).query,
    header: (name) => request.headers[name]?.toString(),
    send(text) {
      socket.send(text, { binary: false }, () => {
        if (socket.bufferedAmount === 0) for (const run of drained) run();
      });
      return socket.bufferedAmount < 65_536;
    },
    cork: (run) => run(),
    close: (code, reason) => socket.close(code, reason),
    get bufferedBytes() {
      return socket.bufferedAmount;
    },
    get open() {
      return socket.readyState === socket.OPEN;
    },
    onMessage: (listener) =>
      void socket.on('message', (data, binary) => listener(binary ? (data as Buffer) : String(data))),
    onDrain: (listener) => void drained.push(listener),
    onPong: (listener) => void socket.on('pong', listener),
    onClose: (listener) => void socket.on('close', (code, reason) => listener(code, String(reason))),
    ping: () => socket.ping(),
  };
}

/** A server of Node's own parts, enough for streams. */
export const testNodeAdapter: HttpAdapter = async ({ host, port, handle, webSocket, socketIo }) => {
  const http = createServer((request, response) => void handle(exchangeOf(request, response)));
  const sockets = new WebSocketServer({ noServer: true });
  socketIo?.attach(http);
  http.on('upgrade', async (request, connection, head) => {
    const { path, query } = split(request);
    if (path !== webSocket?.path) return;
    const refusal = await webSocket.admit({
      query,
      ip: '',
      header: (name) => request.headers[name]?.toString(),
    });
    if (refusal) connection.end(`HTTP/1.1 ${refusal.status} Refused\r\nconnection: close\r\n\r\n`);
    else sockets.handleUpgrade(request, connection, head, (socket) => webSocket.open(socketOf(socket, request)));
  });
  await new Promise<void>((resolve) => http.listen(port, host, resolve));
  return {
    name: 'node',
    port: (http.address() as AddressInfo).port,
    stopListening: () => void http.close(),
    inFlight: 0,
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      http.closeAllConnections();
      http.close();
    },
  };
};
