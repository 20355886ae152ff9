// Server-sent events: one stream over one or several topics, or over frames that an operation makes itself.
import type { Caller } from '../../contract/caller.ts';
import type { DurableReply, StreamFrame, StreamReply } from '../../contract/replies.ts';
import type { Exchange, HeaderList, ResponseSink } from '../../http/adapter.ts';
import type { Clock } from '../../kernel/clock.ts';
import { beatMs, ping } from '../../kernel/event-stream.ts';
import { toFault } from '../../kernel/fault.ts';
import { gravityOf } from '../../kernel/gravity.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Connection, Link } from '../connections/connection.ts';
import type { Connections } from '../connections/connections.ts';
import type { Place } from '../hub/outlet.ts';
import { type Batch, sseFrame } from '../log/batch.ts';
import { formatComposite } from '../log/cursor.ts';
import { batchCharacters } from '../log/window.ts';

export interface SseDeps {
  connections: Connections;
  clock: Clock;
  log: Logger;
}

export interface SseRequest {
  caller: Caller;
  reply: Exclude<StreamReply, DurableReply>;
  /** Topics that the caller's ticket allows; null for all. */
  allowed?: readonly string[] | null;
  /** Further response headers, e.g. the request's id. */
  headers?: HeaderList;
}

export type RespondWithEvents = (exchange: Exchange, request: SseRequest) => Promise<void>;

const streamHeaders: HeaderList = [
  ['content-type', 'text/event-stream; charset=utf-8'],
  ['cache-control', 'no-cache, no-store, no-transform'],
  ['x-accel-buffering', 'no'],
];

/**
 * Line with the reconnect delay, about 2000 ms, spread so that clients do not all return at once. It is part of the
 * next
 * event's block: clients that dispatch on every blank line, Python's above all, would take a block of its own for an
 * empty event.
 */
const retry = () => `retry: ${Math.round(1500 + Math.random() * 1000)}\n`;

/**
 * Answers a request with an event stream, which continues after this resolves.
 * All refusals happen before the response begins.
 *
 * @throws Fault FORBIDDEN, NOT_FOUND, INVALID_CURSOR, CONCURRENCY_LIMITED, SHUTTING_DOWN
 */
export function createSse(deps: SseDeps): RespondWithEvents {
  return async (exchange, request) => {
    const link = new SseLink(deps, exchange, request);
    if (request.reply.kind === 'topics') await link.follow(request.reply);
    else link.relay(request.reply);
  };
}

/** State of a request until its response has begun. */
interface Opening {
  exchange: Exchange;
  headers: HeaderList;
}

class SseLink implements Link {
  readonly #deps: SseDeps;
  #opening: Opening | null;
  readonly #connection: Connection;
  #sink: ResponseSink | null = null;
  #full = false;
  #corked = false;
  #several = false;
  #retries = true;
  #chunks: (Buffer | string)[] = [];
  #gathered = 0;
  #wake: (() => void) | null = null;

