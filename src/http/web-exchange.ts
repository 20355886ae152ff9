// Between an exchange of ours and the Request and Response of the web, which protocol libraries take.
import type { Clock } from '../kernel/clock.ts';
import type { Exchange, HeaderList, ResponseSink } from './adapter.ts';
import { isEventStream, keepOpen } from './beats.ts';

/** Milliseconds that a body may take to arrive. */
const bodyDeadlineMs = 20_000;

/** Requests live as long as the exchange: Node aborts the signal of none that was collected. */
const kept = new WeakMap<AbortSignal, Request>();

/**
 * The request as the web knows it; it is aborted when its client leaves. `origin` is that of its URL.
 *
 * @throws Fault PAYLOAD_TOO_LARGE, BAD_REQUEST, CLIENT_CLOSED
 */
export async function requestOf(
  exchange: Exchange,
  { origin, headers, maxBodyBytes }: { origin: string; headers: readonly string[]; maxBodyBytes: number },
): Promise<Request> {
  const given = headers.flatMap((name) => {
    const value = exchange.header(name);
    return value === undefined ? [] : [[name, value] as [string, string]];
  });
  const hasBody = exchange.method === 'POST' || exchange.method === 'PUT' || exchange.method === 'PATCH';
  const request = new Request(new URL(exchange.path + (exchange.query && `?${exchange.query}`), origin), {
    method: exchange.method,
    headers: given,
    signal: exchange.signal,
    ...(hasBody && { body: new Uint8Array(await exchange.body(maxBodyBytes, bodyDeadlineMs)) }),
  });
  kept.set(exchange.signal, request);
  return request;
}

/** Sends the answer: an event stream as it is made, with back-pressure, anything else whole. */
export async function sendResponse(
  exchange: Exchange,
  response: Response,
  { clock, headers: more = [] }: { clock: Pick<Clock, 'every'>; headers?: HeaderList },
): Promise<void> {
  const headers = [...response.headers, ...more];
  if (!isEventStream(headers) || !response.body) {
    exchange.send(response.status, headers, new Uint8Array(await response.arrayBuffer()));
    return;
  }
  const sink = exchange.begin(response.status, headers);
  const stop = keepOpen(sink, clock);
  await pump(response.body.getReader(), sink).finally(stop);
}

async function pump(reader: ReadableStreamDefaultReader<Uint8Array>, sink: ResponseSink): Promise<void> {
  let wake = () => {};
  sink.onDrain(() => wake());
  sink.onClose(() => {
    wake();
    reader.cancel().catch(() => {});
  });
  try {
    for (let chunk = await reader.read(); !chunk.done && sink.open; chunk = await reader.read()) {
      if (sink.write(chunk.value) || !sink.open) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    sink.end();
  } catch {
    sink.abort();
  }
}
