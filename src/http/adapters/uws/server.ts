// The adapter for uWebSockets.js, preferred wherever its binary loads.

import type { HttpRequest, HttpResponse, us_listen_socket } from 'uWebSockets.js';
import { directClients } from '../../../kernel/client-address.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { requireFreeAddress } from '../../../kernel/free-address.ts';
import type { HttpServer, HttpServerOptions } from '../../adapter.ts';
import { malformed } from '../../malformed.ts';
import { createOutgoing } from '../outgoing.ts';
import { UwsExchange } from './exchange.ts';
import { loadUws, type Uws } from './load.ts';
import { webSocketBehavior } from './web-socket.ts';

/** Serves on uWebSockets.js. Rejects when the port cannot be bound. */
export async function uwsAdapter(options: HttpServerOptions, loaded?: Uws): Promise<HttpServer> {
  const uws = loaded ?? (await loadUws());
  const { clock = systemClock, clientAddress = directClients } = options;
  const outgoing = createOutgoing({ clock, limit: options.waitingBytes });
  const surroundings = { ...options, clock, clientAddress, outgoing };
  const app = uws.App();
  let inFlight = 0;
  const finished = () => {
    inFlight--;
  };
  const handle = (response: HttpResponse, request: HttpRequest) => {
    const exchange = new UwsExchange(response, request, surroundings, finished);
    inFlight++;
    // A throw out of a handler would end the process.
    const fail = () => {
      if (!exchange.answered) exchange.send(500, [['connection', 'close']], '');
      else exchange.cut();
    };
    try {
      if (!exchange.isWellFormed) {
        // Not at once: an answered request would let the parser go on with what it takes for the next one, while a
        // pending one makes it close the connection.
        const { status, headers, body } = malformed(400);
        setImmediate(() => exchange.send(status, headers, body));
        return;
      }
      Promise.resolve(options.handle(exchange)).catch(fail);
    } catch {
      fail();
    }
  };

  const { admission } = options;
  // Without the close, a connection that could not be accepted would be tried again at once, for ever.
  if (admission)
    app.filter((response, change) => {
      if (Number(change) < 0) admission.closed();
      else if (!admission.opened()) response.close();
      return undefined;
    });
  if (options.webSocket) app.ws(options.webSocket.path, webSocketBehavior(options.webSocket, surroundings));
  // uWebSockets.js drops what a slow client of socket.io has not taken above this; by default 64 KiB.
  const engine: object = { maxBackpressure: 4 * 1024 * 1024, idleTimeout: 120 };
  options.socketIo?.attachApp(app, engine);
  // Last, and as `any`: method routes would win over socket.io's.
  app.any('/*', handle);

  const listening = await listen(uws, app, options);
  const port = uws.us_socket_local_port(listening);
  let stopped = false;
  const stopListening = () => {
    if (!stopped) uws.us_listen_socket_close(listening);
    stopped = true;
  };
  return {
    name: 'uws',
    port,
    get waitingBytes() {
      return outgoing.held;
    },
    get inFlight() {
      return inFlight;
    },
    stopListening,
    close: async () => {
      stopped = true;
      outgoing.stop();
      // socket.io undoes its changes to the adapters for uWebSockets.js.
      await options.socketIo?.close();
      app.close();
      await new Promise<void>((resolve) => setImmediate(resolve));
    },
  };
}

function listen(uws: Uws, app: ReturnType<Uws['App']>, { host, port }: HttpServerOptions): Promise<us_listen_socket> {
  // Without this flag a second server would share the port in silence; it is missing from the package's types.
  const exclusive = (uws as unknown as Record<string, number>).LIBUS_LISTEN_EXCLUSIVE_PORT ?? 1;
  const listenOn = app.listen as unknown as (
    host: string,
    port: number,
    flags: number,
    done: (socket: us_listen_socket | false) => void,
  ) => void;
  return new Promise((resolve, reject) => {
    listenOn.call(app, host, port, exclusive, (socket) => {
      if (socket) return resolve(socket);
      whyNot(host, port).then(reject, reject);
    });
  });
}

/** uWebSockets.js does not say why it cannot listen; Node, asked for the same, does. */
function whyNot(host: string, port: number): Promise<Error> {
  const taken = Object.assign(new Error(`listen EADDRINUSE: ${host}:${port} cannot be bound`), {
    ...{ code: 'EADDRINUSE', syscall: 'listen', port },
  });
  return requireFreeAddress({ host, port }).then(
    () => taken,
    (error: Error) => error,
  );
}
