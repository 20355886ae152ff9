// A connection to somebody's MCP server, in either era of the protocol; whatever the server does, its calls end.
import {
  type CallToolResult,
  Client,
  type FetchLike,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import type { McpProxyStatus } from '../../contract/enums.ts';
import { Fault, toFault } from '../../kernel/fault.ts';
import { type Definition, definitionsOf } from './definitions.ts';

export interface McpTarget {
  url: URL;
  kind: 'StreamableHttp' | 'Sse';
  /** Credentials among them. */
  headers: Readonly<Record<string, string>>;
}

export interface McpConnection {
  /** Reads the list anew, page by page. @throws Fault */
  tools(signal?: AbortSignal): Promise<Definition[]>;
  /** @throws Fault for what is no answer of the tool */
  call(
    name: string,
    args: Record<string, unknown>,
    options: { signal: AbortSignal; timeoutMs: number },
  ): Promise<CallToolResult>;
  /** The server has said that its list is another one, since the list was read. */
  readonly changed: boolean;
  close(): Promise<void>;
}

/** Milliseconds until a server has answered a step of the beginning, or a page of its list. */
const usualStepMs = 20_000;
const mostPages = 50;

/**
 * Connects to a server.
 *
 * @param fetch - the guarded one
 * @throws Fault, see `failureOf`
 */
export async function connectMcp(
  fetch: FetchLike,
  target: McpTarget,
  { signal, stepMs = usualStepMs }: { signal?: AbortSignal | undefined; stepMs?: number } = {},
): Promise<McpConnection> {
  const host = target.url.hostname;
  let changed = false;
  // Neither sampling, elicitation nor roots are declared: what a server asks for all the same is refused.
  const client = new Client(
    { name: 'rivulet', version: '1.0.0' },
    {
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
  const failing = async <T>(work: Promise<T>, stop?: AbortSignal): Promise<T> => {
    try {
      return await untilAborted(work, stop);
    } catch (error) {
      stop?.throwIfAborted();
      throw failureOf(error, host);
    }
  };
  const options = { fetch, requestInit: { headers: { ...target.headers } } };
  const transport =
    target.kind === 'Sse'
      ? new SSEClientTransport(target.url, options)
      : new StreamableHTTPClientTransport(target.url, options);
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
      return definitionsOf(tools);
    },
    call: (name, args, { signal: stop, timeoutMs }) =>
      failing(
        client.callTool({ name, arguments: args }, { signal: stop, timeout: timeoutMs, maxTotalTimeout: timeoutMs }),
        stop,
      ),
    close: async () => {
      if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession().catch(() => {});
      await client.close().catch(() => {});
    },
  };
}

/** Not every step of the library ends with its signal. */
function untilAborted<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
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
