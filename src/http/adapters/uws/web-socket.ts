// The native WebSocket route on uWebSockets.js: admission first, then the upgrade.
import type { HttpRequest, HttpResponse, us_socket_context_t, WebSocketBehavior } from 'uWebSockets.js';
import { STATUS_CODES } from 'node:http';
import type { Refusal, WebSocketRoute } from '../../adapter.ts';
import { decide } from '../admission.ts';
import { maxBufferedBytes, socketIdleSeconds } from '../limits.ts';
import type { Surroundings } from './exchange.ts';
import { peerOf, RequestHeaders } from './request.ts';
import { type Admitted, UwsSocket } from './socket.ts';

/** Behaviour for `app.ws`. Throws in listeners close the socket instead of the process. */
export function webSocketBehavior(route: WebSocketRoute, surroundings: Surroundings): WebSocketBehavior<Admitted> {
  const guard = (socket: UwsSocket | null, act: (socket: UwsSocket) => void) => {
    if (!socket) return;
    try {
      act(socket);
    } catch {
      setImmediate(() => socket.close(1011, 'internal error'));
    }
  };
  return {
    maxPayloadLength: route.maxMessageBytes,
    maxBackpressure: maxBufferedBytes,
    idleTimeout: socketIdleSeconds,
    sendPingsAutomatically: false,
    upgrade: (response, request, context) => upgrade(route, surroundings, response, request, context),
    open: (raw) => {
      const socket = new UwsSocket(raw, surroundings.outgoing);
      raw.getUserData().socket = socket;
      guard(socket, () => route.open(socket));
      // The headers are released: they would be a third of the memory of an idle socket.
      raw.getUserData().headers = RequestHeaders.none;
    },
    message: (raw, message, isBinary) => guard(raw.getUserData().socket, (s) => s.received(message, isBinary)),
    drain: (raw) => guard(raw.getUserData().socket, (s) => s.drained()),
    pong: (raw) => guard(raw.getUserData().socket, (s) => s.ponged()),
    close: (raw, code, reason) => {
      const text = Buffer.from(reason).toString();
      guard(raw.getUserData().socket, (s) => s.closed(code, text));
    },
  };
}

function upgrade(
  route: WebSocketRoute,
  { clientAddress }: Surroundings,
  response: HttpResponse,
  request: HttpRequest,
  context: us_socket_context_t,
): void {
  const headers = new RequestHeaders(request);
  const ip = clientAddress(peerOf(response), headers.get('x-forwarded-for'));
  const query = request.getQuery() ?? '';
  const asked = { ip, query, header: (name: string) => headers.get(name) };
  const refusal = decide(route, asked);
  if (refusal) {
    refuse(response, refusal);
    return;
  }
  const extensions = headers.get('sec-websocket-extensions') ?? '';
  const admitted: Admitted = { ip, query, headers, socket: null };
  // At once: until July 2026 uWebSockets.js could end a socket that was upgraded later, in a cork (its issue 1929).
  response.upgrade(admitted, headers.get('sec-websocket-key') ?? '', '', extensions, context);
}

function refuse(response: HttpResponse, { status, headers, body }: Refusal): void {
  response.writeStatus(`${status} ${STATUS_CODES[status] ?? 'Error'}`);
  for (const [name, value] of headers) response.writeHeader(name, value);
  response.end(body, true);
}
