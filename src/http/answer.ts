// Sends answers: JSON texts, files and faults, with the headers that every answer carries.
import type { FailureReply, FileReply } from '../contract/replies.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Fault } from '../kernel/fault.ts';
import type { Exchange, HeaderList, ResponseSink } from './adapter.ts';
import { isEventStream, keepOpen } from './beats.ts';
import { sendText } from './compressed.ts';
import { failureText, problemText } from './envelope.ts';

/** Headers that keep browsers from guessing, framing and caching what is personal. */
const safety: HeaderList = [
  ['x-content-type-options', 'nosniff'],
  ['x-frame-options', 'DENY'],
  ['referrer-policy', 'no-referrer'],
  ['cache-control', 'no-store'],
];
const none: HeaderList = [];
const json = ['content-type', 'application/json; charset=utf-8'] as const;

export interface AnswerContext {
  requestId: string;
  /** CORS and the like. */
  headers: HeaderList;
  /** HEAD: a streamed body is not even made; of others the adapter sends the length alone. */
  withoutBody: boolean;
}

const headersOf = (context: AnswerContext): HeaderList => [
  ['x-request-id', context.requestId],
  ...safety,
  ...context.headers,
];

/** The same in one piece: nearly every answer is JSON. */
const jsonHeaders = ({ requestId, headers }: AnswerContext, more: HeaderList): HeaderList =>
  headers.length + more.length === 0
    ? [json, ['x-request-id', requestId], ...safety]
    : [json, ['x-request-id', requestId], ...safety, ...headers, ...more];

/** Compresses what is large, which must be awaited; other answers are sent at once. */
export function sendJson(
  exchange: Exchange,
  context: AnswerContext,
  status: number,
  text: string,
  more: HeaderList = none,
): void | Promise<void> {
  return sendText(exchange, status, jsonHeaders(context, more), text);
}

/** The operation's own form if it has one, else the envelope, or problem+json when the client asks for it. */
export function sendFault(
  exchange: Exchange,
  context: AnswerContext,
  fault: Fault,
  { unreadMessages, own }: { unreadMessages: number; own: FailureReply | null },
): void | Promise<void> {
  const more: (readonly [string, string])[] = [];
  if (fault.retryAfterSeconds !== null) more.push(['retry-after', String(fault.retryAfterSeconds)]);
  if (fault.status === 401) more.push(['www-authenticate', 'Bearer']);
  if (fault.code === 'SHUTTING_DOWN') more.push(['connection', 'close']);
  if (own) {
    const headers = [...more, ...Object.entries(own.headers)];
    return sendJson(exchange, context, own.status, JSON.stringify(own.body), headers);
  }
  if (!exchange.header('accept')?.includes('application/problem+json')) {
    return sendJson(exchange, context, fault.status, failureText(fault, context.requestId, unreadMessages), more);
  }
  const problem = ['content-type', 'application/problem+json; charset=utf-8'] as const;
  exchange.send(
    fault.status,
    [problem, ...headersOf(context), ...more],
    problemText(fault, context.requestId, exchange.path),
  );
}

/**
 * Sends bytes, waiting for slow clients.
 *
 * A source that fails midway cuts the connection, so that no client takes a part for the whole; the error is rethrown.
 */
export async function sendFile(
  exchange: Exchange,
  context: AnswerContext,
  file: FileReply,
  clock: Pick<Clock, 'every'>,
): Promise<void> {
  const status = file.status ?? 200;
  const own = Object.entries({ ...(status !== 204 && { 'content-type': file.mediaType }), ...file.headers });
  if (file.fileName !== undefined) own.push(['content-disposition', dispositionOf(file.fileName)]);
  const taken = new Set(own.map(([name]) => name.toLowerCase()));
  const headers = [...own, ...headersOf(context).filter(([name]) => !taken.has(name))];
  if (typeof file.body === 'string' || file.body instanceof Uint8Array) {
    exchange.send(status, headers, file.body);
    return;
  }
  if (context.withoutBody) {
    await file.body[Symbol.asyncIterator]().return?.();
    return exchange.send(status, headers, '');
  }
  const sink = exchange.begin(status, headers);
  const stop = isEventStream(headers) ? keepOpen(sink, clock) : null;
  try {
    await pump(file.body, sink);
    sink.end();
  } catch (error) {
    sink.abort();
    throw error;
  } finally {
    stop?.();
  }
}

async function pump(chunks: AsyncIterable<Uint8Array>, sink: ResponseSink): Promise<void> {
  let wake = () => {};
  sink.onDrain(() => wake());
  sink.onClose(() => wake());
  for await (const chunk of chunks) {
    if (!sink.open) return;
    if (sink.write(chunk) || !sink.open) continue;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}

/** What leads to another folder, begins a line or turns the text around: no name of a file has it that others chose. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is meant
const misleading = /[\\/\u0000-\u001f\u007f\u202a-\u202e\u2066-\u2069]/g;

/** RFC 6266: a plain name for old clients, the real one for the others. */
function dispositionOf(fileName: string): string {
  const name = fileName.toWellFormed().replace(misleading, '_');
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
