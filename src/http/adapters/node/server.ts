// The adapter for node:http and `ws`, for platforms without uWebSockets.js.
import { createServer, type IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket as NetSocket } from 'node:net';
import type { Duplex } from 'node:stream';
import { directClients } from '../../../kernel/client-address.ts';
import { systemClock } from '../../../kernel/clock.ts';
import type { HttpServer, HttpServerOptions } from '../../adapter.ts';
import { malformed } from '../../malformed.ts';
import { headDeadlineMs, maxHeadBytes } from '../limits.ts';
import { createOutgoing } from '../outgoing.ts';
import { NodeExchange, type Surroundings } from './exchange.ts';
import { endSocket, refuseSocket } from './refuse.ts';
import { createUpgrader } from './upgrade.ts';

/** Serves on node:http. Rejects when the port cannot be bound. */
export async function nodeAdapter(options: HttpServerOptions): Promise<HttpServer> {
  const { clock = systemClock, clientAddress = directClients } = options;
  const state = { inFlight: 0 };
  const outgoing = createOutgoing({ clock, limit: options.waitingBytes });
  const surroundings = { ...options, clock, clientAddress, outgoing };
  const sockets = new Set<NetSocket>();
  const server = createServer({
    maxHeaderSize: maxHeadBytes,
    headersTimeout: headDeadlineMs,
    requestTimeout: 0,
    keepAliveTimeout: 65_000,
    connectionsCheckingInterval: 1000,
    joinDuplicateHeaders: true,
  });
  const onRequest = (request: IncomingMessage, response: ServerResponse) =>
    answer(request, response, surroundings, state);
  server.on('request', onRequest);
  server.on('connection', (socket: NetSocket) => {
    const { admission } = options;
    if (admission) socket.once('close', admission.closed);
    if (admission?.opened() === false) return void socket.destroy();
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    refuseSocket(socket, malformed(status), clock);
  });
  // engine.io takes over its own requests and hands the others to the listener that was there before it.
  options.socketIo?.attach(server, { destroyUpgrade: false });
  const upgrade = createUpgrader(surroundings);
  server.on('upgrade', (request, socket: NetSocket, head) => {
    upgrade(request, socket, head, () => {
      const response = new ServerResponse(request);
      response.shouldKeepAlive = false;
      response.assignSocket(socket);
      response.on('finish', () => endSocket(socket, clock));
      onRequest(request, response);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => resolve());
  });
  return {
    name: 'node',
    port: (server.address() as AddressInfo).port,
    get waitingBytes() {
      return outgoing.held;
    },
    get inFlight() {
      return state.inFlight;
    },
    // http.Server.close also cuts idle connections; their next request should be answered with SHUTTING_DOWN.
    stopListening: () => void NetServer.prototype.close.call(server),
    close: async () => {
      // The server closes when every connection has, also those that never sent a request.
      outgoing.stop();
      const socketIo = options.socketIo?.close();
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (server.listening) NetServer.prototype.close.call(server);
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      await socketIo;
      await new Promise<void>((resolve) => setImmediate(resolve));
    },
  };
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: HttpServerOptions & Surroundings,
  state: { inFlight: number },
): void {
  const exchange = new NodeExchange(request, response, options);
  state.inFlight++;
  response.once('close', () => {
    state.inFlight--;
    if (!response.writableFinished) exchange.leave();
  });
  // An aborted upload is reported through `close`; without a listener for `error` the process would end.
  request.on('error', () => undefined);
  const fail = () => {
    if (exchange.answered) response.destroy();
    else exchange.send(500, [['connection', 'close']], '');
  };
  try {
    Promise.resolve(options.handle(exchange)).catch(fail);
  } catch {
    fail();
  }
}
