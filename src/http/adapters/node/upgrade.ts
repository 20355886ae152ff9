// Upgrades to WebSocket on node:http: admission first, then the handshake of `ws`.
import type { IncomingMessage } from 'node:http';
import type { Socket as NetSocket } from 'node:net';
import { WebSocketServer } from 'ws';
import type { HttpServerOptions } from '../../adapter.ts';
import { decide } from '../admission.ts';
import type { Surroundings } from './exchange.ts';
import { refuseSocket } from './refuse.ts';
import { headerOfRequest, peerOf } from './request.ts';
import { NodeSocket } from './socket.ts';

/** Handles `upgrade` events; `plain` is called for requests that are no WebSocket of ours and get a normal answer. */
export function createUpgrader(options: HttpServerOptions & Surroundings) {
  const { clock, clientAddress, outgoing } = options;
  const route = options.webSocket;
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: route?.maxMessageBytes ?? 0,
  });
  server.on('wsClientError', (error, socket) =>
    refuseSocket(socket, { status: 400, headers: [['content-type', 'text/plain']], body: `${error.message}\n` }, clock),
  );
  return (request: IncomingMessage, socket: NetSocket, head: Buffer, plain: () => void) => {
    const path = request.url?.split('?')[0] ?? '/';
    if (options.socketIo && isUnder(path, options.socketIo.path())) return;
    if (!route || path !== route.path || request.headers.upgrade?.toLowerCase() !== 'websocket') return plain();
    socket.on('error', () => undefined);
    const ip = clientAddress(peerOf(request), headerOfRequest(request, 'x-forwarded-for'));
    const query = request.url?.split('?')[1] ?? '';
    const refusal = decide(route, { header: (name) => headerOfRequest(request, name), query, ip });
    if (refusal) return refuseSocket(socket, refusal, clock);
    server.handleUpgrade(request, socket, head, (webSocket) => {
      const opened = new NodeSocket(webSocket, request, ip, outgoing);
      opened.guarded(() => route.open(opened));
    });
  };
}

const isUnder = (path: string, base: string) => path === base || path.startsWith(`${base}/`);
