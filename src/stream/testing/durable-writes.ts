// A write path for tests of the Durable Streams read path: streams of any media type, whose writes are events of topics
// `run:{n}`. What readers get is our own answer, with each event replaced by what was written.
import type { Exchange, HeaderList, HttpAdapter, HttpServer, ResponseSink } from '../../http/adapter.ts';
import { toFault } from '../../kernel/fault.ts';
import type { StreamsDeps } from '../create.ts';
import { beginning, formatOffset } from '../transports/durable/offset.ts';
import { testCaller, testStreams } from './server.ts';

interface Written {
  topic: string;
  mediaType: string;
  isClosed: boolean;
}

/** Payload of an event: a JSON message, bytes in base64, or nothing where the stream was only closed. */
type Payload = { json: unknown } | { base64: string } | { nothing: true };

const security: HeaderList = [
  ['x-content-type-options', 'nosniff'],
  ['cross-origin-resource-policy', 'same-origin'],
];
const mostBytes = 2 << 20;

/** Starts a server on a free port of the loopback whose streams can be written. */
export async function startDurableServer(
  adapter: HttpAdapter,
  options: Partial<StreamsDeps> = {},
): Promise<{ url: string; close(): Promise<void> }> {
  const { streams, store } = await testStreams(options);
  const origin = await store.origin();
  const known = new Map<string, Written>();
  let topics = 0;

  const tailOf = async ({ topic }: Written) => {
    const [last] = await streams.tail(`1/${topic}`, 1);
    return formatOffset(last ?? beginning, origin);
  };
  const append = async (stream: Written, payloads: Payload[], closes: boolean) => {
    const all: Payload[] = closes && payloads.length === 0 ? [{ nothing: true }] : payloads;
    for (const [at, data] of all.entries()) {
      const isLast = closes && at === all.length - 1;
      const type = isLast ? 'run.ended' : 'run.note';
      await streams.publisher.publish({ tenantId: 1, topics: [stream.topic], type, data: data as never });
    }
    stream.isClosed ||= closes;
  };

  const put = async (exchange: Exchange, body: Buffer) => {
    const mediaType = (exchange.header('content-type') ?? 'application/octet-stream').toLowerCase();
    const closes = exchange.header('stream-closed')?.toLowerCase() === 'true';
    const before = known.get(exchange.path);
    if (before) return refuse(exchange, before.mediaType === mediaType && before.isClosed === closes ? 200 : 409);
    const stream: Written = { topic: `run:${1000 + ++topics}`, mediaType, isClosed: false };
    await append(stream, body.length > 0 ? payloadsOf(mediaType, body) : [], closes);
    known.set(exchange.path, stream);
    await confirm(exchange, 201, stream);
  };
  const post = async (exchange: Exchange, body: Buffer, stream: Written) => {
    const closes = exchange.header('stream-closed')?.toLowerCase() === 'true';
    if (stream.isClosed) return confirm(exchange, body.length === 0 && closes ? 204 : 409, stream);
    if (body.length === 0 && !closes) return refuse(exchange, 400);
    if (body.length > 0 && exchange.header('content-type')?.toLowerCase() !== stream.mediaType)
      return refuse(exchange, exchange.header('content-type') === undefined ? 400 : 409);
    const payloads = body.length > 0 ? payloadsOf(stream.mediaType, body) : [];
    if (body.length > 0 && payloads.length === 0) return refuse(exchange, 400);
    await append(stream, payloads, closes);
    await confirm(exchange, 204, stream);
  };
  const confirm = async (exchange: Exchange, status: number, stream: Written) => {
    const headers: HeaderList = [
      ['content-type', stream.mediaType],
      ['location', exchange.path],
      ['stream-next-offset', await tailOf(stream)],
      ...(stream.isClosed ? ([['stream-closed', 'true']] as const) : []),
      ...security,
    ];
    exchange.send(status, headers, '');
  };
  const read = (exchange: Exchange, stream: Written) => {
    const query = new URLSearchParams(exchange.query);
    if (query.getAll('offset').length > 1 || query.get('offset') === '') return refuse(exchange, 400);
    const reply = {
      kind: 'durable' as const,
      topic: stream.topic,
      offset: query.get('offset'),
      live: query.get('live') as 'long-poll' | 'sse' | null,
      cursor: query.get('cursor'),
      follow: false,
    };
    return streams.respond(asWritten(exchange, stream), { caller: testCaller(1), reply });
  };
  const handle = async (exchange: Exchange) => {
    const { method, path } = exchange;
    const body = method === 'PUT' || method === 'POST' ? await exchange.body(mostBytes, 10_000) : null;
    if (method === 'PUT' && body) return put(exchange, body);
    if (method === 'OPTIONS') return exchange.send(204, [['access-control-allow-headers', '*']], '');
    const stream = known.get(path);
    if (!stream) return refuse(exchange, 404);
    if (method === 'POST' && body) return post(exchange, body, stream);
    if (method === 'DELETE') return refuse(exchange, known.delete(path) ? 204 : 404);
    return read(exchange, stream);
  };

  const server: HttpServer = await adapter({
    host: '127.0.0.1',
    port: 0,
    handle: async (exchange) => {
      try {
        await handle(exchange);
      } catch (error) {
        refuse(exchange, toFault(error).status);
      }
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    close: async () => {
      streams.drain();
      await server.close();
      await streams.close();
    },
  };
}

const refuse = (exchange: Exchange, status: number) => exchange.send(status, security, '');

const isJson = (mediaType: string) => mediaType.startsWith('application/json');
const isText = (mediaType: string) => mediaType.startsWith('text/');

/** What one write appends; JSON arrays are flattened by one level. @throws SyntaxError */
function payloadsOf(mediaType: string, body: Buffer): Payload[] {
  if (!isJson(mediaType)) return [{ base64: body.toString('base64') }];
  const value: unknown = JSON.parse(body.toString());
  return (Array.isArray(value) ? value : [value]).map((json) => ({ json }));
}

/** The exchange of a reader, whose answer holds what was written in place of our events. */
function asWritten(exchange: Exchange, { mediaType }: Written): Exchange {
  const typed = (headers: HeaderList): HeaderList =>
    headers.map(([name, value]) =>
      name === 'content-type' && value === 'application/json' ? [name, mediaType] : [name, value],
    );
  return {
    method: exchange.method,
    path: exchange.path,
    query: exchange.query,
    ip: exchange.ip,
    isForwarded: false,
    signal: exchange.signal,
    get answered() {
      return exchange.answered;
    },
    header: (name) => exchange.header(name),
    body: (limit, deadline) => exchange.body(limit, deadline),
    bodyStream: (limit, idle) => exchange.bodyStream(limit, idle),
    send: (status, headers, body) =>
      exchange.send(status, typed(headers), status === 200 && body.length > 0 ? bodyOf(mediaType, body) : body),
    begin: (status, headers) => translated(exchange.begin(status, headers), mediaType),
  };
}

const payloadsIn = (text: string): Payload[] => (JSON.parse(text) as { data: Payload }[]).map(({ data }) => data);

function bodyOf(mediaType: string, body: string | Uint8Array): string | Uint8Array {
  const payloads = payloadsIn(body.toString());
  if (isJson(mediaType)) return JSON.stringify(payloads.flatMap((one) => ('json' in one ? [one.json] : [])));
  return Buffer.concat(payloads.map((one) => ('base64' in one ? Buffer.from(one.base64, 'base64') : Buffer.alloc(0))));
}

function translated(sink: ResponseSink, mediaType: string): ResponseSink {
  const blockOf = (block: string) => {
    const [, json] = /^event: data\ndata:(.*)$/.exec(block) ?? [];
    if (json === undefined) return block;
    const body = bodyOf(mediaType, json);
    const text = isJson(mediaType) || isText(mediaType) ? body.toString() : Buffer.from(body).toString('base64');
    if (text === '' || text === '[]') return null;
    return `event: data\n${text
      .split(/\r\n|\r|\n/)
      .map((line) => `data:${line}`)
      .join('\n')}`;
  };
  return {
    write: (chunk) => {
      const blocks = chunk.toString().split('\n\n').map(blockOf);
      return sink.write(blocks.filter((block) => block !== null).join('\n\n'));
    },
    onDrain: (listener) => sink.onDrain(listener),
    onClose: (listener) => sink.onClose(listener),
    end: () => sink.end(),
    abort: () => sink.abort(),
    get open() {
      return sink.open;
    },
    get bufferedBytes() {
      return sink.bufferedBytes;
    },
  };
}
