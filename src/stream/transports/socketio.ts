// socket.io on the same port: the same commands and events, over polling or WebSocket.
import type { Server, Socket } from 'socket.io';
import { plainAddress } from '../../kernel/addresses.ts';
import { authorizationOf } from '../../kernel/authorization.ts';
import { type ClientAddress, directClients } from '../../kernel/client-address.ts';
import type { Clock } from '../../kernel/clock.ts';
import { type Fault, toFault } from '../../kernel/fault.ts';
import type { Connection, Link, ServerCall } from '../connections/connection.ts';
import { closeCodes } from '../connections/connections.ts';
import type { Place } from '../hub/outlet.ts';
import type { Batch } from '../log/batch.ts';
import { type CommandDeps, failure, type Reply, reply } from './commands.ts';
import { Conversation } from './conversation.ts';
import { admit, type StreamAuth } from './entrance.ts';
import type { Redeemed, Tickets } from './tickets.ts';

export interface SocketIoDeps extends CommandDeps {
  auth: StreamAuth;
  tickets: Tickets;
  clock: Clock;
  /** Client address of a connection; default: the peer's. */
  clientAddress?: ClientAddress;
}

/** Limit of bytes that may wait for a client; more are sent as it reads. */
const maxWaitingBytes = 65_536;
/** Limit of events per poll. python-engineio gives up at more than 16 packets, and replies are packets too. */
const eventsPerPoll = 12;
/** Interval in ms at which a blocked client is checked for room; socket.io has its own pings. */
const beatMs = 1000;

/** Options that `attachSocketIo` relies on; `origins` may poll from a browser. */
export const socketIoOptions = (origins: readonly string[]) => ({
  path: '/socket.io',
  serveClient: false,
  maxHttpBufferSize: 1024 * 1024,
  cors: { origin: origins.length > 0 ? [...origins] : false },
  perMessageDeflate: false,
});

/** Serves clients of a socket.io server. */
export function attachSocketIo(io: Server, deps: SocketIoDeps): void {
  io.use((socket, next) => {
    // Clients reconnect after a closed connection, but not after a refused one.
    if (deps.connections.draining) return socket.conn.close();
    void enter(deps, socket).then(
      (redeemed) => {
        socket.data = redeemed;
        next();
      },
      (error: unknown) => next(refusal(toFault(error))),
    );
  });
  io.on('connection', (socket) => {
    try {
      new SocketIoLink(deps, socket);
    } catch (error) {
      socket.emit('reply', failure(toFault(error), null));
      socket.disconnect(true);
    }
  });
}

async function enter({ auth, tickets, clientAddress }: SocketIoDeps, socket: Socket): Promise<Redeemed> {
  const { token, ticket } = socket.handshake.auth as { token?: unknown; ticket?: unknown };
  return admit(auth, tickets, {
    authorization: authorizationOf((name) => textOf(socket.handshake.headers[name])),
    token: typeof token === 'string' ? token : null,
    ticket: typeof ticket === 'string' ? ticket : null,
    ip: clientOf(socket, clientAddress),
  });
}

function clientOf({ handshake }: Socket, clientAddress: ClientAddress = directClients): string {
  return clientAddress(plainAddress(handshake.address), textOf(handshake.headers['x-forwarded-for']));
}

/** A header that came several times counts as a list. */
const textOf = (header: string | string[] | undefined) => (Array.isArray(header) ? header.join() : header);

/** Content of `connect_error`: the message, and code and hint in `data`. */
function refusal(fault: Fault): Error {
  return Object.assign(new Error(fault.message), { data: { errorCode: fault.code, hint: fault.hint } });
}

class SocketIoLink implements Link {
  readonly #deps: SocketIoDeps;
  readonly #socket: Socket;
  readonly #connection: Connection;
  /** Bytes passed to engine.io that have not left yet. */
  #inFlight = 0;
  /** Events for later polls; the field below counts those that the next poll may take. */
  readonly #waiting: string[] = [];
  #polled = 0;
  #blocked = false;
  #corked = false;

  constructor(deps: SocketIoDeps, socket: Socket) {
    this.#deps = deps;
    this.#socket = socket;
    const { caller, topics } = socket.data as Redeemed;
    const connection = deps.connections.open(this, {
      transport: 'SocketIo',
      caller,
      allowed: topics,
      ip: clientOf(socket, deps.clientAddress),
      userAgent: socket.handshake.headers['user-agent'] ?? null,
      heartbeatMs: beatMs,
    });
    this.#connection = connection;
    socket.data = null;
    const tooMany = () => deps.connections.end(connection, closeCodes.limited, 'too many commands a second');
    const conversation = new Conversation(deps, connection, tooMany);
    socket.on('command', (frame: unknown, ack?: unknown) => {
      const answer =
        typeof ack === 'function' ? (ack as (reply: Reply) => void) : (r: Reply) => socket.emit('reply', r);
      conversation.take(frame, answer);
    });
    socket.on('disconnect', (reason) => {
      deps.connections.close(connection);
      // Leaving the only namespace ends the connection. Python's client may send no close, and waits for its poll.
      if (reason === 'client namespace disconnect') socket.conn.close();
    });
    void this.#greet();
  }

