// The address of an MCP server: who may come in, and from which pages; behind it a protocol library answers.
import type { McpServerFactory } from '@modelcontextprotocol/server';
import type { Caller } from '../../contract/caller.ts';
import { authorizationOf } from '../../kernel/authorization.ts';
import { Fault, toFault } from '../../kernel/fault.ts';
import { gravityOf } from '../../kernel/gravity.ts';
import { createAccessLog } from '../access-log.ts';
import type { Exchange } from '../adapter.ts';
import { createCallerOf } from '../caller-of.ts';
import type { HttpAppOptions, McpOptions } from '../options.ts';
import { contextOf, type RequestContext } from '../request-context.ts';
import { requestOf, sendResponse } from '../web-exchange.ts';
import type { Principal } from './calls.ts';

/** Headers that mean something to the protocol. */
const protocolHeaders = [
  'accept',
  'content-type',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
  'last-event-id',
];
/** Headers that calls inside carry on. */
const carriedHeaders = ['user-agent', 'traceparent', 'tracestate'];
const maxBodyBytes = 4 << 20;
/** Any operation that a signed-in caller may carry out. */
const anyCaller = { needs: 'self', byAnyKey: true } as const;

export type McpDoorOptions = Pick<
  HttpAppOptions,
  'authenticate' | 'redeemTicket' | 'limits' | 'clock' | 'log' | 'observe' | 'corsOrigins'
> &
  Omit<McpOptions, 'version'>;

export interface McpDoor {
  /** Answers a request to `/mcp`. Never rejects. */
  handle(exchange: Exchange): Promise<void>;
  /** Ends what is under way. */
  close(): Promise<void>;
}

/** @param factory Called with the first request: reading the protocol's library takes a twentieth of a start. */
export function createMcpDoor(options: McpDoorOptions, factory: () => Promise<McpServerFactory>): McpDoor {
  const { log } = options;
  let handler: ReturnType<typeof openHandler> | undefined;
  const callers = createCallerOf(options);
  const report = createAccessLog(options);

  async function answer(context: RequestContext): Promise<void> {
    const { exchange } = context;
    requireOrigin(exchange, options);
    if (exchange.method === 'OPTIONS') return preflight(context);
    const caller = await callerOf(context);
    options.limits?.perCaller?.take(`${caller.tenantId} ${caller.keyId ?? caller.sessionId}`);
    const request = await requestOf(exchange, {
      origin: options.publicUrl(),
      headers: protocolHeaders,
      maxBodyBytes,
    });
    const about = aboutOf(exchange.query);
    const principal: Principal = { caller, ip: exchange.ip, about, headers: carried(exchange, context.requestId) };
    const authInfo = { token: '', clientId: caller.name, scopes: [], extra: { principal } };
    handler ??= openHandler(log, factory());
    const response = await (await handler).fetch(request, { authInfo });
    context.status = response.status;
    await sendResponse(exchange, response, {
      clock: options.clock,
      headers: [['x-request-id', context.requestId], ...safety, ...context.headers],
    });
  }

  async function callerOf(context: RequestContext): Promise<Caller> {
    options.limits?.failedSignIns?.check(context.exchange.ip);
    await callers.identify(context, anyCaller as never, { readStreamQuery: null } as never);
    if (context.caller) return context.caller;
    throw new Fault('UNAUTHENTICATED', 'This needs a key or an access token.', {
      hint: 'Send "Authorization: Bearer <key or access token>".',
    });
  }

  /** Failures before the protocol begins, in words that its clients show. */
  function refuse(context: RequestContext, fault: Fault): void {
    context.status = fault.status;
    context.code = fault.code;
    const gravity = gravityOf(fault);
    if (gravity) log[gravity]({ err: fault.cause ?? fault, requestId: context.requestId }, fault.message);
    const metadata = options.resourceMetadata?.(context.exchange) ?? null;
    const challenge = metadata ? `Bearer resource_metadata="${metadata}"` : 'Bearer';
    const headers: [string, string][] = [
      ['content-type', 'application/json'],
      ['x-request-id', context.requestId],
    ];
    if (fault.status === 401) headers.push(['www-authenticate', challenge]);
    if (fault.retryAfterSeconds !== null) headers.push(['retry-after', String(fault.retryAfterSeconds)]);
    const error = { code: -32_000, message: fault.text, data: { errorCode: fault.code } };
    const body = { jsonrpc: '2.0', id: null, error };
    context.exchange.send(fault.status, [...headers, ...safety, ...context.headers], JSON.stringify(body));
  }

  return {
    handle: async (exchange) => {
      const context = contextOf(exchange, options.corsOrigins);
      try {
        await answer(context);
      } catch (error) {
        refuse(context, callers.countedFault(context, toFault(error)));
      }
      report(context);
    },
    close: async () => (await handler)?.close(),
  };
}

async function openHandler(log: McpDoorOptions['log'], factory: Promise<McpServerFactory>) {
  const { createMcpHandler } = await import('@modelcontextprotocol/server');
  return createMcpHandler(await factory, {
    maxRequestBodySize: maxBodyBytes,
    onerror: (error) => log.debug({ err: error }, 'an MCP request was refused'),
  });
}

const safety: readonly (readonly [string, string])[] = [
  ['x-content-type-options', 'nosniff'],
  ['cache-control', 'no-store'],
];

function carried(exchange: Exchange, requestId: string): Principal['headers'] {
  const kept = carriedHeaders.map((name) => [name, exchange.header(name)] as const);
  return {
    ...Object.fromEntries(kept.filter(([, value]) => value !== undefined)),
    authorization: authorizationOf((name) => exchange.header(name)),
    'x-request-id': requestId,
  };
}

/** Clients whose models shall see few tools ask for `/mcp?tools=run,chat`. */
function aboutOf(query: string): Principal['about'] {
  const names = new URLSearchParams(query).get('tools');
  return names ? new Set(names.split(',').map((name) => name.trim())) : null;
}

/**
 * A page of another origin must not reach a server on its visitor's machine: browsers say whose page asks.
 *
 * @throws Fault FORBIDDEN
 */
function requireOrigin(exchange: Exchange, { corsOrigins = [], publicUrl }: McpDoorOptions): void {
  const origin = exchange.header('origin');
  if (origin === undefined || corsOrigins.includes(origin) || isOwn(origin, publicUrl())) return;
  throw new Fault('FORBIDDEN', `Pages of ${origin.slice(0, 200)} may not call this server.`, {
    hint: 'An operator permits it by RIVULET_CORS_ORIGINS.',
  });
}

/** Pages of the server itself; on one's own machine the names of the machine are as good as each other. */
function isOwn(origin: string, publicUrl: string): boolean {
  const own = new URL(publicUrl);
  if (origin === own.origin) return true;
  const page = URL.canParse(origin) ? new URL(origin) : null;
  return page !== null && isLoopback(page) && isLoopback(own);
}

const isLoopback = ({ hostname }: URL) => hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';

function preflight(context: RequestContext): void {
  context.status = 204;
  const allow = 'POST, OPTIONS';
  const headers = [['allow', allow], ['access-control-allow-methods', allow], ...context.headers] as const;
  context.exchange.send(204, headers, '');
}
