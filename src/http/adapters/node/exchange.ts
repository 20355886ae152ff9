// One request of node:http as an Exchange.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClientAddress } from '../../../kernel/client-address.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Exchange, HeaderList, ResponseSink } from '../../adapter.ts';
import { checkHeaders, isBodiless } from '../head.ts';
import { IncomingBody } from '../incoming-body.ts';
import { largeBytes, lingerMs } from '../limits.ts';
import type { Outgoing } from '../outgoing.ts';
import { LargeAnswer } from './large.ts';
import { headerOfRequest, peerOf } from './request.ts';
import { NodeSink } from './sink.ts';

/** The server's settings and shared state that each request needs. */
export interface Surroundings {
  clock: Clock;
  clientAddress: ClientAddress;
  outgoing: Outgoing;
}

export class NodeExchange implements Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly ip: string;
  readonly isForwarded: boolean;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #clock: Clock;
  readonly #outgoing: Outgoing;
  #body: IncomingBody | null = null;
  #abort: AbortController | null = null;
  #gone = false;
  #answered = false;

  constructor(request: IncomingMessage, response: ServerResponse, { clock, clientAddress, outgoing }: Surroundings) {
    this.#outgoing = outgoing;
    this.#request = request;
    this.#response = response;
    this.#clock = clock;
    const peer = peerOf(request);
    this.ip = clientAddress(peer, headerOfRequest(request, 'x-forwarded-for'));
    this.isForwarded = clientAddress.trusts(peer);
    this.method = request.method ?? 'GET';
    const url = request.url ?? '/';
    const mark = url.indexOf('?');
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.query = mark < 0 ? '' : url.slice(mark + 1);
  }

  get answered(): boolean {
    return this.#answered;
  }

  get signal(): AbortSignal {
    if (!this.#abort) {
      this.#abort = new AbortController();
      if (this.#gone) this.#abort.abort();
    }
    return this.#abort.signal;
  }

  /** The client went away before its answer was complete. */
  leave(): void {
    this.#gone = true;
    this.#body?.abort();
    this.#abort?.abort();
  }

  header(name: string): string | undefined {
    return headerOfRequest(this.#request, name);
  }

  body(limitBytes: number, deadlineMs: number): Promise<Buffer> {
    return this.#incoming().read(limitBytes, deadlineMs, this.#announced);
  }

  bodyStream(limitBytes: number, idleMs: number): AsyncIterable<Buffer> {
    return this.#incoming().stream(limitBytes, idleMs, this.#announced);
  }

  send(status: number, headers: HeaderList, body: string | Uint8Array): void {
    if (this.#answered || this.#gone) return;
    checkHeaders(headers);
    this.#answered = true;
    const flat = headers.flat();
    if (!isBodiless(status)) flat.push('content-length', String(Buffer.byteLength(body)));
    this.#linger();
    this.#response.writeHead(status, flat);
    if (isBodiless(status)) this.#response.end();
    else if (body.length <= largeBytes || this.method === 'HEAD') this.#response.end(body);
    else this.#outgoing.watch(new LargeAnswer(this.#response, Buffer.from(body as Uint8Array)));
  }

  begin(status: number, headers: HeaderList): ResponseSink {
    if (this.#answered) throw new Error('the request was answered already');
    checkHeaders(headers);
    this.#answered = true;
    if (!this.#gone) {
      this.#linger();
      this.#response.writeHead(status, headers.flat());
      this.#response.flushHeaders();
    }
    return new NodeSink(this.#response, this.method === 'HEAD', this.#outgoing);
  }

  get #announced(): number {
    return Number(this.#request.headers['content-length'] ?? 0);
  }

  #incoming(): IncomingBody {
    const request = this.#request;
    if (this.#body) return this.#body;
    const body = new IncomingBody({ pause: () => request.pause(), resume: () => request.resume() }, this.#clock);
    this.#body = body;
    if (this.#gone) body.abort();
    else if (request.complete && request.readableLength === 0 && request.readableEnded) body.end();
    request.on('data', (chunk: Buffer) => body.push(chunk));
    request.on('end', () => body.end());
    return body;
  }

  /** Drains an unread body for a while, so that the client can read its answer before the connection closes. */
  #linger(): void {
    const request = this.#request;
    if (request.complete) return;
    request.resume();
    const stop = this.#clock.after(lingerMs, () => request.socket.destroy());
    request.once('close', stop);
    request.once('end', stop);
  }
}
