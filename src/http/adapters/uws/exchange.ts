// One request of uWebSockets.js as an Exchange.

import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { STATUS_CODES } from 'node:http';
import type { ClientAddress } from '../../../kernel/client-address.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Exchange, HeaderList, ResponseSink } from '../../adapter.ts';
import { checkHeaders, headerOf, isBodiless, isFramed } from '../head.ts';
import { IncomingBody } from '../incoming-body.ts';
import type { Outgoing, Waiting } from '../outgoing.ts';
import { closing } from './closing.ts';
import { peerOf, RequestHeaders } from './request.ts';
import { UwsSink } from './sink.ts';

/** uWebSockets.js writes these itself. */
const own = new Set(['content-length', 'connection', 'transfer-encoding', 'date']);

/** The server's settings and shared state that each request needs. */
export interface Surroundings {
  clock: Clock;
  clientAddress: ClientAddress;
  outgoing: Outgoing;
}

export class UwsExchange implements Exchange, Waiting {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly ip: string;
  readonly isForwarded: boolean;
  #headers: RequestHeaders;
  readonly #response: HttpResponse;
  readonly #body: IncomingBody | null = null;
  readonly #finished: () => void;
  readonly #outgoing: Outgoing;
  /** A large answer that is being sent, and its progress. */
  #large: { body: Buffer; sent: number } | null = null;
  #abort: AbortController | null = null;
  #sink: UwsSink | null = null;
  #open = true;
  #answered = false;