  get writable(): boolean {
    return !this.#blocked;
  }

  get bufferedBytes(): number {
    return this.#inFlight + uwsBuffered(this.#socket);
  }

  send(_place: Place, { packets }: Batch): void {
    if (packets.length === 1 || this.#corked) this.#write(packets);
    else this.cork(() => this.#write(packets));
  }

  #write(packets: readonly string[]): void {
    const last = packets.length - 1;
    let bytes = 0;
    for (const packet of packets) bytes += packet.length;
    this.#inFlight += bytes;
    this.#connection.messagesOut += packets.length;
    this.#connection.bytesOut += bytes;
    if (this.#isPolling || this.#waiting.length > 0) {
      this.#waiting.push(...packets);
      this.#fill();
    } else
      for (const [at, packet] of packets.entries()) {
        this.#socket.conn.send(packet, undefined, at === last ? () => this.#left(bytes) : undefined);
      }
    if (this.bufferedBytes > maxWaitingBytes) this.#blocked = true;
  }

  get #isPolling(): boolean {
    return this.#socket.conn.transport.name === 'polling';
  }

  /** Passes on the events that the next poll may take; after an upgrade, all. */
  #fill(): void {
    const count = this.#isPolling ? eventsPerPoll - this.#polled : this.#waiting.length;
    if (count <= 0) return;
    for (const packet of this.#waiting.splice(0, count)) {
      this.#polled++;
      this.#socket.conn.send(packet, undefined, () => {
        this.#polled--;
        this.#fill();
        this.#left(packet.length);
      });
    }
  }

  /** Gathers writes of the socket below, since engine.io writes each packet by itself. */
  cork(run: () => void): void {
    const raw = rawSocket(this.#socket);
    const stream = raw?._socket;
    this.#corked = true;
    try {
      if (raw?.cork) raw.cork(run);
      else {
        stream?.cork();
        run();
      }
    } finally {
      this.#corked = false;
      stream?.uncork();
    }
  }

  beat(): void {
    this.#connection.seen();
    this.#fill();
    this.#look();
  }

  /** Closes only the transport: after a namespace disconnect the client would not reconnect by itself. */
  close(code: number, reason: string): void {
    const mayReturn = code !== closeCodes.auth && code !== closeCodes.forbidden;
    if (!this.#socket.connected) return;
    if (mayReturn) this.#socket.conn.close(true);
    else {
      this.#socket.emit('reply', reply('Error', null, { ok: false, error: reason, errorCode: nameOf(code) }));
      this.#socket.disconnect(true);
    }
  }

  fail(): void {
    this.#socket.conn.close(true);
  }

  call(command: ServerCall): void {
    this.#socket.emit('command', command);
  }

  dropped(topic: string, fault: Fault): void {
    this.#socket.emit('reply', failure(fault, null, { op: 'Unsubscribe', topics: [topic] }));
  }

  over({ topic }: Place): void {
    this.#connection.unfollow(topic);
    this.#socket.emit('reply', reply('Unsubscribe', null, { topics: [topic] }));
  }

  async #greet(): Promise<void> {
    this.#socket.emit('reply', reply('Hello', this.#connection.id, { topics: ['me'] }));
    try {
      await this.#deps.connections.follow(this.#connection, { topics: ['me'], lastEventId: null });
      this.#connection.viewer.start();
    } catch (error) {
      this.#socket.emit('reply', failure(toFault(error), null));
      this.#deps.connections.end(this.#connection, closeCodes.reset, 'could not subscribe');
    }
  }

  #left(bytes: number): void {
    this.#inFlight -= bytes;
    this.#look();
  }

  #look(): void {
    if (!this.#blocked || this.bufferedBytes > maxWaitingBytes) return;
    this.#blocked = false;
    this.#connection.viewer.resume();
  }
}

const nameOf = (code: number): string => (code === closeCodes.auth ? 'UNAUTHENTICATED' : 'FORBIDDEN');

/** Socket below engine.io: of uWebSockets.js or of `ws`; none while polling. */
interface RawSocket {
  getBufferedAmount?: () => number;
  cork?: (run: () => void) => void;
  _socket?: { cork(): void; uncork(): void } | null;
}

const rawSocket = (socket: Socket): RawSocket | undefined =>
  (socket.conn.transport as unknown as { socket?: RawSocket }).socket;

/** Buffered bytes on uWebSockets.js, where engine.io counts passed bytes as sent. */
function uwsBuffered(socket: Socket): number {
  try {
    return rawSocket(socket)?.getBufferedAmount?.() ?? 0;
  } catch {
    // uWebSockets.js throws once the socket has closed, which engine.io learns a moment later.
    return 0;
  }
}
