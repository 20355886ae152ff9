// Requests through node:http and node:https: with `fetch`, its streams cost more than all else that is done with an
// answer.
import * as http from 'node:http';
import * as https from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { Fault } from './fault.ts';
import { createThrough, outboundProxy, refusal } from './outbound-proxy.ts';

export interface Sending {
  method: string;
  headers: Record<string, string>;
  body: string | Buffer | null;
  signal: AbortSignal | null;
  /** What the client shows in a TLS handshake; connections are shared only among requests that show the same. */
  tls?: ClientTls | undefined;
}

/** A client's certificate, PEM. */
export type ClientTls = Pick<https.RequestOptions, 'cert' | 'key' | 'ca' | 'passphrase'>;

/** An answer whose head is there; to be read, or destroyed, by whoever gets it. */
export type Answer = Readable & Pick<http.IncomingMessage, 'statusCode' | 'statusMessage' | 'rawHeaders'>;

export type Send = (url: URL, sending: Sending) => Promise<Answer>;

/** Statuses whose responses may have no body. */
const bodiless = new Set([204, 205, 304]);

/** Servers close idle connections after five seconds at the earliest; a request that meets that would be lost. */
const idleMs = 4000;

/**
 * Makes a `send` that keeps its connections. It resolves with the head of an answer, whatever its status, and follows
 * no redirect; it rejects as `fetch` does, with the signal's reason or a TypeError whose cause is what happened, and
 * with what a look-up of its own, or a proxy, fails with where that is a Fault.
 */
export function createSend(lookup?: LookupFunction): Send {
  const keeping = { keepAlive: true, timeout: idleMs };
  const direct = { ...keeping, ...(lookup && { lookup }) };
  const agents = { 'http:': new http.Agent(direct), 'https:': new https.Agent(direct) };
  const through = createThrough(keeping);
  return async (url, sending) => {
    const proxy = outboundProxy(url);
    if (proxy === null) return ask(url, sending, { agent: agents[url.protocol as keyof typeof agents] });
    if (lookup) await judge(url, lookup);
    const { agent, options } = through(proxy, url);
    const answer = await ask(url, sending, { agent, ...options });
    if (answer.statusCode !== 407 || url.protocol === 'https:') return answer;
    answer.destroy();
    throw refusal(proxy, 407, url.hostname);
  };
}

function ask(url: URL, { method, headers, body, signal, tls }: Sending, more: http.RequestOptions): Promise<Answer> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const all = { accept: '*/*', 'accept-encoding': 'identity', ...headers, ...more.headers } as Sending['headers'];
    const options = { ...more, method, headers: all };
    const isPlain = (more.protocol ?? url.protocol) === 'http:';
    const sent = isPlain ? http.request(url, options, resolve) : https.request(url, { ...options, ...tls }, resolve);
    const abort = () => {
      // Without an error: the socket of an answer that is all there has let go of whoever would listen to it.
      sent.destroy();
      // A request whose connection is still being made says that it was destroyed only when that is there.
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
    sent.once('close', () => signal?.removeEventListener('abort', abort));
    sent.on('error', (error) => {
      if (signal?.aborted) reject(signal.reason);
      else reject(error instanceof Fault ? error : new TypeError('fetch failed', { cause: error }));
    });
    sent.end(body ?? undefined);
  });
}

/**
 * Judges a name before a proxy is asked for it. One that is not known here, as behind many proxies, is the proxy's to
 * judge.
 */
function judge({ hostname }: URL, lookup: LookupFunction): Promise<void> {
  return new Promise((resolve, reject) =>
    lookup(hostname, { all: true }, (error) => (error instanceof Fault ? reject(error) : resolve())),
  );
}

/**
 * The signal that a caller of a `fetch` gave. That of a Request made from it is none to wait for: Node holds the Request
 * weakly, and once that was collected, its signal is aborted no more (seen with 20 and 24).
 */
export const signalOf = (input: Parameters<typeof fetch>[0], init?: RequestInit): AbortSignal | null =>
  init?.signal ?? (input instanceof Request ? input.signal : null);

/** Whether an answer leads elsewhere. */
export const isRedirect = ({ statusCode = 0 }: Answer): boolean =>
  statusCode >= 300 && statusCode < 400 && statusCode !== 304;

/** The value of a header by its lower-case name; the first where there are several. */
export function headerOf({ rawHeaders }: Answer, name: string): string | null {
  const at = rawHeaders.findIndex((one, index) => index % 2 === 0 && one.toLowerCase() === name);
  return at < 0 ? null : (rawHeaders[at + 1] ?? null);
}

/** An answer as `fetch` gives it, with another body where one is given. */
export function toResponse(answer: Answer, body: AsyncIterable<Uint8Array> = answer): Response {
  const { statusCode: status = 0, statusMessage: statusText = '', rawHeaders } = answer;
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at] as string, rawHeaders[at + 1] as string);
  if (!bodiless.has(status)) return new Response(ReadableStream.from(body), { status, statusText, headers });
  answer.resume();
  return new Response(null, { status, statusText, headers });
}