  /** Must be made synchronously in the route handler: it attaches all listeners and copies what the request holds. */
  constructor(
    response: HttpResponse,
    request: HttpRequest,
    { clock, clientAddress, outgoing }: Surroundings,
    finished: () => void,
  ) {
    this.#outgoing = outgoing;
    this.#response = response;
    this.#finished = finished;
    response.onAborted(() => this.#leave());
    this.method = request.getCaseSensitiveMethod();
    this.path = request.getUrl();
    this.query = request.getQuery() ?? '';
    this.#headers = new RequestHeaders(request);
    const peer = peerOf(response);
    this.ip = clientAddress(peer, this.#headers.get('x-forwarded-for'));
    this.isForwarded = clientAddress.trusts(peer);
    if (this.#announced > 0 || this.#headers.get('transfer-encoding') !== undefined) this.#body = this.#receive(clock);
  }

  /** Whether the head is valid and says without doubt where the body ends. */
  get isWellFormed(): boolean {
    return this.#headers.isLegal && isFramed(this.header('content-length'), this.header('transfer-encoding'));
  }

  get answered(): boolean {
    return this.#answered;
  }

  get signal(): AbortSignal {
    if (!this.#abort) {
      this.#abort = new AbortController();
      if (!this.#open && !this.#answered) this.#abort.abort();
    }
    return this.#abort.signal;
  }

  header(name: string): string | undefined {
    return this.#headers.get(name);
  }

  async body(limitBytes: number, deadlineMs: number): Promise<Buffer> {
    return this.#body ? this.#body.read(limitBytes, deadlineMs, this.#announced) : Buffer.alloc(0);
  }

  async *bodyStream(limitBytes: number, idleMs: number): AsyncGenerator<Buffer> {
    if (this.#body) yield* this.#body.stream(limitBytes, idleMs, this.#announced);
  }

  send(status: number, headers: HeaderList, body: string | Uint8Array): void {
    if (this.#answered || !this.#open) return;
    checkHeaders(headers);
    this.#answered = true;
    if (this.#mustClose(headers)) closing(() => this.#answer(status, headers, body, true));
    else this.#answer(status, headers, body, false);
  }

  #answer(status: number, headers: HeaderList, body: string | Uint8Array, close: boolean): void {
    if (!this.#open) return;
    const response = this.#response;
    response.cork(() => {
      this.#head(status, headers);
      if (isBodiless(status)) this.#endWithoutBody(close);
      else if (this.method === 'HEAD') response.endWithoutBody(Buffer.byteLength(body), close);
      else if (close || body.length === 0) response.end(body, close);
      else {
        this.#sendBody(body);
        return;
      }
      this.#finish();
    });
  }

  begin(status: number, headers: HeaderList): ResponseSink {
    if (this.#answered) throw new Error('the request was answered already');
    checkHeaders(headers);
    this.#answered = true;
    const live = headerOf(headers, 'content-type')?.startsWith('text/event-stream') ?? false;
    this.#sink = new UwsSink(this.#response, {
      live,
      open: this.#open,
      finished: () => this.#finish(),
      outgoing: this.#outgoing,
    });
    // An event stream may stay for days: its head would be a third of its memory.
    if (live) this.#headers = RequestHeaders.none;
    if (!this.#open) return this.#sink;
    this.#response.cork(() => {
      this.#head(status, headers);
      if (this.method === 'HEAD') {
        this.#endWithoutBody(true);
        this.#sink?.closed();
        this.#finish();
      } else this.#sink?.start();
    });
    return this.#sink;
  }

  /** Ends the connection of an answer that cannot be completed. */
  cut(): void {
    // Deferred: the cut may be asked for in the middle of another write.
    closing(() => {
      if (this.#open) this.#response.close();
    });
  }

  get bytesLeft(): number {
    return this.#large && this.#open ? this.#large.body.length - this.#large.sent : 0;
  }

  get bytesHeld(): number {
    return this.#large && this.#open ? this.#large.body.length : 0;
  }

  #head(status: number, headers: HeaderList): void {
    this.#response.writeStatus(statusLine(status));
    let name = '';
    let value = '';
    // All in one: a call into uWebSockets.js costs more than joining what is known to hold no line breaks.
    for (const header of headers) {
      if (own.has(header[0])) continue;
      if (name) value += `\r\n${header[0]}: ${header[1]}`;
      else [name, value] = header;
    }
    if (name) this.#response.writeHeader(name, value);
  }

  /** Asked to close, uWebSockets.js wants a length too, which these answers have not. */
  #endWithoutBody(close: boolean): void {
    if (close) this.#response.writeHeader('connection', 'close');
    this.#response.endWithoutBody();
  }

  #mustClose(headers: HeaderList): boolean {
    const unread = this.#body !== null && !this.#body.complete;
    // A paused socket would never see what follows its answer.
    if (unread) this.#response.resume();
    const asked = this.#headers.get('connection')?.toLowerCase() === 'close';
    return unread || asked || headerOf(headers, 'connection') === 'close';
  }

  /**
   * As much as the client takes, then the rest in its own pace: uWebSockets.js would copy what `end` is given, also for
   * a client that asks for the next answer before it reads this one. Such a client is closed, as it always is when an
   * answer is under way.
   */
  #sendBody(whole: string | Uint8Array): void {
    const response = this.#response;
    const start = response.getWriteOffset();
    const length = Buffer.byteLength(whole);
    const [, done] = response.tryEnd(whole, length);
    if (done) {
      this.#finish();
      return;
    }
    const body = Buffer.from(whole as Uint8Array);
    const large = { body, sent: response.getWriteOffset() - start };
    this.#large = large;
    response.onWritable((offset) => {
      large.sent = offset - start;
      const [ok, ended] = response.tryEnd(body.subarray(large.sent), body.length);
      if (ended) this.#finish();
      return ok;
    });
    // Not inside of the cork that this is called in.
    setImmediate(() => this.#outgoing.watch(this));
  }

  #receive(clock: Clock): IncomingBody {
    const response = this.#response;
    const whenOpen = (act: () => void) => {
      if (this.#open) act();
    };
    const body = new IncomingBody(
      { pause: () => whenOpen(() => response.pause()), resume: () => whenOpen(() => response.resume()) },
      clock,
    );
    response.onData((chunk, last) => {
      // The memory is reused as soon as this callback returns.
      if (chunk.byteLength) body.push(Buffer.copyBytesFrom(new Uint8Array(chunk)));
      if (last) body.end();
    });
    return body;
  }

  get #announced(): number {
    return Number(this.#headers.get('content-length') ?? 0);
  }

  #leave(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#body?.abort();
    this.#abort?.abort();
    this.#sink?.closed();
    this.#finished();
  }

  #finish(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#finished();
  }
}

const lines = new Map<number, string>();

function statusLine(status: number): string {
  let line = lines.get(status);
  if (!line) {
    line = `${status} ${STATUS_CODES[status] ?? (status === 499 ? 'Client Closed Request' : 'Error')}`;
    lines.set(status, line);
  }
  return line;
}
