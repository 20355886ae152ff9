// Carries an operation out: reads its input, calls its handler within its time, once for all requests with its key.
import type { Caller } from '../contract/caller.ts';
import type { MultipartBody } from '../contract/multipart.ts';
import type { AnyOperation, RequestInfo } from '../contract/operation.ts';
import { isStreamReply } from '../contract/replies.ts';
import { requireChangeIn, requireReadIn } from '../ports/in-project.ts';
import type { Exchange } from './adapter.ts';
import { sendJson } from './answer.ts';
import type { Audits } from './audited.ts';
import { within } from './deadline.ts';
import { digest, once, unkept } from './idempotency.ts';
import { refuseCompressed } from './input.ts';
import { type ReceivedForm, receiveForm } from './multipart.ts';
import type { HttpAppOptions } from './options.ts';
import type { Prepared, RequestContext } from './request-context.ts';
import { Deadline, requestInfo } from './request-info.ts';
import type { Respond } from './respond.ts';
import type { Match } from './router.ts';

const defaultBodyBytes = 1 << 20;
/** Milliseconds that a body may take to arrive, and a handler to answer. */
const bodyDeadlineMs = 20_000;
const defaultTimeoutMs = 30_000;

/** Query and body after their schemas. */
interface Validated {
  query: unknown;
  body: unknown;
  bytes?: Buffer;
}

export function createCarryOut(options: HttpAppOptions, audits: Audits, { respond, textOf, unread }: Respond) {
  async function carryOut(context: RequestContext, match: Match<Prepared>): Promise<void> {
    const { exchange } = context;
    const { operation, extra } = match.route;
    const { query, stream } = extra.input.readQuery(exchange.query);
    context.streamQuery = stream;
    if (extra.form) {
      refuseCompressed(exchange.header('content-encoding'));
      return withForm(exchange, extra.form, ({ value, digest }) =>
        answer(context, match, { query, body: value }, () => digest),
      );
    }
    const bytes = await bytesOf(exchange, operation);
    if (bytes.length > 0 && !operation.takesBytes) refuseCompressed(exchange.header('content-encoding'));
    const body = extra.input.readBody(bytes, exchange.header('content-type'));
    return answer(context, match, { query, body, ...(operation.takesBytes && { bytes }) }, () => digest(bytes));
  }

  /** Carries the operation out, once for all requests with its Idempotency-Key, and sends its answer. */
  async function answer(context: RequestContext, match: Match<Prepared>, input: Validated, digestOf: () => string) {
    const { exchange, caller } = context;
    const { operation, handler, id } = match.route;
    requireNamedProject(caller, operation, match.params, input);
    const deadline = new Deadline();
    const sent = { cursor: context.streamQuery?.lastEventId, bytes: input.bytes };
    const request: RequestInfo = requestInfo(exchange, context, deadline, sent);
    const call = () =>
      audits.carryOut(context, input, (by) =>
        handler({ params: match.params, ...input, caller: by, request } as never),
      );
    const timed = <T>(work: T | Promise<T>) =>
      within(options.clock, operation.timeoutMs ?? defaultTimeoutMs, deadline, work);
    const key =
      operation.method === 'POST' && operation.idempotent !== false ? exchange.header('idempotency-key') : undefined;
    if (key === undefined || !caller) {
      const result = timed(call());
      return respond(context, match, result instanceof Promise ? await result : result);
    }

    const content = [exchange.path, exchange.query, digestOf()];
    let direct: { result: unknown } | null = null;
    // A handler that outlives its deadline still leaves its answer for a repeat.
    const kept = await timed(
      once(options.idempotency, { key, caller, operationId: id, content }, async () => {
        const result = await call();
        if (isText(operation, result))
          return { status: 200, body: textOf(context, operation, result, await unread(caller)) };
        direct = { result };
        return { status: 200, body: unkept };
      }),
    );
    if (direct) return respond(context, match, (direct as { result: unknown }).result);
    context.status = kept.answer.status;
    return sendJson(
      exchange,
      context,
      context.status,
      kept.answer.body,
      kept.replayed ? [['idempotency-replayed', 'true']] : [],
    );
  }

  return carryOut;
}

/**
 * Every operation names projects alike: one that the caller may not know of is not there, and nothing is put into one
 * that they may only look at. @throws Fault NOT_FOUND, FORBIDDEN
 */
function requireNamedProject(
  caller: Caller | null,
  { method }: AnyOperation,
  params: Readonly<Record<string, unknown>>,
  { query, body }: Validated,
): void {
  if (!caller?.projects) return;
  const named = (of: unknown) => {
    const id = (of as { projectId?: unknown } | null | undefined)?.projectId;
    return typeof id === 'number' ? id : null;
  };
  requireReadIn(caller, named(query));
  const check = method === 'GET' ? requireReadIn : requireChangeIn;
  check(caller, named(params));
  check(caller, named(body));
}

const noBytes = Buffer.alloc(0);

/** The body as it came; none where a request has none. */
async function bytesOf(exchange: Exchange, operation: AnyOperation): Promise<Buffer> {
  if (!hasBody(exchange, operation)) return noBytes;
  return exchange.body(operation.maxBodyBytes ?? defaultBodyBytes, bodyDeadlineMs);
}

const hasBody = (exchange: Exchange, operation: AnyOperation) =>
  operation.method !== 'GET' &&
  (exchange.header('content-length') !== undefined || exchange.header('transfer-encoding') !== undefined);

/** True for results that are sent as JSON. */
const isText = (operation: AnyOperation, result: unknown) => operation.reply !== 'file' && !isStreamReply(result);

/** Works with a form whose files are removed afterwards. */
async function withForm(
  exchange: Exchange,
  form: MultipartBody,
  work: (received: ReceivedForm) => Promise<void>,
): Promise<void> {
  const received = await receiveForm(exchange, form);
  try {
    await work(received);
  } finally {
    await received.remove();
  }
}
