// One HTTP call: address, credential, body, envelope, error.
import { ApiError, errorOf, isEnvelope, jsonOf } from './api-error.ts';

export type Token = string | null | undefined;

export interface TransportOptions {
  /** Where the server is; the page's own origin when left out in a browser. */
  baseUrl?: string;
  /** A key (`rvt_…`) or an access token. */
  token?: string;
  /** Asked before each call; `expired` is true when the last token was refused as expired. */
  getToken?: (about: { expired: boolean }) => Token | Promise<Token>;
  /** Replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch;
  /** Told when the server does not take a credential any more (401), after what `getToken` could do about it. */
  onRefused?: (error: ApiError, token: Token) => void;
  /**
   * Told of every answered envelope's `unreadMessages`, and when it was asked for, by `performance.now()`: answers
   * overtake each other.
   */
  onUnread?: (count: number, askedAt: number) => void;
  /** Told of what each write has answered: the `data` of its envelope, e.g. for what is shown of it. */
  onWritten?: (data: unknown) => void;
}

export interface HttpRequest {
  method: string;
  path: string;
  query?: Record<string, unknown> | undefined;
  body?: unknown;
  headers?: Record<string, string> | undefined;
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
}

export interface Transport {
  baseUrl: string;
  /** Sends with credentials; throws ApiError unless the status is 2xx. */
  send(request: HttpRequest): Promise<Response>;
  /** Sends and answers the envelope's `data`, or the JSON itself where there is no envelope. */
  json(request: HttpRequest): Promise<unknown>;
}

/** `a=1&b=x&b=y`: lists repeat their name, null and undefined are left out. */
export function queryString(query: Record<string, unknown> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === undefined) continue;
    for (const item of Array.isArray(value) ? value : [value]) search.append(name, String(item));
  }
  const text = search.toString();
  return text ? `?${text}` : '';
}

/** Fills `{name}` in a path; a missing value is an error of the caller. */
export function fillPath(path: string, params: Record<string, unknown> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined || value === null) throw new TypeError(`The path parameter "${name}" is missing.`);
    return encodeURIComponent(String(value));
  });
}

function requestInit(request: HttpRequest, token: Token): RequestInit {
  const headers: Record<string, string> = { accept: 'application/json', ...request.headers };
  if (token) headers.authorization = `Bearer ${token}`;
  if (request.idempotencyKey) headers['idempotency-key'] = request.idempotencyKey;
  const init: RequestInit = { method: request.method, headers };
  if (request.body instanceof FormData) init.body = request.body;
  else if (request.body !== undefined) {
    headers['content-type'] = 'application/json';
    init.body = JSON.stringify(request.body);
  }
  if (request.signal) init.signal = request.signal;
  return init;
}

/** Makes the transport that the client and its streams share. */
export function createTransport(options: TransportOptions): Transport {
  const here = (globalThis as { location?: { origin?: string } }).location?.origin;
  const baseUrl = (options.baseUrl ?? here ?? 'http://127.0.0.1:7717').replace(/\/+$/, '');
  const doFetch = options.fetch ?? globalThis.fetch.bind(globalThis);
  const getToken = options.getToken ?? (() => options.token);

  const attempt = async (request: HttpRequest, expired: boolean): Promise<{ response: Response; token: Token }> => {
    const token = await getToken({ expired });
    try {
      const address = baseUrl + request.path + queryString(request.query);
      return { token, response: await doFetch(address, requestInit(request, token)) };
    } catch (cause) {
      if (request.signal?.aborted) throw cause;
      throw new ApiError('The server could not be reached.', {
        code: 'NETWORK',
        status: 0,
        hint: `Is it running at ${baseUrl}?`,
        cause,
      });
    }
  };

  const send = async (request: HttpRequest): Promise<Response> => {
    let { response, token } = await attempt(request, false);
    if (response.ok) return response;
    let error = await errorOf(response);
    if (error.code === 'TOKEN_EXPIRED' && options.getToken) {
      ({ response, token } = await attempt(request, true));
      if (response.ok) return response;
      error = await errorOf(response);
    }
    if (error.status === 401) options.onRefused?.(error, token);
    throw error;
  };

  return {
    baseUrl,
    send,
    async json(request) {
      const askedAt = performance.now();
      const response = await send(request);
      const body = await jsonOf(response, request.signal);
      if (!isEnvelope(body)) return body;
      const count = 'unreadMessages' in body && body.unreadMessages;
      if (typeof count === 'number') options.onUnread?.(count, askedAt);
      if (request.method !== 'GET') options.onWritten?.(body.data);
      return body.data;
    },
  };
}
