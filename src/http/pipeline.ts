// The way of every request: route, authenticate, permit, validate, carry out, answer, log.
import { permit } from '../auth/permit.ts';
import type { Caller } from '../contract/caller.ts';
import { isMultipart, type MultipartBody } from '../contract/multipart.ts';
import { openAiFailure } from '../contract/openai-failure.ts';
import { type AnyOperation, answersOnlyStreams, type RequestInfo } from '../contract/operation.ts';
import { type FileReply, isFileReply, isStreamReply } from '../contract/replies.ts';
import { authorizationOf } from '../kernel/authorization.ts';
import { Fault, toFault } from '../kernel/fault.ts';
import type { Write } from '../ports/audit.ts';
import { createAccessLog } from './access-log.ts';
import type { Exchange } from './adapter.ts';
import { type AnswerContext, sendFault, sendFile, sendJson } from './answer.ts';
import { createAtOnce } from './at-once.ts';
import { createAudits } from './audited.ts';
import { corsHeaders } from './cors.ts';
import { within } from './deadline.ts';
import { successText } from './envelope.ts';
import { digest, once, unkept } from './idempotency.ts';
import { type ReceivedForm, receiveForm } from './multipart.ts';
import { createOperationInput, type OperationInput } from './operation-input.ts';
import type { HttpAppOptions } from './options.ts';
import { pathOf } from './probes.ts';
import { Deadline, newRequestId, requestInfo, wantsStream } from './request-info.ts';
import { createRouter, type Match } from './router.ts';
import { opensStream, type StreamQuery, streamQueryReader, topicOf } from './stream-query.ts';

const defaultBodyBytes = 1 << 20;
/** Milliseconds that a body may take to arrive, and a handler to answer. */
const bodyDeadlineMs = 20_000;
const defaultTimeoutMs = 30_000;
/** Sign-ins that one address may have under way; people behind one address rarely have more. */
const mostSignInsAtOnce = 8;

/** Query and body after their schemas. */
interface Validated {
  query: unknown;
  body: unknown;
}

interface Prepared {
  input: OperationInput;
  form: MultipartBody | null;
  /** Of streams, which take a cursor and a ticket besides the fields of their schema. */
  readStreamQuery: ReturnType<typeof streamQueryReader> | null;
}

/** One request on its way. */
interface Passage extends AnswerContext {
  exchange: Exchange;
  match: Match<Prepared> | null;
  caller: Caller | null;
  /** What its operation has written, for the audit log. */
  work: { writes: readonly Write[]; body: unknown } | null;
  /** Topics that the caller's ticket is good for. */
  allowed: readonly string[] | null;
  /** Cursor and ticket of a stream's query. */
  streamQuery: StreamQuery | null;
  /** Credentials came with it, which may be wrong. */
  signsIn: boolean;
  /** Makes room for the next sign-in of its address. */
  leave: (() => void) | null;
  status: number;
  started: number;
}

