// One request in the pipeline: its operation, its caller, and what is known of its answer.
import type { Caller } from '../contract/caller.ts';
import { isMultipart, type MultipartBody } from '../contract/multipart.ts';
import type { AnyOperation } from '../contract/operation.ts';
import type { Exchange } from './adapter.ts';
import type { AnswerContext } from './answer.ts';
import type { Work } from './audited.ts';
import { corsHeaders } from './cors.ts';
import { createOperationInput, type OperationInput } from './operation-input.ts';
import { newRequestId } from './request-info.ts';
import type { Match } from './router.ts';
import { opensStream, type StreamQuery, streamQueryReader } from './stream-query.ts';

/** What is made of an operation once, for all its requests. */
export interface Prepared {
  input: OperationInput;
  form: MultipartBody | null;
  /** Of streams, which take a cursor and a ticket besides the fields of their schema. */
  readStreamQuery: ReturnType<typeof streamQueryReader> | null;
}

/** One request on its way. */
export interface RequestContext extends AnswerContext {
  exchange: Exchange;
  match: Match<Prepared> | null;
  caller: Caller | null;
  /** What its operation has written, for the audit log. */
  work: Work | null;
  /** Topics that the caller's ticket is good for. */
  allowed: readonly string[] | null;
  /** Cursor and ticket of a stream's query. */
  streamQuery: StreamQuery | null;
  /** Credentials came with it, which may be wrong. */
  signsIn: boolean;
  /** Makes room for the next sign-in of its address. */
  leave: (() => void) | null;
  status: number;
  /** Code of the fault that it is answered with. */
  code: string | null;
  started: number;
}

export function prepare(operation: AnyOperation): Prepared {
  return {
    input: createOperationInput(operation),
    form: isMultipart(operation.body) ? operation.body : null,
    readStreamQuery: opensStream(operation) ? streamQueryReader(operation) : null,
  };
}

/** A request that has just come. */
export function contextOf(exchange: Exchange, corsOrigins: readonly string[] = []): RequestContext {
  return {
    exchange,
    requestId: newRequestId(exchange.header('x-request-id')),
    headers: corsHeaders(corsOrigins, exchange),
    withoutBody: exchange.method === 'HEAD',
    match: null,
    caller: null,
    work: null,
    allowed: null,
    streamQuery: null,
    signsIn: false,
    leave: null,
    status: 0,
    code: null,
    started: performance.now(),
  };
}
