// What went wrong with a call: read from whatever the SDK threw, told without keys, and whether another try makes
// sense.
import {
  APICallError,
  InvalidArgumentError,
  InvalidPromptError,
  TooManyEmbeddingValuesForCallError,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';
import { Fault } from '../../kernel/fault.ts';
import { shortestValue } from '../../kernel/hidden.ts';
import type { Target } from './target.ts';

export type FailureKind =
  | 'rate-limited'
  | 'unavailable'
  | 'timeout'
  | 'context'
  | 'credentials'
  | 'no-credit'
  | 'not-found'
  | 'refused'
  | 'unsupported'
  | 'not-configured';

export interface Failure {
  kind: FailureKind;
  /** One sentence for people, free of secrets. */
  message: string;
  httpStatus: number | null;
  /** Wait that the provider asked for, in ms. */
  retryAfterMs: number | null;
  fault: Fault;
  /** The caller's time limit passed while the provider was answering. */
  isImpatience?: boolean;
}

/** Thrown into a call by its watchdog (`silent`), or when all the time that it was given is over (`not done`). */
export class CallTimeout extends Error {
  override readonly name = 'CallTimeout';
  readonly why: 'silent' | 'not done';
  readonly limitMs: number;
  constructor(why: CallTimeout['why'], limitMs: number) {
    super(`${why} after ${limitMs} ms`);
    this.why = why;
    this.limitMs = limitMs;
  }
}

/** The same model may answer if it is asked again. */
export const isRetryable = ({ kind }: Failure) =>
  kind === 'rate-limited' || kind === 'unavailable' || kind === 'timeout';
/** Another model may answer; a request that is wrong in itself is wrong everywhere. */
export const isFailoverable = ({ kind }: Failure) => kind !== 'refused';
/** Counts against the provider's health. */
export const speaksAgainstProvider = ({ kind, isImpatience }: Failure) =>
  kind === 'unavailable' || (kind === 'timeout' && !isImpatience);

/**
 * Reads an error of a call.
 *
 * @param started whether tokens had already arrived; the fault then says that the answer is cut
 * @param now milliseconds since 1970, for `retry-after` dates
 */
export function readFailure(error: unknown, target: Target, started: boolean, now: number): Failure {
  if (error instanceof Fault) return fromFault(error);
  const status = statusOf(error);
  const text = clean(textOf(error), target.provider.apiKey);
  const kind = classify(error, status, text);
  const retryAfterMs = APICallError.isInstance(error) ? retryAfter(error.responseHeaders, now) : null;
  const timeout = error instanceof CallTimeout ? error : null;
  const isImpatience = started && timeout?.why === 'not done';
  const message = isImpatience
    ? `${nameOf(target)} was not done after ${timeout.limitMs} ms.`
    : describe(kind, target, status, text, started);
  const fault = toFault(kind, message, target, retryAfterMs, text);
  return { kind, message, httpStatus: status, retryAfterMs, fault, ...(isImpatience && { isImpatience }) };
}

function fromFault(fault: Fault): Failure {
  const kind =
    fault.code === 'NOT_CONFIGURED'
      ? 'not-configured'
      : fault.code === 'CONCURRENCY_LIMITED' || fault.code === 'RATE_LIMITED'
        ? 'rate-limited'
        : 'refused';
  return {
    kind,
    message: fault.message,
    httpStatus: null,
    retryAfterMs: fault.retryAfterSeconds === null ? null : fault.retryAfterSeconds * 1000,
    fault,
  };
}

const contextWords =
  /context.{0,12}(length|window|size)|maximum context|too many (input )?tokens|(prompt|input).{0,20}(too long|too large|exceeds)|exceeds.{0,30}(token|context)|string_above_max_length/i;

/** An account that cannot pay: OpenAI says so with 429, Anthropic with 400. */
const creditWords = /insufficient_quota|credit balance is too low|credits are depleted/i;
const saysNoCredit = (error: unknown, text: string) =>
  creditWords.test(text) || (APICallError.isInstance(error) && creditWords.test(error.responseBody ?? ''));

/** What the SDK itself throws at a request that this kind of provider cannot be given. */
const requestErrors = [
  UnsupportedFunctionalityError,
  InvalidPromptError,
  InvalidArgumentError,
  TooManyEmbeddingValuesForCallError,
];

function classify(error: unknown, status: number | null, text: string): FailureKind {
  if (requestErrors.some((type) => type.isInstance(error))) return 'unsupported';
  if (error instanceof CallTimeout || status === 408 || status === 504) return 'timeout';
  if (status === 402 || saysNoCredit(error, text)) return 'no-credit';
  if (status === 429 || /rate.?limit/i.test(text)) return 'rate-limited';
  if ((status === null || status === 400 || status === 413) && contextWords.test(text)) return 'context';
  if (status === 401 || status === 403) return 'credentials';
  if (status === 404) return 'not-found';
  if (status !== null && status >= 400 && status < 500 && status !== 409 && status !== 425) return 'refused';
  return 'unavailable';
}

function describe(kind: FailureKind, target: Target, status: number | null, text: string, started: boolean): string {
  const who = nameOf(target);
  const said = text ? `: ${text}` : status ? ` with HTTP ${status}` : '';
  switch (kind) {
    case 'timeout':
      return started ? `${who} fell silent in the middle of its answer.` : `${who} did not answer in time.`;
    case 'context':
      return `The conversation is too long for ${target.modelId}${said}`;
    case 'unsupported':
      return `${who} cannot be given this request${said}`;
    default:
      return started
        ? `${who} broke off in the middle of its answer${said}`
        : `${who} refused or failed the call${said}`;
  }
}

function toFault(kind: FailureKind, message: string, target: Target, retryAfterMs: number | null, text: string): Fault {
  // The original holds the request's headers and body: it must not reach a log.
  const cause = new Error(text || kind);
  const retryAfterSeconds = retryAfterMs === null ? undefined : Math.ceil(retryAfterMs / 1000);
  const more = { cause, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
  switch (kind) {
    case 'timeout':
      return new Fault('PROVIDER_TIMEOUT', message, { ...more, hint: 'Try again, or add a fallback model.' });
    case 'rate-limited':
      return new Fault('RATE_LIMITED', message, {
        ...more,
        hint: 'Wait, use another model, or raise the limit at the provider.',
      });
    case 'context':
      return new Fault('CONTEXT_TOO_LARGE', message, {
        ...more,
        hint: 'Shorten the conversation or use a model with a larger context window.',
      });
    case 'credentials':
      return new Fault('PROVIDER_ERROR', message, {
        ...more,
        isFinal: true,
        hint: `The provider does not accept the key: check ${keyPlace(target)}.`,
      });
    case 'no-credit':
      return new Fault('PROVIDER_ERROR', message, {
        ...more,
        isFinal: true,
        hint: `The account at the provider has no credit left, or has reached its limit of spending: add credit there, or ${otherAccount(target)}.`,
      });
    case 'not-found':
      return new Fault('PROVIDER_ERROR', message, {
        ...more,
        isFinal: true,
        hint: `Check that the provider has a model named "${target.modelName}" and that its base URL is right.`,
      });
    case 'unsupported':
      return new Fault('BAD_REQUEST', message, { ...more, hint: 'Leave that out, or use a model that takes it.' });
    case 'refused':
      return new Fault('PROVIDER_ERROR', message, {
        ...more,
        isFinal: true,
        hint: 'The provider does not take this request as it is: see its message.',
      });
    default:
      return new Fault('PROVIDER_ERROR', message, { ...more, hint: 'Try again, or add a fallback model.' });
  }
}

const nameOf = ({ provider, modelId }: Target) => `${provider.name} (${modelId})`;

/** The environment variable that holds a provider's key. */
export const keyVariable: Record<string, string> = {
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  google: 'GOOGLE_GENERATIVE_AI_API_KEY',
};

const variableOf = ({ provider }: Target) => keyVariable[provider.key] ?? 'the provider settings';

const keyPlace = (target: Target) =>
  target.provider.id === undefined ? variableOf(target) : 'the keys of this provider';

/** What leads to an account that can pay. */
const otherAccount = (target: Target) =>
  target.provider.id === undefined
    ? `change ${variableOf(target)} to the key of another account, or add another provider (Models → Providers)`
    : 'give this provider the key of another account (Models → Providers)';

function statusOf(error: unknown): number | null {
  if (APICallError.isInstance(error)) return error.statusCode ?? null;
  const body = bodyOf(error);
  const code = body?.status ?? body?.code;
  if (typeof code === 'number' && code >= 400 && code < 600) return code;
  if (body?.type === 'overloaded_error') return 529;
  return null;
}

/** Error events inside a stream come as the provider's JSON, sometimes wrapped once. */
function bodyOf(error: unknown): Record<string, unknown> | null {
  if (typeof error !== 'object' || error === null || error instanceof Error) return null;
  const body = error as Record<string, unknown>;
  return typeof body.error === 'object' && body.error !== null ? (body.error as Record<string, unknown>) : body;
}

function textOf(error: unknown): string {
  if (typeof error === 'string') return error;
  const body = bodyOf(error);
  if (body) return [body.message, body.type, body.code].filter((part) => typeof part === 'string').join(' ');
  if (!(error instanceof Error)) return '';
  const cause = error.cause instanceof Error ? error.cause : null;
  if (error.name === 'AI_JSONParseError' || error.name === 'AI_TypeValidationError')
    return 'it sent a chunk that is not valid';
  return cause && cause.message !== error.message && !error.message.includes(cause.message)
    ? `${error.message} (${cause.message})`
    : error.message;
}

const keyShapes = /\b(sk|pk|rvt|AIza|gsk|xai|key)[-_][\w*.-]{6,}|\bAIza[\w-]{10,}|Bearer\s+\S+/gi;

/** Cuts keys out of a provider's words and keeps them short. Servers without keys are given words as `none` or `x`. */
export function clean(text: string, apiKey: string | undefined): string {
  const isKey = apiKey !== undefined && apiKey.length >= shortestValue;
  const without = isKey ? text.replaceAll(apiKey, '[hidden]') : text;
  return without.replace(keyShapes, '[hidden]').replace(/\s+/g, ' ').trim().slice(0, 400);
}

function retryAfter(headers: Record<string, string> | undefined, now: number): number | null {
  const ms = Number(headers?.['retry-after-ms']);
  if (headers?.['retry-after-ms'] && ms >= 0) return ms;
  const value = headers?.['retry-after'];
  if (!value) return null;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
