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
  return new ApiError(`The server answered ${response.status} ${response.statusText}`.trim(), {
    ...details,
    code: response.status >= 502 && response.status <= 504 ? 'UNAVAILABLE' : 'INTERNAL_ERROR',
    hint: foreign,
  });
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
