// Requests that the server makes to itself: they pass the whole pipeline, without a socket.
import type { Resource } from '../auth/oauth/resources.ts';
import type { Exchange, HeaderList, ResponseSink } from './adapter.ts';

/** What the pipeline takes; it never rejects. */
export type Handle = (exchange: Exchange) => Promise<void>;

export interface InnerRequest {
  method: string;
  /** Percent-encoded, without the query. */
  path: string;
  query?: string;
  headers: Readonly<Record<string, string | undefined>>;
  body?: string;
  ip: string;
  /** The resource that the client asked, where the path does not say it. */
  resource?: Resource;
  /** Aborting it stands for a client that leaves. */
  signal: AbortSignal;
  /** Takes an answer that is streamed, piece by piece. */
  onChunk?: (text: string) => void;
}

export interface InnerAnswer {
  status: number;
  /** Empty where it was streamed. */
  text: string;
}

/** Carries out a request as if its client had sent it; resolves when its answer is complete. */
export async function callInside(handle: Handle, request: InnerRequest): Promise<InnerAnswer> {
  const exchange = new InnerExchange(request);
  await handle(exchange);
  await exchange.ended;
  return exchange.answer;
}

class InnerExchange implements Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly ip: string;
  readonly isForwarded = false;
  readonly resource?: Resource;
  readonly signal: AbortSignal;
  readonly answer: InnerAnswer = { status: 0, text: '' };
  readonly #request: InnerRequest;
  readonly #sink: InnerSink;
  answered = false;

  constructor(request: InnerRequest) {
    this.method = request.method;
    this.path = request.path;
    this.query = request.query ?? '';
    this.ip = request.ip;
    if (request.resource) this.resource = request.resource;
    this.signal = request.signal;
    this.#request = request;
    this.#sink = new InnerSink(request);
  }

  /** Settles when a streamed answer has ended; at once for others. */
  get ended(): Promise<void> {
    return this.#sink.begun ? this.#sink.ended : Promise.resolve();
  }

  header(name: string): string | undefined {
    return this.#request.headers[name];
  }

  async body(): Promise<Buffer> {
    return Buffer.from(this.#request.body ?? '');
  }

  async *bodyStream(): AsyncIterable<Buffer> {
    yield await this.body();
  }

  send(status: number, _headers: HeaderList, body: string | Uint8Array): void {
    if (this.answered) return;
    this.answered = true;
    this.answer.status = status;
    this.answer.text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
  }

  begin(status: number): ResponseSink {
    this.answered = true;
    this.answer.status = status;
    this.#sink.begun = true;
    return this.#sink;
  }
}

class InnerSink implements ResponseSink {
  begun = false;
  open = true;
  readonly bufferedBytes = 0;
  readonly ended: Promise<void>;
  readonly #take: (text: string) => void;
  readonly #decoder = new TextDecoder();
  #settle: () => void = () => {};
  #closed: (() => void)[] = [];

  constructor({ signal, onChunk = () => {} }: InnerRequest) {
    this.#take = onChunk;
    this.ended = new Promise((resolve) => {
      this.#settle = resolve;
    });
    const leave = () => this.#leave();
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  }

  write(chunk: string | Uint8Array): boolean {
    if (this.open) this.#take(typeof chunk === 'string' ? chunk : this.#decoder.decode(chunk, { stream: true }));
    return this.open;
  }

  onDrain(): void {}

  onClose(listener: () => void): void {
    this.#closed.push(listener);
  }

  end(): void {
    this.open = false;
    this.#settle();
  }

  abort(): void {
    this.end();
  }

  #leave(): void {
    if (!this.open) return;
    this.end();
    for (const listener of this.#closed) listener();
  }
}
