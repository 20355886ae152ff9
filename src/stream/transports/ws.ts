// The native WebSocket: events as text frames, commands by the protocol of `commands.ts`.

import type { Refusal, Socket, WebSocketRoute } from '../../http/adapter.ts';
import { authorizationOf } from '../../kernel/authorization.ts';
import type { Clock } from '../../kernel/clock.ts';
import { type Fault, toFault } from '../../kernel/fault.ts';
import { gravityOf } from '../../kernel/gravity.ts';
import type { Connection, Link, ServerCall } from '../connections/connection.ts';
import { closeCodes, codeOf } from '../connections/connections.ts';
import type { Place } from '../hub/outlet.ts';
import type { Batch } from '../log/batch.ts';
import { type CommandDeps, failure, type Reply, reply } from './commands.ts';
import { Conversation, readJson } from './conversation.ts';
import { admit, type StreamAuth } from './entrance.ts';
import { Receipts } from './receipts.ts';
import type { Tickets } from './tickets.ts';

export interface WebSocketDeps extends CommandDeps {
  auth: StreamAuth;
  tickets: Tickets;
  clock: Clock;
}

const maxMessageBytes = 1024 * 1024;
const heartbeatMs = 30_000;
/** A client that answers no ping for so long is gone. */
const silenceMs = 75_000;
/** Frames held while a client is being authenticated. */
const maxEarlyFrames = 64;
/** Longest close reason that fits a close frame. */
const maxReason = 100;

/** The route of `GET /api/ws`. */
export function createWebSocketRoute(deps: WebSocketDeps): WebSocketRoute {
  return {
    path: '/api/ws',
    maxMessageBytes,
    admit: () => (deps.connections.draining ? restarting : null),
    open: (socket) => new WebSocketLink(deps, socket),
  };
}

const restarting: Refusal = {
  status: 503,
  headers: [
    ['content-type', 'text/plain'],
    ['retry-after', '2'],
  ],
  body: 'The server is restarting.',
};

class WebSocketLink implements Link {
  readonly #deps: WebSocketDeps;
  readonly #socket: Socket;
  #connection: Connection | null = null;
  #conversation: Conversation | null = null;
  #early: string[] | null = [];
  readonly #receipts: Receipts;
  /** The socket holds more than it should; `onDrain` follows. */
  #full = false;