/** Answers requests; the adapters call it. Never rejects. */
export function createPipeline(options: HttpAppOptions, state: { shuttingDown: boolean }) {
  const router = createRouter(options.services, prepare);
  const report = createAccessLog(options);
  const signInsAtOnce = createAtOnce(mostSignInsAtOnce);
  const audits = createAudits(options);

  return async (exchange: Exchange): Promise<void> => {
    const passage: Passage = {
      exchange,
      requestId: newRequestId(exchange.header('x-request-id')),
      headers: corsHeaders(options.corsOrigins ?? [], exchange),
      withoutBody: exchange.method === 'HEAD',
      match: null,
      caller: null,
      work: null,
      allowed: null,
      streamQuery: null,
      signsIn: false,
      leave: null,
      status: 0,
      started: performance.now(),
    };
    try {
      await pass(passage);
    } catch (error) {
      await fail(passage, countedFault(passage, error));
    }
    passage.leave?.();
    report(passage);
  };

  async function pass(passage: Passage): Promise<void> {
    const { exchange } = passage;
    if (exchange.method === 'OPTIONS') return preflight(passage);
    const match = router.find(exchange.method === 'HEAD' ? 'GET' : exchange.method, pathOf(exchange));
    passage.match = match;
    const { operation, id } = match.route;
    if (state.shuttingDown && !options.alwaysOpen?.has(id))
      throw new Fault('SHUTTING_DOWN', 'This server is shutting down.', {
        hint: 'Try again in a moment.',
        retryAfterSeconds: 2,
      });
    if (operation.signsIn) {
      options.limits?.failedSignIns?.check(exchange.ip);
      passage.leave = signInsAtOnce(exchange.ip);
      passage.signsIn = true;
    }
    const identified = identify(passage, operation, match.route.extra);
    if (identified) await identified;
    permit(operation, passage.caller);
    options.limits?.perCaller?.take(
      passage.caller ? `${passage.caller.tenantId} ${passage.caller.keyId ?? passage.caller.sessionId}` : exchange.ip,
    );
    const span = options.trace?.({
      route: match.route.template,
      method: operation.method,
      requestId: passage.requestId,
      header: (name) => exchange.header(name),
    });
    try {
      await (span ? span.within(() => carryOut(passage, match)) : carryOut(passage, match));
      span?.end(passage.status);
    } catch (error) {
      span?.end(toFault(error).status, error);
      throw error;
    }
  }

  /** Finds out who calls; nothing is to be waited for where that is known already. */
  function identify(passage: Passage, operation: AnyOperation, { readStreamQuery }: Prepared): Promise<void> | null {
    if (operation.needs === 'public') return null;
    const { exchange } = passage;
    const authorization = authorizationOf((name) => exchange.header(name));
    if (authorization) {
      passage.signsIn = true;
      const caller = options.authenticate(authorization, exchange.ip);
      if (caller instanceof Promise) return admit(passage, caller);
      passage.caller = caller;
      return null;
    }
    // A ticket opens streams alone: what else the operation answers is not narrowed to the ticket's topics.
    if (!readStreamQuery || !(answersOnlyStreams(operation) || wantsStream(exchange))) return null;
    const { ticket } = readStreamQuery(exchange.query).stream;
    return ticket === undefined ? null : redeem(passage, ticket);
  }

  async function admit(passage: Passage, caller: Promise<Caller>): Promise<void> {
    passage.caller = await caller;
  }

  async function redeem(passage: Passage, ticket: string): Promise<void> {
    passage.signsIn = true;
    const { caller, topics } = await options.redeemTicket(ticket);
    passage.caller = caller;
    passage.allowed = topics;
  }

  /** What a request fails with; credentials that are wrong too often fail with RATE_LIMITED instead. */
  function countedFault(passage: Passage, error: unknown): Fault {
    const fault = toFault(error);
    if (fault.status !== 401 || !passage.signsIn) return fault;
    try {
      options.limits?.failedSignIns?.take(passage.exchange.ip);
      return fault;
    } catch (limited) {
      return toFault(limited);
    }
  }

  async function carryOut(passage: Passage, match: Match<Prepared>): Promise<void> {
    const { exchange } = passage;
    const { operation, extra } = match.route;
    const { query, stream } = extra.input.readQuery(exchange.query);
    passage.streamQuery = stream;
    if (extra.form) return withForm(passage, match, query, extra.form);
    const bytes = hasBody(exchange, operation)
      ? await exchange.body(operation.maxBodyBytes ?? defaultBodyBytes, bodyDeadlineMs)
      : noBytes;
    const body = extra.input.readBody(bytes, exchange.header('content-type'));
    return answer(passage, match, { query, body }, () => digest(bytes));
  }

  async function withForm(
    passage: Passage,
    match: Match<Prepared>,
    query: unknown,
    form: MultipartBody,
  ): Promise<void> {
    const received: ReceivedForm = await receiveForm(passage.exchange, form);
    try {
      await answer(passage, match, { query, body: received.value }, () => received.digest);
    } finally {
      await received.remove();
    }
  }

  /** Carries the operation out, once for all requests with its Idempotency-Key, and sends its answer. */
  async function answer(passage: Passage, match: Match<Prepared>, input: Validated, digestOf: () => string) {
    const { exchange, caller } = passage;
    const { operation, handler, id } = match.route;
    const deadline = new Deadline();
    const request: RequestInfo = requestInfo(exchange, passage, deadline, passage.streamQuery?.lastEventId);
    const call = () =>
      audits.carryOut(passage, input.body, (by) =>
        handler({ params: match.params, ...input, caller: by, request } as never),
      );
    const timed = <T>(work: T | Promise<T>) =>
      within(options.clock, operation.timeoutMs ?? defaultTimeoutMs, deadline, work);
    const key =
      operation.method === 'POST' && operation.idempotent !== false ? exchange.header('idempotency-key') : undefined;
    if (key === undefined || !caller) {
      const result = timed(call());
      return respond(passage, match, result instanceof Promise ? await result : result);
    }

    const content = [exchange.path, exchange.query, digestOf()];
    let direct: { result: unknown } | null = null;
    // A handler that outlives its deadline still leaves its answer for a repeat.
    const kept = await timed(
      once(options.idempotency, { key, caller, operationId: id, content }, async () => {
        const result = await call();
        if (isText(operation, result))
          return { status: 200, body: textOf(passage, operation, result, await unread(caller)) };
        direct = { result };
        return { status: 200, body: unkept };
      }),
    );
    if (direct) return respond(passage, match, (direct as { result: unknown }).result);
    passage.status = kept.answer.status;
    return sendJson(
      exchange,
      passage,
      passage.status,
      kept.answer.body,
      kept.replayed ? [['idempotency-replayed', 'true']] : [],
    );
  }

  async function respond(passage: Passage, { route, params }: Match<Prepared>, result: unknown): Promise<void> {
    const { exchange } = passage;
    passage.status = 200;
    if (isStreamReply(result)) {
      const { caller, allowed } = passage;
      if (!caller) throw new Error(`${route.id} streams without a caller`);
      if (allowed && result.kind === 'frames') requireCovered(allowed, topicOf(route.operation, params));
      const headers = [['x-request-id', passage.requestId] as const, ...passage.headers];
      return options.openStream(exchange, { caller, reply: result, allowed, headers });
    }
    if (route.operation.reply === 'file' || (route.operation.orFile && isFileReply(result))) {
      const file = result as FileReply;
      passage.status = file.status ?? 200;
      return sendFile(exchange, passage, file);
    }
    const count = unread(passage.caller);
    const text = textOf(passage, route.operation, result, typeof count === 'number' ? count : await count);
    return sendJson(exchange, passage, 200, text);
  }

  function textOf({ requestId }: Passage, operation: AnyOperation, data: unknown, unreadMessages: number): string {
    if (options.checkResponses) checkResponse(operation, data);
    return operation.reply === 'raw' ? JSON.stringify(data) : successText(data, requestId, unreadMessages);
  }

  /** Work that is done is not answered with a failure because a counter could not be read. */
  function unread(caller: Caller | null): number | Promise<number> {
    if (!caller) return 0;
    const count = options.unreadMessages(caller);
    if (typeof count === 'number') return count;
    return count.catch((error: unknown) => {
      options.log.warn({ err: error }, 'unread messages could not be counted');
      return 0;
    });
  }

  async function fail(passage: Passage, fault: Fault): Promise<void> {
    const own = failureOf(passage)?.(fault, passage.requestId) ?? null;
    passage.status = own?.status ?? fault.status;
    if (fault.status >= 500) {
      const facts = { requestId: passage.requestId, route: passage.match?.route.id, code: fault.code };
      // What breaks off because its client has left is no fault of the server.
      if (passage.exchange.signal.aborted) options.log.debug({ ...facts, err: fault.cause ?? fault }, 'client left');
      else options.log.error({ ...facts, err: fault.cause ?? fault }, fault.message);
    }
    await audits.failed(passage, fault);
    if (passage.exchange.answered) return;
    const count = await unread(passage.caller);
    if (passage.exchange.answered) return;
    if (fault.code === 'METHOD_NOT_ALLOWED')
      passage.headers = [...passage.headers, ['allow', allowOf(passage.exchange.path)]];
    return sendFault(passage.exchange, passage, fault, { unreadMessages: count, own });
  }

  function preflight(passage: Passage): void {
    const { exchange } = passage;
    const methods = router.methods(exchange.path);
    if (methods.length === 0) throw new Fault('ROUTE_NOT_FOUND', 'There is no operation here.', { hint: 'See /docs.' });
    passage.status = 204;
    const allow = allowOf(exchange.path);
    const known = passage.headers.some(([name]) => name === 'access-control-allow-origin');
    const cors = known ? ([['access-control-allow-methods', allow]] as const) : [];
    exchange.send(204, [['allow', allow], ...passage.headers, ...cors], '');
  }

  function allowOf(path: string): string {
    const methods = router.methods(path);
    return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  }
}

