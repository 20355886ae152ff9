// A connection to somebody's MCP server, in either era of the protocol; whatever the server does, its calls end.
import {
  type AuthProvider,
  type CallToolResult,
  Client,
  extractWWWAuthenticateParams,
  type FetchLike,
  type InputRequiredResult,
  type InputResponses,
  InsufficientScopeError,
  ProtocolError,
  type Root,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/client';
import type { McpProxyStatus } from '../../contract/enums.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault, toFault } from '../../kernel/fault.ts';
import type { Programs } from '../../ports/programs.ts';
import { hideValues } from '../hidden-values.ts';
import { untilAborted } from '../until-aborted.ts';
import type { McpSignedIn } from './authorization.ts';
import { type Definition, definitionsOf } from './definitions.ts';
import { offerNamed, offersOf } from './offers.ts';
import {
  type Came,
  type Carrier,
  noLimit,
  type OpenQuestion,
  type OpenRequests,
  openRequests,
  type Reply,
} from './open-requests.ts';
import { type ProgramOf, ProgramTransport } from './program-transport.ts';
import { type Answer, readResult } from './results.ts';
import { linkOf, notOffered, type Wish, wishOf } from './wishes.ts';

export type McpTarget =
  | {
      kind: 'StreamableHttp' | 'Sse';
      url: URL;
      /** Credentials among them. */
      headers: Readonly<Record<string, string>>;
      /** Of servers that people sign in to. */
      signedIn?: McpSignedIn;
    }
  /** A program in a sandbox. */
  | { kind: 'Stdio'; program: ProgramOf };

/** The ways to servers. */
export interface McpWays {
  /** The guarded one. */
  fetch: FetchLike;
  programs: Programs;
  clock: Pick<Clock, 'after' | 'now' | 'steady'>;
}

/** What a server wants before its tool goes on. */
export interface Asking {
  wishes: Readonly<Record<string, Wish>>;
  /** The server's own, given back as it is. */
  requestState?: string;
  /** The call is made anew, and given nothing: the server finds out itself. */
  anew?: true;
  /** The call that is still open, and waits for the answer. */
  open?: string;
}

/** How a call goes on after its questions were answered. */
export interface GoingOn {
  inputResponses: InputResponses;
  requestState?: string;
}

interface CallOptions extends Carrier {
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
  /** Goes on with an open call. @throws Fault as `call` */
  goOn(open: string, reply: Reply | null, carrier: Carrier): Promise<Answer | Asking>;
  /** Whether a call of this name is open. */
  holds(open: string): boolean;
  /** What an open call waits for; null where there is none of this name. */
  held(open: string, question: string): OpenQuestion | null;
  /** Ends an open call that waits. */
  abandon(open: string): void;
  /** The server has said that its list is another one, since the list was read. */
  readonly changed: boolean;
  /** Ends it; unless at once, calls that have asked something go on to their end. */
  close(atOnce?: boolean): Promise<void>;
}

/** Milliseconds until a server has answered a step of the beginning, or a page of its list. */
const usualStepMs = 20_000;
/** The same for a program, which may have to be fetched first. */
const startMs = 60_000;
const mostPages = 50;
/** Milliseconds that a server has to hear that its session is over. */
const farewellMs = 2000;

export interface ConnectOptions {
  signal?: AbortSignal | undefined;
  stepMs?: number;
  /** Whether the server may ask models. */
  sampling?: boolean;
  /** Folders of whose work this is for; none unless given. */
  roots?: () => Promise<Root[]>;
}

/**
 * Connects to a server.
 *
 * @throws Fault, see `failureOf`
 */
export async function connectMcp(
  ways: McpWays,
  target: McpTarget,
  { signal, stepMs = target.kind === 'Stdio' ? startMs : usualStepMs, sampling = false, ...more }: ConnectOptions = {},
): Promise<McpConnection> {
  const host = target.kind === 'Stdio' ? 'The server' : target.url.hostname;
  const transport = transportTo(ways, target);
  let changed = false;
  let leaving: Promise<void> | null = null;
  const client = new Client(
    { name: 'rivulet', version: '1.0.0' },
    {
      capabilities: { elicitation: { form: {}, url: {} }, roots: {}, ...(sampling && { sampling: {} }) },
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
  const requests = openRequests(client, {
    ...{ sampling, roots: more.roots ?? (async () => []), clock: ways.clock },
    sharesStream: () => target.kind !== 'StreamableHttp' && client.getProtocolEra() === 'legacy',
  });
  endingWithStreams(transport, requests);
  const failing = async <T>(work: Promise<T>, stop?: AbortSignal): Promise<T> => {
    try {
      return await untilAborted(work, stop);
    } catch (error) {
      stop?.throwIfAborted();
      if (error instanceof InsufficientScopeError) await tellOf(error, target);
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
      failing(callOn(client, requests, { tool, args, ...callOptions }), callOptions.signal),
    goOn: (open, reply, carrier) =>
      failing(requests.goOn<CallResult>(open, reply, carrier).then(cameTo), carrier.signal),
    holds: (open) => requests.holds(open),
    held: (open, question) => requests.held(open, question),
    abandon: (open) => requests.abandon(open),
    close: async (atOnce = false) => {
      if (!atOnce) await requests.quiet();
      leaving ??= leave(client, transport, ways.clock);
      await leaving;
    },
  };
}

/** Ends a connection; a server in the middle of something has a moment to hear that its session is over. */
async function leave(client: Client, transport: ReturnType<typeof transportTo>, clock: McpWays['clock']) {
  if (transport instanceof StreamableHTTPClientTransport) {
    let stop = () => {};
    const late = new Promise<void>((done) => {
      stop = clock.after(farewellMs, done);
    });
    await Promise.race([transport.terminateSession().catch(() => {}), late]);
    stop();
  }
  await client.close().catch(() => {});
}

function transportTo({ fetch, programs }: McpWays, target: McpTarget) {
  if (target.kind === 'Stdio') return new ProgramTransport(programs, target.program);
  const options = {
    fetch,
    requestInit: { headers: { ...target.headers } },
    ...(target.signedIn && { authProvider: bearing(target.signedIn) }),
  };
  return target.kind === 'Sse'
    ? new SSEClientTransport(target.url, options)
    : new StreamableHTTPClientTransport(target.url, options);
}

/** Says of calls over HTTP that their stream has ended, which nothing else does while they wait. */
function endingWithStreams(transport: ReturnType<typeof transportTo>, requests: OpenRequests): void {
  if (!(transport instanceof StreamableHTTPClientTransport)) return;
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    const call = requests.current();
    return send(message, call ? { ...options, onRequestStreamEnd: call.lost } : options);
  };
}

/** Shows tokens to the server, and takes its word where it wants others. */
const bearing = (signedIn: McpSignedIn): AuthProvider => ({
  token: () => signedIn.token(),
  onUnauthorized: async ({ response }) => {
    const { scope = null, resourceMetadataUrl } = extractWWWAuthenticateParams(response);
    const metadataUrl = resourceMetadataUrl?.href ?? null;
    if (await signedIn.challenged({ scope, metadataUrl, wantsMore: false })) return;
    throw new UnauthorizedError('nobody has signed in');
  },
});

async function tellOf({ requiredScope, resourceMetadataUrl }: InsufficientScopeError, target: McpTarget) {
  if (target.kind === 'Stdio') return;
  const metadataUrl = resourceMetadataUrl?.href ?? null;
  await target.signedIn?.challenged({ scope: requiredScope ?? null, metadataUrl, wantsMore: true });
}

/** Why a program has ended, without what it was given. */
function endOf(transport: ReturnType<typeof transportTo>, target: McpTarget): Fault | null {
  if (!(transport instanceof ProgramTransport) || target.kind !== 'Stdio' || transport.ended === null) return null;
  return new Fault('MCP_ERROR', hideValues(transport.ended, Object.values(target.program.env)), {
    hint: 'Its folder is kept below sandbox/programs of the data folder; hosts that it may reach are those of the role mcp in RIVULET_SANDBOX_SETTINGS.',
  });
}

interface Call extends CallOptions {
  tool: Pick<Definition, 'name' | 'inputSchema'>;
  args: Record<string, unknown>;
}

type CallResult = CallToolResult | InputRequiredResult | Asking;

async function callOn(
  client: Client,
  requests: OpenRequests,
  { tool, args, goingOn, ...carrier }: Call,
): Promise<Answer | Asking> {
  const { signal, timeoutMs: timeout } = carrier;
  const offer = offerNamed(tool.name);
  if (offer) return offer(client, args, { signal, timeout });
  const toolDefinition = { name: tool.name, inputSchema: tool.inputSchema as { type: 'object' } };
  const params = { name: tool.name, arguments: args, ...goingOn };
  const options = { ...noLimit, toolDefinition, allowInputRequired: true as const };
  const call = (stop: AbortSignal): Promise<CallResult> =>
    client.callTool(params, { ...options, signal: stop }).catch((error: unknown) => {
      if (error instanceof UrlElicitationRequiredError) return linksOf(error);
      throw error;
    });
  return cameTo(await requests.begin(carrier, call));
}

/** @throws Fault MCP_ERROR for what it was not offered to ask */
function cameTo(came: Came<CallResult>): Answer | Asking {
  if ('asked' in came) {
    const { call, question, wish } = came.asked;
    return { wishes: { [question]: wish }, open: call };
  }
  const { result, told } = came;
  if ('wishes' in result) return result as Asking;
  if (isAsking(result)) return askingOf(result);
  const answer = readResult(result as CallToolResult);
  return told.length === 0 ? answer : { ...answer, content: [answer.content, ...told].join('\n') };
}

const isAsking = (result: object): result is InputRequiredResult =>
  (result as { resultType?: unknown }).resultType === 'input_required';

/** Addresses that a server of 2025 wants opened before it is called again. */
function linksOf({ elicitations }: UrlElicitationRequiredError): Asking {
  const links = elicitations.map((one, n) => [String(n), linkOf(one)] as const);
  if (links.length === 0 || links.some(([, link]) => link === null)) throw notOffered('an address to be opened');
  return { wishes: Object.fromEntries(links) as Asking['wishes'], anew: true };
}

/** @throws Fault MCP_ERROR for what it was not offered to ask */
function askingOf({ inputRequests = {}, requestState }: InputRequiredResult): Asking {
  const wishes: Record<string, Wish> = {};
  for (const [key, request] of Object.entries(inputRequests)) {
    const wish = wishOf(request);
    if (!wish) throw notOffered(request.method);
    wishes[key] = wish;
  }
  return { wishes, ...(requestState !== undefined && { requestState }) };
}

/** What a connection is after a failure. */
export const statusAfter = (fault: Fault): McpProxyStatus => (fault.field === authField ? 'AuthRequired' : 'Failed');

const authField = 'credentials';
const answerField = 'answer';

/** A server that has refused a call in the protocol's own words: nothing is wrong with it or the connection. */
export const isAnswered = (fault: Fault): boolean => fault.code === 'MCP_ERROR' && fault.field === answerField;

/** What went wrong, without anything of the URL but its host. */
export function failureOf(error: unknown, host: string): Fault {
  const fault = faultIn(error);
  if (fault) return fault;
  if (error instanceof InsufficientScopeError)
    return new Fault('MCP_ERROR', `${host} wants more than the sign-in of this connector allows.`, {
      field: authField,
      hint: 'Sign in again with POST /api/connectors/{id}/sign-in; it asks for what is lacking.',
      cause: error,
    });
  const status = error instanceof SdkHttpError ? error.status : undefined;
  if (error instanceof UnauthorizedError || status === 401 || status === 403)
    return new Fault('MCP_ERROR', `${host} does not take the credentials of this connector.`, {
      field: authField,
      hint: 'Sign in with POST /api/connectors/{id}/sign-in, if it has the authMethod OAuth2AuthorizationCode, or give it other credentials with PATCH /api/connectors/{id}.',
      cause: error,
    });
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return new Fault('CONNECTOR_TIMEOUT', `${host} did not answer in time.`, { cause: error });
  const network = networkIn(error);
  if (network) return new Fault('CONNECTOR_ERROR', `${host} could not be reached: ${network}.`, { cause: error });
  if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed)
    return new Fault('CONNECTOR_ERROR', `${host} ended the connection before it had answered.`, { cause: error });
  const said = wordsOf(error);
  if (error instanceof ProtocolError)
    return new Fault('MCP_ERROR', `${host} answered with an error: ${said}`, { field: answerField, cause: error });
  return new Fault('MCP_ERROR', `${host} answered against the protocol: ${said}`, {
    hint: 'See that its address leads to an MCP server, and which transport that speaks.',
    cause: error,
  });
}

const wordsOf = (error: unknown): string =>
  (error instanceof Error ? error.message : 'no answer').replaceAll(/\s+/g, ' ').slice(0, 300).replace(/\.?$/, '.');

const causesOf = (error: Error): unknown[] => [error.cause, (error as { data?: { cause?: unknown } }).data?.cause];

/** The system's name of why there is no connection, which libraries wrap. */
function networkIn(error: unknown, depth = 0): string | null {
  if (!(error instanceof Error) || depth > 4) return null;
  const { code } = error as { code?: unknown };
  const isSystem = typeof code === 'string' && /^E[A-Z]{3,}$|TLS|CERT/.test(code);
  if (isSystem && !(error instanceof SdkError)) return code;
  return causesOf(error).reduce<string | null>((found, cause) => found ?? networkIn(cause, depth + 1), null);
}

/** The door's own refusal, which libraries wrap. */
function faultIn(error: unknown, depth = 0): Fault | null {
  if (error instanceof Fault) return toFault(error);
  if (!(error instanceof Error) || depth > 4) return null;
  return causesOf(error).reduce<Fault | null>((found, cause) => found ?? faultIn(cause, depth + 1), null);
}
