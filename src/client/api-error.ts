// What a failed call throws: the envelope's error, or the reason why no answer came.

export interface ApiErrorDetails {
  /** A code of the closed table, or `NETWORK` when the server was not reached. */
  code: string;
  /** HTTP status; 0 when there was no answer. */
  status: number;
  /** The next useful step, as the server suggests it. */
  hint?: string | null;
  requestId?: string | null;
  /** Seconds to wait before a retry makes sense. */
  retryAfterSeconds?: number | null;
  cause?: unknown;
}

/** A call that failed. `code` is stable; `message` is for people. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: string;
  readonly status: number;
  readonly hint: string | null;
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(message: string, details: ApiErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = details.code;
    this.status = details.status;
    this.hint = details.hint ?? null;
    this.requestId = details.requestId ?? null;
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
  }
}

interface Envelope {
  ok: boolean;
  data: unknown;
  /** An object in answers of OpenAI's interface. */
  error?: string | { message: string } | null;
  errorCode?: string | null;
  hint?: string | null;
  requestId?: string | null;
}

export function isEnvelope(value: unknown): value is Envelope {
  return typeof value === 'object' && value !== null && 'ok' in value && 'data' in value;
}

const foreign = 'The answer did not come from the API itself; look at the address and at proxies on the way.';

/** Codes of a server that will be there again: not reached, as a proxy says, about to stop, or without its database. */
const awayCodes = new Set(['NETWORK', 'UNAVAILABLE', 'SHUTTING_DOWN', 'STORE_UNAVAILABLE']);

/** Whether a call failed because the server is away for now, so that the same call may succeed in a moment. */
export const isAway = (error: unknown): error is ApiError => error instanceof ApiError && awayCodes.has(error.code);

interface Known {
  code: string;
  message: string;
  hint: string;
}

/** What answers of proxies mean, by their status: docs/proxy.md. */
function byProxy(status: number): Known | null {
  if (status === 413)
    return {
      code: 'PAYLOAD_TOO_LARGE',
      message: 'A proxy on the way takes nothing of this size.',
      hint: 'Who runs it can raise its limit (nginx: client_max_body_size); see docs/proxy.md.',
    };
  if (status === 502 || status === 503)
    return {
      code: 'UNAVAILABLE',
      message: `The server does not answer the proxy before it (${status}).`,
      hint: 'It may be starting: try again in a moment. Where that does not help, see docs/proxy.md.',
    };
  if (status === 504)
    return {
      code: 'UNAVAILABLE',
      message: 'The server took longer than the proxy before it waits (504).',
      hint: 'What was asked may go on: look before you ask again. Who runs the proxy can raise its limit; see docs/proxy.md.',
    };
  if (status === 505)
    return {
      code: 'INTERNAL_ERROR',
      message: 'The proxy speaks HTTP/1.0 to the server, which takes HTTP/1.1.',
      hint: 'In nginx this is set with "proxy_http_version 1.1;", see docs/proxy.md.',
    };
  return null;
}

/** Reads the failure out of an answer, whatever its form. */
export async function errorOf(response: Response): Promise<ApiError> {
  const retry = Number(response.headers.get('retry-after'));
  const details = { status: response.status, retryAfterSeconds: retry > 0 ? retry : null };
  const body: unknown = await response
    .text()
    .then((text) => JSON.parse(text))
    .catch(() => null);
  if (isEnvelope(body)) {
    const code = body.errorCode ?? 'INTERNAL_ERROR';
    const message = typeof body.error === 'string' ? body.error : body.error?.message;
    return new ApiError(message ?? code, {
      ...details,
      code,
      hint: body.hint ?? null,
      requestId: body.requestId ?? null,
    });
  }
  const { message, ...known } = byProxy(response.status) ?? {
    message: `The server answered ${response.status} ${response.statusText}`.trim(),
    ...{ code: 'INTERNAL_ERROR', hint: foreign },
  };
  return new ApiError(message, { ...details, ...known });
}

/** Reads the JSON of an answer. Rejects with an ApiError where it breaks off or is none; a caller's abort is passed on. */
export async function jsonOf(response: Response, signal?: AbortSignal): Promise<unknown> {
  try {
    return await response.json();
  } catch (cause) {
    if (signal?.aborted) throw cause;
    if (!(cause instanceof SyntaxError)) throw brokenOff(cause);
    const { status } = response;
    throw new ApiError('The answer is no JSON.', { code: 'INTERNAL_ERROR', status, hint: foreign, cause });
  }
}

/** The error of an answer of which only a part came. */
export const brokenOff = (cause: unknown): ApiError =>
  new ApiError('The connection broke off in the middle of the answer.', {
    code: 'NETWORK',
    status: 0,
    hint: 'Look whether the server still runs, and try again.',
    cause,
  });
