// Carries tool calls out: as requests to the server itself, under the caller's own credentials and checks.
import type { Caller } from '../../contract/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { callInside, type Handle, type InnerAnswer, type InnerRequest } from '../inner-exchange.ts';
import { sseReader } from './sse-reader.ts';
import { type OperationTool, WrongArgument } from './tool.ts';
import { defaultWaitSeconds, maxWaitSeconds } from './tools.ts';

/** Who calls, and with what. */
export interface Principal {
  caller: Caller;
  ip: string;
  /** What the tools shall be about (`run`, `chat`); null for all. */
  about: ReadonlySet<string> | null;
  /** Headers that the calls inside carry: credentials, client, trace. */
  headers: Readonly<Record<string, string | undefined>>;
}

export interface CallContext {
  principal: Principal;
  signal: AbortSignal;
  /** Tells how far it is, where the client wants to know. */
  progress(done: number, message: string): void;
}

/** What a call answers; failures are told to the model, with what it can do about them. */
export interface CallResult {
  [key: string]: unknown;
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

/** Errors of JSON-RPC. */
const failed = (code: number) => (message: string) => Object.assign(new Error(message), { code });
export const methodNotFound = failed(-32_601);
export const wrongParams = failed(-32_602);
const internalError = failed(-32_603);
/** What an operation refused, by the code of its failure. */
export class RefusedCall extends Error {
  readonly code = -32_602;
  readonly errorCode: unknown;
  constructor(message: string, errorCode: unknown) {
    super(message);
    this.errorCode = errorCode;
  }
}

type Args = Readonly<Record<string, unknown>>;
/** What the pipeline answers. */
interface Envelope extends Failed {
  ok: boolean;
  data: unknown;
}
interface Failed {
  error: unknown;
  errorCode: unknown;
  hint: unknown;
}

export function createCalls(handle: Handle, clock: Pick<Clock, 'after'>) {
  const ask: Ask = ({ key, accept, ...request }, { principal, signal }) => {
    const { headers, ip } = principal;
    const length = request.body === undefined ? null : String(Buffer.byteLength(request.body));
    return callInside(handle, {
      ...request,
      ip,
      // A token that is for MCP holds, and no other of an OAuth client does.
      resource: 'mcp',
      signal,
      headers: {
        ...headers,
        accept: accept ?? 'application/json',
        ...(length !== null && { 'content-type': 'application/json', 'content-length': length }),
        ...(key && { 'idempotency-key': key }),
      },
    });
  };

  return {
    /** What an operation answers. @throws an error of JSON-RPC that says why not */
    read: async (request: Asked, context: Pick<CallContext, 'principal' | 'signal'>): Promise<unknown> => {
      const { text, status } = await ask(request, context);
      const answer = parsed(text) as Envelope | null;
      if (answer?.ok) return answer.data;
      const message = answer?.error ? describe(answer) : `The server answered ${status}.`;
      throw status < 500 ? new RefusedCall(message, answer?.errorCode) : internalError(message);
    },
    call: async (tool: OperationTool, args: Args, context: CallContext): Promise<CallResult> => {
      const request = requestOf(tool, args, context);
      if (typeof request === 'string') return failure(request);
      if (tool.follow === 'reply') return reply(ask, request, context);
      const answer = resultOf(await ask(request, context));
      return tool.follow === 'run' && !answer.isError ? follow(ask, answer, args, { ...context, clock }) : answer;
    },
  };
}
export type Calls = ReturnType<typeof createCalls>;

type Asked = Omit<InnerRequest, 'headers' | 'ip' | 'signal'> & { key?: string | null; accept?: string };
type Ask = (request: Asked, context: Pick<CallContext, 'principal' | 'signal'>) => Promise<InnerAnswer>;

/** The request of a call, or why there is none. */
function requestOf(tool: OperationTool, args: Args, { principal }: CallContext): Asked | string {
  try {
    return tool.request(args, principal.caller);
  } catch (error) {
    if (error instanceof WrongArgument) return error.message;
    throw error;
  }
}

/** Follows a run until it rests, or as long as the caller wants to wait. */
async function follow(
  ask: Ask,
  begun: CallResult,
  args: Args,
  context: CallContext & { clock: Pick<Clock, 'after'> },
): Promise<CallResult> {
  const run = begun.structuredContent ?? {};
  const seconds = waitOf(args.waitSeconds);
  if (typeof seconds === 'string') return failure(`${seconds} The run ${run.id} has been started.`);
  if (seconds === 0 || resting.has(run.status)) return begun;
  const over = new AbortController();
  const stop = context.clock.after(seconds * 1000, () => over.abort());
  let steps = 0;
  const onChunk = sseReader((data) => {
    const { type, title } = asRecord(asRecord(parsed(data)).data);
    if (typeof title === 'string') context.progress(++steps, title);
    if (type === 'EscalationRaised' || type === 'ToolApprovalRequested') over.abort();
  });
  const events = { method: 'GET', path: `/api/agent/runs/${run.id}/events`, query: 'lean=true', onChunk };
  const signal = AbortSignal.any([context.signal, over.signal]);
  await ask({ ...events, accept: 'text/event-stream' }, { ...context, signal }).finally(stop);
  return resultOf(await ask({ method: 'GET', path: `/api/agent/runs/${run.id}` }, context));
}

/** Streams the reply of a chat. A client that leaves does not stop it: chat_get shows it, chat_stop stops it. */
async function reply(ask: Ask, request: Asked, context: CallContext): Promise<CallResult> {
  let said = '';
  let told = 0;
  let end: Record<string, unknown> = {};
  const onChunk = sseReader((data) => {
    const event = asRecord(parsed(data));
    if (typeof event.delta === 'string' && event.type === 'ContentDelta') said += event.delta;
    if (event.type === 'ToolCall') context.progress(++told, `Calls ${String(asRecord(event.toolCall).name)}`);
    else if (said.length >= (told + 1) * progressEvery) context.progress(++told, said.slice(-progressEvery));
    if (event.type === 'Completed' || event.type === 'Error') end = event;
  });
  const answer = await ask({ ...request, accept: 'text/event-stream', onChunk }, context);
  if (answer.text) return resultOf(answer);
  const { type, message, usage, error, errorCode, hint } = end;
  if (type === 'Error') return failure(describe({ error, errorCode, hint }));
  if (type !== 'Completed') return failure('The reply is not complete yet. See chat_get.');
  const { reasoningContent: _, ...sums } = asRecord(usage);
  const { id: messageId, toolCalls } = asRecord(message);
  return success({ ...sums, messageId, toolCalls });
}

/** Characters of a reply from one word of progress to the next. */
const progressEvery = 200;
const resting: ReadonlySet<unknown> = new Set([
  'Completed',
  'Failed',
  'Cancelled',
  'TimedOut',
  'BudgetExhausted',
  'WaitingForDecision',
  'Paused',
]);

function waitOf(given: unknown): number | string {
  if (given === undefined || given === null) return defaultWaitSeconds;
  if (Number.isInteger(given) && (given as number) >= 0 && (given as number) <= maxWaitSeconds) return given as number;
  return `waitSeconds: a whole number from 0 to ${maxWaitSeconds}.`;
}

function resultOf({ status, text }: InnerAnswer): CallResult {
  const answer = parsed(text) as Envelope | null;
  if (answer?.ok) return success(answer.data);
  if (answer?.error) return failure(describe(answer));
  return failure(`The server answered ${status}.`);
}

export function success(data: unknown): CallResult {
  if (data === null || data === undefined) return { content: [{ type: 'text', text: 'Done.' }] };
  const structuredContent = Array.isArray(data) ? { items: data } : asRecord(data);
  return { content: [{ type: 'text', text: JSON.stringify(data) }], structuredContent };
}

const failure = (text: string): CallResult => ({ content: [{ type: 'text', text }], isError: true });

const describe = ({ error, errorCode, hint }: Failed) =>
  hint ? `${errorCode}: ${error}\n${hint}` : `${errorCode}: ${error}`;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
