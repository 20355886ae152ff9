// Sends large texts compressed to clients that take it; small ones are not worth the time.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Exchange, HeaderList } from './adapter.ts';

const gzipped = promisify(gzip);

/** Shorter texts are sent as they are, characters. Secrets that are answered beside what a caller sent are shorter. */
const least = 4096;
/** Compression level: output a quarter larger than the best, in a third of its time. */
const level = 5;

const vary = ['vary', 'accept-encoding'] as const;
const encoded = ['content-encoding', 'gzip'] as const;

const takesGzip = (exchange: Exchange) =>
  /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(exchange.header('accept-encoding') ?? '');

/** Sends a text whose headers say nothing of encodings yet. Awaited only where it compresses, in a thread of its own. */
export function sendText(exchange: Exchange, status: number, headers: HeaderList, text: string): void | Promise<void> {
  if (text.length < least || exchange.method === 'HEAD') return exchange.send(status, headers, text);
  if (!takesGzip(exchange)) return exchange.send(status, [...headers, vary], text);
  return gzipped(text, { level }).then((bytes) => exchange.send(status, [...headers, vary, encoded], bytes));
}

/** A text that many ask for: it is compressed once. */
export function keptText(make: () => string): (exchange: Exchange, headers: HeaderList) => true | Promise<true> {
  let text: string | undefined;
  let packed: Promise<Buffer> | undefined;
  return (exchange, headers) => {
    text ??= make();
    if (!takesGzip(exchange)) {
      exchange.send(200, [...headers, vary], exchange.method === 'HEAD' ? '' : text);
      return true;
    }
    packed ??= gzipped(text, { level: 9 });
    return packed.then((bytes) => {
      exchange.send(200, [...headers, vary, encoded], exchange.method === 'HEAD' ? '' : bytes);
      return true as const;
    });
  };
}
