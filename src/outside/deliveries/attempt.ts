// One attempt to deliver: what is sent, and what is made of the answer, be it slow, cut, endless or a redirect.
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { type Answer, isRedirect, type Send } from '../../kernel/http-send.ts';
import { retryAfter } from './retries.ts';

export interface Outcome {
  kind: 'delivered' | 'failed' | 'gone' | 'stopped';
  responseStatus: number | null;
  responseExcerpt: string | null;
  error: string | null;
  durationMs: number;
  /** What the receiver asked for, in ms. */
  askedWait: number | null;
}

export interface Attempt {
  send: Send;
  clock: Clock;
  url: string;
  headers: Record<string, string>;
  body: string;
  timeoutMs: number;
  /** Bytes of an answer that are read, at most; 2 KiB unless given. */
  mostRead?: number;
  /** What a 2xx says, where that can be a failure too: the reason, or null. */
  judge?: (text: string) => string | null;
  /** Aborted when this process stops. */
  stop: AbortSignal;
}

const usuallyRead = 2048;
const shownCharacters = 1000;

export async function attemptDelivery(attempt: Attempt): Promise<Outcome> {
  const { send, clock, url, headers, body, timeoutMs, stop, mostRead = usuallyRead } = attempt;
  const start = clock.steady();
  const late = new AbortController();
  const cancel = clock.after(timeoutMs, () => late.abort(new Error('late')));
  const signal = AbortSignal.any([late.signal, stop]);
  let answer: Answer | null = null;
  let text = '';
  const outcome = (kind: Outcome['kind'], error: string | null): Outcome => ({
    ...{
      kind,
      error,
      responseStatus: answer?.statusCode ?? null,
      responseExcerpt: answer === null ? null : text.slice(0, shownCharacters),
    },
    ...{ durationMs: Math.max(0, Math.round(clock.steady() - start)), askedWait: answer && askedBy(answer, clock) },
  });
  try {
    const sending = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body, signal };
    answer = await send(new URL(url), sending);
    text = await beginningOf(answer, mostRead, signal);
    const [kind, error] = judged(answer);
    const fault = kind === 'delivered' ? (attempt.judge?.(text) ?? null) : null;
    return fault === null ? outcome(kind, error) : outcome('failed', fault);
  } catch (error) {
    if (stop.aborted) return outcome('stopped', null);
    if (late.signal.aborted) return outcome('failed', `No whole answer within ${timeoutMs} ms.`);
    return outcome('failed', answer === null ? reasonOf(error) : 'The answer was cut off before its end.');
  } finally {
    cancel();
    answer?.destroy();
  }
}

/** A 2xx is success and nothing else is; 410 asks for no more. */
function judged(answer: Answer): [Outcome['kind'], string | null] {
  const { statusCode = 0 } = answer;
  if (statusCode >= 200 && statusCode < 300) return ['delivered', null];
  if (statusCode === 410) return ['gone', 'The receiver answered 410: it wants no more.'];
  if (isRedirect(answer)) return ['failed', `The receiver answered ${statusCode}; redirects are not followed.`];
  return ['failed', `The receiver answered ${statusCode}.`];
}

/** The beginning of an answer; the rest is not read. */
async function beginningOf(answer: Answer, mostRead: number, signal: AbortSignal): Promise<string> {
  const abort = () => answer.destroy(new Error('aborted'));
  signal.addEventListener('abort', abort, { once: true });
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of answer as AsyncIterable<Buffer>) {
      parts.push(part);
      size += part.length;
      if (size >= mostRead) break;
    }
  } finally {
    signal.removeEventListener('abort', abort);
  }
  signal.throwIfAborted();
  return Buffer.concat(parts).subarray(0, mostRead).toString('utf8').replaceAll('\0', '');
}

function askedBy({ rawHeaders }: Answer, clock: Clock): number | null {
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'retry-after');
  return retryAfter(at < 0 ? undefined : rawHeaders[at + 1], clock.now());
}

/** Says what went wrong in words of the connection. */
function reasonOf(error: unknown): string {
  if (error instanceof Fault) return error.message;
  const { cause } = error as { cause?: { code?: string; message?: string } };
  return `The receiver could not be reached: ${cause?.code ?? cause?.message ?? 'no connection'}.`;
}