  constructor(deps: WebSocketDeps, socket: Socket) {
    this.#deps = deps;
    this.#socket = socket;
    this.#receipts = new Receipts(() => socket.ping());
    socket.onMessage((data) => this.#receive(String(data)));
    socket.onDrain(() => this.#drained());
    socket.onPong(() => this.#seen());
    socket.onClose(() => this.#gone());
    void this.#enter();
  }

  get writable(): boolean {
    return !this.#full && !this.#receipts.full;
  }

  get bufferedBytes(): number {
    return this.#socket.open ? this.#socket.bufferedBytes : 0;
  }

  send(_place: Place, { frames }: Batch): void {
    if (!this.#socket.sendAll(frames)) this.#full = true;
    let bytes = 0;
    for (const { length } of frames) bytes += length;
    this.#receipts.sent(bytes);
    if (!this.#connection) return;
    this.#connection.bytesOut += bytes;
    this.#connection.messagesOut += frames.length;
  }

  cork(run: () => void): void {
    if (this.#socket.open) this.#socket.cork(run);
  }

  beat(): void {
    if (!this.#socket.open) return;
    const silent = this.#deps.clock.steady() - (this.#connection?.heardAt ?? 0);
    if (silent > silenceMs) this.#socket.close(closeCodes.reset, 'no answer to pings');
    else this.#receipts.mark();
  }

  close(code: number, reason: string): void {
    if (this.#socket.open) this.#socket.close(code, reason.slice(0, maxReason));
  }

  fail(error: unknown): void {
    const fault = toFault(error);
    this.close(closeCodes.reset, fault.message);
  }

  call(command: ServerCall): void {
    if (!this.#socket.open) return;
    if (!this.#socket.send(JSON.stringify(command))) this.#full = true;
  }

  dropped(topic: string, fault: Fault): void {
    this.#answer(failure(fault, null, { op: 'Unsubscribe', topics: [topic] }));
  }

  over({ topic }: Place): void {
    this.#connection?.unfollow(topic);
    this.#answer(reply('Unsubscribe', null, { topics: [topic] }));
  }

  async #enter(): Promise<void> {
    const { connections, auth, tickets } = this.#deps;
    const query = new URLSearchParams(this.#socket.query);
    try {
      // All of the head that is needed: the adapter lets go of it when this first waits.
      const authorization = authorizationOf((name) => this.#socket.header(name));
      const userAgent = this.#socket.header('user-agent') ?? null;
      const { caller, topics } = await admit(auth, tickets, {
        authorization,
        ticket: query.get('ticket'),
        ip: this.#socket.ip,
      });
      if (!this.#socket.open) return;
      const connection = connections.open(this, {
        transport: 'WebSocket',
        caller,
        allowed: topics,
        ip: this.#socket.ip,
        userAgent,
        heartbeatMs,
      });
      this.#connection = connection;
      await this.#greet(connection, query);
    } catch (error) {
      this.#refuse(toFault(error));
    }
  }

  /** Hello, then the caller's own topic and those of the URL, then what the client sent meanwhile. */
  async #greet(connection: Connection, query: URLSearchParams): Promise<void> {
    const asked = (query.get('topics') ?? '').split(',').filter(Boolean);
    const lastEventId = query.get('lastEventId') || null;
    this.#answer(reply('Hello', connection.id, { topics: ['me'] }));
    const tooMany = () => this.#deps.connections.end(connection, closeCodes.limited, 'too many commands a second');
    this.#conversation = new Conversation(this.#deps, connection, tooMany);
    // The URL's cursor may hold one of the caller's own topic too.
    const mine = lastEventId?.includes('=') ? lastEventId : null;
    await this.#deps.connections.follow(connection, { topics: ['me'], lastEventId: mine });
    const data = Object.fromEntries(['follow', 'lean'].map((name) => [name, query.get(name) === 'true']));
    if (asked.length > 0) this.#take({ op: 'Subscribe', topics: asked, lastEventId, data });
    const early = this.#early ?? [];
    this.#early = null;
    for (const text of early) this.#take(readJson(text));
    connection.viewer.start();
  }

  #receive(text: string): void {
    if (!this.#early) this.#take(readJson(text));
    else if (this.#early.length < maxEarlyFrames) this.#early.push(text);
    else this.close(closeCodes.limited, 'wait for Hello');
  }

  #take(frame: unknown): void {
    if (this.#connection?.closed === false) {
      this.#conversation?.take(frame, (answer) => this.#answer(answer));
    }
  }

  #answer(answer: Reply): void {
    if (!this.#socket.open) return;
    if (!this.#socket.send(JSON.stringify(answer))) this.#full = true;
  }

  #refuse(fault: Fault): void {
    const gravity = gravityOf(fault);
    if (gravity) this.#deps.log[gravity]({ err: fault }, 'a WebSocket could not be opened');
    this.#answer(failure(fault, null));
    if (this.#connection) this.#deps.connections.close(this.#connection);
    this.close(codeOf(fault), fault.message);
  }

  #drained(): void {
    this.#full = false;
    if (this.writable) this.#connection?.viewer.resume();
  }

  #seen(): void {
    const waited = this.#receipts.full;
    this.#receipts.read();
    if (!this.#connection) return;
    this.#connection.seen();
    if (waited && this.writable) this.#connection.viewer.resume();
  }

  #gone(): void {
    if (this.#connection) this.#deps.connections.close(this.#connection);
  }
}
