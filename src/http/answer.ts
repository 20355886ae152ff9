// Sends answers: JSON texts, files and faults, with the headers that every answer carries.
import { Readable } from 'node:stream';
import type { FileReply } from '../contract/replies.ts';
import type { Fault } from '../kernel/fault.ts';
import type { Exchange, HeaderList } from './adapter.ts';
import { failureText, problemText } from './envelope.ts';

/** Headers that keep browsers from guessing, framing and caching what is personal. */
const safety: HeaderList = [
  ['x-content-type-options', 'nosniff'],
  ['x-frame-options', 'DENY'],
  ['referrer-policy', 'no-referrer'],
  ['cache-control', 'no-store'],
];
const json = ['content-type', 'application/json; charset=utf-8'] as const;

export interface AnswerContext {
  requestId: string;
  /** CORS and the like. */
  headers: HeaderList;
  /** HEAD: everything but the body. */
  withoutBody: boolean;
}

const headersOf = (context: AnswerContext): HeaderList => [
  ['x-request-id', context.requestId],
  ...safety,
  ...context.headers,
];

export function sendJson(
  exchange: Exchange,
  context: AnswerContext,
  status: number,
  text: string,
  more: HeaderList = [],
): void {
  exchange.send(status, [json, ...headersOf(context), ...more], context.withoutBody ? '' : text);
}

/** The envelope, or problem+json when the client asks for it. */
export function sendFault(exchange: Exchange, context: AnswerContext, fault: Fault, unreadMessages: number): void {
  const more: (readonly [string, string])[] = [];
  if (fault.retryAfterSeconds !== null) more.push(['retry-after', String(fault.retryAfterSeconds)]);
  if (fault.status === 401) more.push(['www-authenticate', 'Bearer']);
  if (fault.code === 'SHUTTING_DOWN') more.push(['connection', 'close']);
  if (!exchange.header('accept')?.includes('application/problem+json')) {
    sendJson(exchange, context, fault.status, failureText(fault, context.requestId, unreadMessages), more);
    return;
  }
  const problem = ['content-type', 'application/problem+json; charset=utf-8'] as const;
  exchange.send(
    fault.status,
    [problem, ...headersOf(context), ...more],
    problemText(fault, context.requestId, exchange.path),
  );
}

/** Sends bytes, waiting for slow clients. */
export async function sendFile(exchange: Exchange, context: AnswerContext, file: FileReply): Promise<void> {
  const own = Object.entries({ 'content-type': file.mediaType, ...file.headers });
  if (file.fileName)
    own.push(['content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(file.fileName)}`]);
  const taken = new Set(own.map(([name]) => name.toLowerCase()));
  const headers = [...own, ...headersOf(context).filter(([name]) => !taken.has(name))];
  const status = file.status ?? 200;
  if (typeof file.body === 'string' || file.body instanceof Uint8Array || context.withoutBody) {
    exchange.send(status, headers, context.withoutBody ? '' : (file.body as string | Uint8Array));
    return;
  }
  const sink = exchange.begin(status, headers);
  let wake = () => {};
  sink.onDrain(() => wake());
  sink.onClose(() => wake());
  for await (const chunk of Readable.from(file.body)) {
    if (!sink.open) return;
    if (!sink.write(chunk)) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  sink.end();
}
