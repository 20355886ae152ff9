// The client: every operation as a typed function, and streams that heal themselves.
import type { Group } from '../contract/operation.ts';
import type { Groups } from '../groups/index.ts';
import type { Api, CallOptions, RouteTable } from './api.ts';
import { routes as allRoutes } from './routes.ts';
import { createLive, type Live, type LiveOptions } from './stream/live.ts';
import { type EventStream, openStream, type StreamOptions } from './stream/stream.ts';
import { createTransport, fillPath, type HttpRequest, type TransportOptions } from './transport.ts';

export interface ClientOptions extends TransportOptions, Pick<LiveOptions, 'WebSocket' | 'retry'> {}

export interface ClientTools {
  baseUrl: string;
  /** Calls an operation by method and path; for what the contracts do not name yet. Answers the envelope's `data`. */
  request(request: HttpRequest): Promise<unknown>;
  /** The same, but answers the `Response`: downloads, and streams that are read as they come. */
  fetch(request: HttpRequest): Promise<Response>;
  /** Follows topics: an async iterable that reconnects and resumes until it is stopped or its signal aborts. */
  stream(topics: string | readonly string[], options?: StreamOptions): EventStream;
  /** One connection whose subscriptions come and go; what a user interface needs. */
  live(options?: LiveOptions): Live;
}

export type Client<G extends Record<string, Group> = Groups> = Api<G> & ClientTools;

interface AnyInput extends CallOptions {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/**
 * Makes a client for browsers and Node.
 *
 * @example
 * const client = createClient({ baseUrl: 'http://127.0.0.1:7717', token: key });
 * const run = await client.agentRuns.create({ body: { goal: 'Say hello', autoStart: true } });
 * for await (const event of client.stream(`run:${run.id}`)) console.log(event.type);
 */
export function createClient(options?: ClientOptions): Client;
export function createClient<G extends Record<string, Group>>(options: ClientOptions, routes: RouteTable): Client<G>;
export function createClient(options: ClientOptions = {}, routes: RouteTable = allRoutes): unknown {
  const transport = createTransport(options);
  const inherited: LiveOptions = {};
  if (options.WebSocket) inherited.WebSocket = options.WebSocket;
  if (options.retry) inherited.retry = options.retry;

  const call = (route: string) => {
    const [method = 'GET', template = '/'] = route.replace(/!$/, '').split(' ');
    const asResponse = route.endsWith('!');
    return ({ params, query, body, signal, idempotencyKey, headers }: AnyInput = {}) => {
      const request = { method, path: fillPath(template, params), query, body, headers, idempotencyKey, signal };
      return asResponse ? transport.send(request) : transport.json(request);
    };
  };
  const groups = Object.entries(routes).map(([name, operations]) => [
    name,
    Object.fromEntries(Object.entries(operations).map(([key, route]) => [key, call(route)])),
  ]);
  const tools: ClientTools = {
    baseUrl: transport.baseUrl,
    request: transport.json,
    fetch: transport.send,
    stream: (topics, more) =>
      openStream(transport, typeof topics === 'string' ? [topics] : topics, { ...inherited, ...more }),
    live: (more) => createLive(transport, { ...inherited, ...more }),
  };
  return { ...Object.fromEntries(groups), ...tools };
}
