// A connection to somebody's MCP server, in either era of the protocol; whatever the server does, its calls end.
import {
  type CallToolResult,
  Client,
  type FetchLike,
  type InputRequiredResult,
  type InputResponses,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import type { McpProxyStatus } from '../../contract/enums.ts';
import { Fault, toFault } from '../../kernel/fault.ts';
import type { Programs } from '../../ports/programs.ts';
import { hideValues } from '../hidden-values.ts';
import { untilAborted } from '../until-aborted.ts';
import { type Definition, definitionsOf } from './definitions.ts';
import { offerNamed, offersOf } from './offers.ts';
import { type ProgramOf, ProgramTransport } from './program-transport.ts';
import { type Form, formOf } from './questions.ts';
import { type Answer, readResult } from './results.ts';

export type McpTarget =
  | {
      kind: 'StreamableHttp' | 'Sse';
      url: URL;
      /** Credentials among them. */
      headers: Readonly<Record<string, string>>;
    }
  /** A program in a sandbox. */
  | { kind: 'Stdio'; program: ProgramOf };

/** The ways to servers. */
export interface McpWays {
  /** The guarded one. */
  fetch: FetchLike;
  programs: Programs;
}

/** What a server wants to know of a person before its tool goes on. */
export interface Asking {
  forms: Readonly<Record<string, Form>>;
  /** The server's own, given back as it is. */
  requestState?: string;
}

/** How a call goes on after its questions were answered. */
export interface GoingOn {
  inputResponses: InputResponses;
  requestState?: string;
}

interface CallOptions {
  signal: AbortSignal;
  timeoutMs: number;
  goingOn?: GoingOn | undefined;
}

export interface McpConnection {
  /** Reads the list anew, page by page, with what the server offers beside tools. @throws Fault */
  tools(signal?: AbortSignal): Promise<Definition[]>;
  /** @throws Fault for what is no answer of the tool */
  call(
    tool: Pick<Definition, 'name' | 'inputSchema'>,
    args: Record<string, unknown>,
    options: CallOptions,
  ): Promise<Answer | Asking>;
  /** The server has said that its list is another one, since the list was read. */
  readonly changed: boolean;
  close(): Promise<void>;
}

/** Milliseconds until a server has answered a step of the beginning, or a page of its list. */
const usualStepMs = 20_000;
/** The same for a program, which may have to be fetched first. */
const startMs = 60_000;
const mostPages = 50;

interface ConnectOptions {
  signal?: AbortSignal | undefined;
  stepMs?: number;
}

/**
 * Connects to a server.
 *
 * @throws Fault, see `failureOf`
 */
export async function connectMcp(
  ways: McpWays,
  target: McpTarget,
  { signal, stepMs = target.kind === 'Stdio' ? startMs : usualStepMs }: ConnectOptions = {},
): Promise<McpConnection> {
  const host = target.kind === 'Stdio' ? 'The server' : target.url.hostname;
  const transport = transportTo(ways, target);
  let changed = false;
  // Neither sampling nor roots are declared: what a server asks for all the same is refused.
  const client = new Client(
    { name: 'rivulet', version: '1.0.0' },
    {
      capabilities: { elicitation: { form: {} } },
      inputRequired: { autoFulfill: false },
      versionNegotiation: { mode: 'auto' },
      listMaxPages: mostPages,
      listChanged: {
        tools: {
          autoRefresh: false,
          onChanged: () => {
            changed = true;
          },
        },
      },
    },
  );
  const declined = declining(client);
  const failing = async <T>(work: Promise<T>, stop?: AbortSignal): Promise<T> => {
    try {
      return await untilAborted(work, stop);
    } catch (error) {
      stop?.throwIfAborted();
      throw failureOf(endOf(transport, target) ?? error, host);
    }
  };
  try {
    await failing(client.connect(transport, { timeout: stepMs, ...(signal && { signal }) }), signal);
  } catch (error) {
    client.close().catch(() => {});
    throw error;
  }
  return {
    get changed() {
      return changed;
    },
    tools: async (stop) => {
      changed = false;
      const request = { timeout: stepMs, cacheMode: 'refresh' as const, ...(stop && { signal: stop }) };
      const { tools } = await failing(client.listTools(undefined, request), stop);
      return [...definitionsOf(tools), ...(await failing(offersOf(client, request), stop))];
    },
    call: (tool, args, callOptions) =>
      failing(callOn(client, declined, { tool, args, ...callOptions }), callOptions.signal),
    close: async () => {
      if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession().catch(() => {});
      await client.close().catch(() => {});
    },
  };
}

function transportTo({ fetch, programs }: McpWays, target: McpTarget) {
  if (target.kind === 'Stdio') return new ProgramTransport(programs, target.program);
  const options = { fetch, requestInit: { headers: { ...target.headers } } };
  return target.kind === 'Sse'
    ? new SSEClientTransport(target.url, options)
    : new StreamableHTTPClientTransport(target.url, options);
}

/** Why a program has ended, without what it was given. */
function endOf(transport: ReturnType<typeof transportTo>, target: McpTarget): Fault | null {
  if (!(transport instanceof ProgramTransport) || target.kind !== 'Stdio' || transport.ended === null) return null;
  return new Fault('MCP_ERROR', hideValues(transport.ended, Object.values(target.program.env)), {
    hint: 'Its folder is kept below sandbox/programs of the data folder; hosts that it may reach are those of the role mcp in RIVULET_SANDBOX_SETTINGS.',
  });
}

/**
 * Questions of servers of the era before 2026, which wait on an open request: no run could rest meanwhile, so they are
 * declined, and what was asked is told with the tool's result.
 */
function declining(client: Client): string[] {
  const asked: string[] = [];
  client.setRequestHandler('elicitation/create', ({ params }) => {
    asked.push(params.message.slice(0, 1000));
    return { action: 'decline' };
  });
  return asked;
}

interface Call extends CallOptions {
  tool: Pick<Definition, 'name' | 'inputSchema'>;
  args: Record<string, unknown>;
}

async function callOn(
  client: Client,
  declined: string[],
  { tool, args, signal, timeoutMs, goingOn }: Call,
): Promise<Answer | Asking> {
  const limits = { signal, timeout: timeoutMs, maxTotalTimeout: timeoutMs };
  const offer = offerNamed(tool.name);
  if (offer) return offer(client, args, limits);
  const toolDefinition = { name: tool.name, inputSchema: tool.inputSchema as { type: 'object' } };
  const params = { name: tool.name, arguments: args, ...goingOn };
  const result = await client.callTool(params, { ...limits, toolDefinition, allowInputRequired: true });
  if (isAsking(result)) return askingOf(result);
  const answer = readResult(result);
  const told = declined
    .splice(0)
    .map((one) => `[It asked a person "${one}". Servers of its era cannot wait: declined.]`);
  return told.length === 0 ? answer : { ...answer, content: [answer.content, ...told].join('\n') };
}

const isAsking = (result: CallToolResult | InputRequiredResult): result is InputRequiredResult =>
  (result as { resultType?: unknown }).resultType === 'input_required';

/** @throws Fault MCP_ERROR for what it was not offered to ask */
function askingOf({ inputRequests = {}, requestState }: InputRequiredResult): Asking {
  const forms: Record<string, Form> = {};
  for (const [key, { method, params }] of Object.entries(inputRequests)) {
    const form = method === 'elicitation/create' && params.mode !== 'url' ? formOf(params as never) : null;
    if (!form)
      throw new Fault('MCP_ERROR', `The server asked for ${method.slice(0, 100)}, which it was not offered here.`, {
        hint: 'Forms of at most 30 fields are answered, and nothing else.',
      });
    forms[key] = form;
  }
  return { forms, ...(requestState !== undefined && { requestState }) };
}

/** What a connection is after a failure. */
export const statusAfter = (fault: Fault): McpProxyStatus =>
  fault.code === 'MCP_ERROR' && fault.field === authField ? 'AuthRequired' : 'Failed';

const authField = 'credentials';

/** What went wrong, without anything of the URL but its host. */
export function failureOf(error: unknown, host: string): Fault {
  const fault = faultIn(error);
  if (fault) return fault;
  const status = error instanceof SdkHttpError ? error.status : undefined;
  if (error instanceof UnauthorizedError || status === 401 || status === 403)
    return new Fault('MCP_ERROR', `${host} does not take the credentials of this connector.`, {
      field: authField,
      hint: 'Give it other credentials with PATCH /api/connectors/{id}.',
      cause: error,
    });
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return new Fault('CONNECTOR_TIMEOUT', `${host} did not answer in time.`, { cause: error });
  const said = error instanceof Error ? error.message : 'no answer';
  return new Fault(
    'MCP_ERROR',
    `${host} answered against the protocol: ${said.replaceAll(/\s+/g, ' ').slice(0, 300)}`,
    {
      hint: 'See its status and last error with GET /api/connectors/{id}.',
      cause: error,
    },
  );
}

/** The door's own refusal, which libraries wrap. */
function faultIn(error: unknown, depth = 0): Fault | null {
  if (error instanceof Fault) return toFault(error);
  if (!(error instanceof Error) || depth > 4) return null;
  return faultIn(error.cause, depth + 1) ?? faultIn((error as { data?: { cause?: unknown } }).data?.cause, depth + 1);
}