  constructor(deps: SseDeps, exchange: Exchange, request: SseRequest) {
    this.#deps = deps;
    const own = request.reply.kind === 'frames' ? Object.entries(request.reply.headers ?? {}) : [];
    this.#opening = { exchange, headers: [...streamHeaders, ...own, ...(request.headers ?? [])] };
    const { heartbeatSeconds } = request.reply;
    this.#connection = deps.connections.open(this, {
      transport: 'Sse',
      caller: request.caller,
      allowed: request.allowed ?? null,
      ip: exchange.ip,
      userAgent: exchange.header('user-agent') ?? null,
      heartbeatMs: heartbeatSeconds ? heartbeatSeconds * 1000 : beatMs,
    });
  }

  get writable(): boolean {
    return !this.#full;
  }

  get bufferedBytes(): number {
    return this.#sink?.open ? this.#sink.bufferedBytes : 0;
  }

  async follow(reply: Extract<StreamReply, { kind: 'topics' }>): Promise<void> {
    const { connections } = this.#deps;
    const types = reply.types ? new Set(reply.types) : null;
    const filter = types || !reply.includeDeltas ? { types, includeDeltas: reply.includeDeltas } : null;
    const { topics, lastEventId, replaySeconds, follow = false, lean = false } = reply;
    try {
      await connections.follow(this.#connection, { topics, lastEventId, filter, replaySeconds, follow, lean });
    } catch (error) {
      connections.close(this.#connection);
      throw error;
    }
    if (this.#isOver) {
      // 204 keeps a browser from reconnecting after the end of a stream.
      this.#opening?.exchange.send(204, this.#opening.headers.slice(streamHeaders.length), '');
      connections.close(this.#connection);
      return;
    }
    this.#several = this.#connection.viewer.subscriptions.length > 1;
    // A client that is cut before the first event resumes from this id.
    this.#begin([['last-event-id', this.#cursor()]]);
    this.#connection.viewer.start();
  }

  /** Sends frames at the client's pace. The source of frames ends when the client goes. */
  relay({ frames, retries = true }: Extract<StreamReply, { kind: 'frames' }>): void {
    this.#retries = retries;
    this.#begin([]);
    void this.#relayAll(frames);
  }

  send(place: Place, batch: Batch): void {
    this.#connection.messagesOut += batch.entries.length;
    if (!this.#several) {
      if (this.#corked) this.#push(batch.sse);
      else this.#write(batch.sse);
      return;
    }
    const others = this.#connection.viewer.subscriptions.filter((other) => other !== place);
    const rest = others.length > 0 ? `,${formatComposite(others.map((other) => [other.topic, other.cursor]))}` : '';
    for (const entry of batch.entries) {
      this.#push(sseFrame(`${batch.topic}=${batch.epoch}.${entry.seq}${rest}`, entry));
    }
    if (!this.#corked) this.#flush();
  }

  cork(run: () => void): void {
    this.#corked = true;
    try {
      run();
    } finally {
      this.#corked = false;
      this.#flush();
    }
  }

  beat(): void {
    if (!this.#sink?.open || this.#full) return;
    this.#connection.seen();
    this.#write(ping);
  }

  close(): void {
    if (!this.#sink?.open) return;
    if (this.#retries && this.#deps.connections.draining) this.#sink.write(retry());
    this.#sink.end();
    this.#wake?.();
  }

  over(): void {
    // Other topics of the connection may continue.
    if (this.#isOver) this.#deps.connections.end(this.#connection, 0, '');
  }

  get #isOver(): boolean {
    const { subscriptions } = this.#connection.viewer;
    return subscriptions.length > 0 && subscriptions.every(({ isOver }) => isOver);
  }

  fail(): void {
    this.#deps.connections.end(this.#connection, 0, '');
  }

  dropped(): void {
    // The client reconnects and reads the reason in the response.
    this.fail();
  }

  #begin(headers: HeaderList): void {
    const { connections } = this.#deps;
    if (!this.#opening) return;
    const sink = this.#opening.exchange.begin(200, [...this.#opening.headers, ...headers]);
    this.#opening = null;
    this.#sink = sink;
    if (!sink.open) {
      connections.close(this.#connection);
      return;
    }
    sink.onDrain(() => {
      this.#full = false;
      this.#wake?.();
      this.#connection.viewer.resume();
    });
    sink.onClose(() => {
      connections.close(this.#connection);
      this.#wake?.();
    });
    if (this.#retries) this.#write(retry());
  }

  #cursor(): string {
    const { subscriptions } = this.#connection.viewer;
    if (!this.#several) return subscriptions[0]?.cursor ?? '';
    return formatComposite(subscriptions.map((subscription) => [subscription.topic, subscription.cursor]));
  }

  /** Counts corked bytes too: a client that reads nothing must be noticed before more is gathered. */
  #push(chunk: Buffer | string): void {
    this.#chunks.push(chunk);
    this.#gathered += chunk.length;
    if (this.#gathered >= batchCharacters) this.#flush();
  }

  #flush(): void {
    this.#gathered = 0;
    const chunks = this.#chunks;
    if (chunks.length === 0) return;
    this.#chunks = [];
    const [only] = chunks;
    if (chunks.length === 1 && only !== undefined) this.#write(only);
    else if (this.#several) this.#write(chunks.join(''));
    else this.#write(Buffer.concat(chunks as Buffer[]));
  }

  #write(chunk: Buffer | string): void {
    if (!this.#sink?.open) return;
    this.#connection.bytesOut += chunk.length;
    if (!this.#sink.write(chunk)) this.#full = true;
  }

  async #relayAll(frames: AsyncIterable<StreamFrame>): Promise<void> {
    try {
      for await (const frame of frames) {
        if (!this.#sink?.open) break;
        this.#connection.messagesOut++;
        this.#write(frameText(frame));
        while (this.#full && this.#sink.open) {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
    } catch (error) {
      const fault = toFault(error);
      const isOver = !this.#sink?.open && isAbort(error);
      const gravity = gravityOf(fault);
      if (gravity && !isOver) this.#deps.log[gravity]({ err: error }, 'a stream failed');
    }
    this.#deps.connections.end(this.#connection, 0, '');
  }
}

/** Whether an error is the abort of frames whose client has left. */
const isAbort = (error: unknown) => error instanceof Error && error.name === 'AbortError';

function frameText({ id, event, data }: StreamFrame): string {
  const lines = /[\r\n]/.test(data) ? data.split(/\r\n|\r|\n/).join('\ndata: ') : data;
  return `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}data: ${lines}\n\n`;
}
