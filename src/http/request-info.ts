// What handlers may know of their request, made only as far as it is asked for.
import { randomUUID } from 'node:crypto';
import type { RequestInfo } from '../contract/operation.ts';
import type { Exchange } from './adapter.ts';
import type { AnswerContext } from './answer.ts';

const saneId = /^[\w.:-]{8,100}$/;

/** The client's own id if it is a sane one, else a new one. */
export function newRequestId(given: string | undefined): string {
  return given !== undefined && saneId.test(given) ? given : randomUUID();
}

/** Tells a handler that its time is over; the signal is made on first access. */
export class Deadline {
  #abort: AbortController | null = null;
  #passed = false;

  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#passed) this.#abort.abort();
    return this.#abort.signal;
  }

  pass(): void {
    this.#passed = true;
    this.#abort?.abort();
  }
}

/** True when the client asks for server-sent events. */
export const wantsStream = (exchange: Exchange): boolean =>
  exchange.header('accept')?.includes('text/event-stream') ?? false;

/** Reads headers of a request; those that only a trusted proxy sets are of none but that, since clients can forge them. */
export const trustedHeader =
  (exchange: Exchange) =>
  (name: string): string | undefined => {
    const lower = name.toLowerCase();
    return lower.startsWith('x-forwarded-') && !exchange.isForwarded ? undefined : exchange.header(lower);
  };

/** What a request brings besides its head: the cursor of a stream's query, and the body of an operation that takes bytes. */
interface Sent {
  cursor?: string | undefined;
  bytes?: Buffer | undefined;
}

const noBytes = Buffer.alloc(0);

/** One request as handlers see it. A class, since an object of getters and closures costs five times as much to make. */
class ExchangeInfo implements RequestInfo {
  readonly id: string;
  readonly lastEventId: string | null;
  readonly #exchange: Exchange;
  readonly bytes: Buffer;
  readonly #context: AnswerContext;
  readonly #deadline: Deadline;
  #signal: AbortSignal | null = null;

  constructor(exchange: Exchange, context: AnswerContext, deadline: Deadline, { cursor, bytes = noBytes }: Sent) {
    this.bytes = bytes;
    this.id = context.requestId;
    this.#context = context;
    this.lastEventId = exchange.header('last-event-id') ?? cursor ?? null;
    this.#exchange = exchange;
    this.#deadline = deadline;
  }

  get signal(): AbortSignal {
    // Combining signals costs more than most handlers, and few handlers use the signal.
    this.#signal ??= AbortSignal.any([this.#exchange.signal, this.#deadline.signal]);
    return this.#signal;
  }

  get wantsStream(): boolean {
    return wantsStream(this.#exchange);
  }

  get ip(): string {
    return this.#exchange.ip;
  }

  get userAgent(): string | null {
    return this.#exchange.header('user-agent') ?? null;
  }

  header(name: string): string | undefined {
    return trustedHeader(this.#exchange)(name);
  }

  answerWith(name: string, value: string): void {
    this.#context.headers = [...this.#context.headers, [name, value]];
  }
}

export function requestInfo(
  exchange: Exchange,
  context: AnswerContext,
  deadline: Deadline,
  sent: Sent = {},
): RequestInfo {
  return new ExchangeInfo(exchange, context, deadline, sent);
}