function prepare(operation: AnyOperation): Prepared {
  return {
    input: createOperationInput(operation),
    form: isMultipart(operation.body) ? operation.body : null,
    readStreamQuery: opensStream(operation) ? streamQueryReader(operation) : null,
  };
}

/** How the operation tells of failures; where there is none below OpenAI's address, its clients are told in their words. */
const failureOf = ({ match, exchange }: Passage) =>
  match ? match.route.operation.failure : exchange.path.startsWith('/v1/') ? openAiFailure : undefined;

/**
 * A ticket for some topics opens no stream of another. Streams over topics that the caller names are checked as they
 * subscribe.
 */
function requireCovered(allowed: readonly string[], topic: string | null): void {
  if (topic !== null && allowed.includes(topic)) return;
  throw new Fault('FORBIDDEN', 'This ticket is for other topics.', {
    hint: topic === null ? 'Ask for a ticket without topics, or send a key.' : `Ask for a ticket for ${topic}.`,
  });
}

const noBytes = Buffer.alloc(0);

const hasBody = (exchange: Exchange, operation: AnyOperation) =>
  operation.method !== 'GET' &&
  (exchange.header('content-length') !== undefined || exchange.header('transfer-encoding') !== undefined);

/** True for results that are sent as JSON. */
const isText = (operation: AnyOperation, result: unknown) => operation.reply !== 'file' && !isStreamReply(result);

function checkResponse(operation: AnyOperation, data: unknown): void {
  const result = operation.data.safeParse(data);
  if (!result.success) throw new Error(`the answer is not of its schema: ${result.error.message}`);
}
