// Upgrades to WebSocket on node:http: admission first, then the handshake of `ws`.
import type { IncomingMessage } from 'node:http';
import type { Socket as NetSocket } from 'node:net';
import { WebSocketServer } from 'ws';
import type { Clock } from '../../../kernel/clock.ts';
import type { HttpServerOptions, Refusal, WebSocketRoute } from '../../adapter.ts';
import { plainAddress } from '../head.ts';
import { admitDeadlineMs } from '../limits.ts';
import { refuseSocket } from './refuse.ts';
import { NodeSocket } from './socket.ts';

const failed: Refusal = { status: 500, headers: [], body: '' };

/** Handles `upgrade` events; `plain` is called for requests that are no WebSocket of ours and get a normal answer. */
export function createUpgrader(options: HttpServerOptions, clock: Clock) {
  const route = options.webSocket;
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: route?.maxMessageBytes ?? 0,
  });
  server.on('wsClientError', (error, socket) =>
    refuseSocket(socket, { status: 400, headers: [['content-type', 'text/plain']], body: `${error.message}\n` }),
  );
  return (request: IncomingMessage, socket: NetSocket, head: Buffer, plain: () => void) => {
    const path = request.url?.split('?')[0] ?? '/';
    if (options.socketIo && isUnder(path, options.socketIo.path())) return;
    if (!route || path !== route.path || request.headers.upgrade?.toLowerCase() !== 'websocket') return plain();
    socket.on('error', () => undefined);
    void admit(route, request, clock).then((refusal) => {
      if (refusal) return refuseSocket(socket, refusal);
      server.handleUpgrade(request, socket, head, (webSocket) => {
        try {
          route.open(new NodeSocket(webSocket, request));
        } catch {
          webSocket.close(1011, 'internal error');
        }
      });
    });
  };
}

const isUnder = (path: string, base: string) => path === base || path.startsWith(`${base}/`);

async function admit(route: WebSocketRoute, request: IncomingMessage, clock: Clock): Promise<Refusal | null> {
  const ended = new AbortController();
  const header = (name: string) => {
    const value = request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };
  const asked = { header, query: request.url?.split('?')[1] ?? '', ip: plainAddress(request.socket.remoteAddress) };
  try {
    const late = clock.sleep(admitDeadlineMs, ended.signal).then(() => failed);
    late.catch(() => undefined);
    return await Promise.race([route.admit(asked), late]);
  } catch {
    return failed;
  } finally {
    ended.abort();
  }
}
