// The address of A2A agents: their cards for anybody, and their two bindings for whoever signs in.
import { AgentCard } from '@a2a-js/sdk';
import { A2AError, VersionNotSupportedError } from '@a2a-js/sdk/errors';
import { ServerCallContext } from '@a2a-js/sdk/server';
import type { Caller } from '../../contract/caller.ts';
import { authorizationOf } from '../../kernel/authorization.ts';
import { type ErrorCode, errorStatus } from '../../kernel/error-codes.ts';
import { Fault, toFault } from '../../kernel/fault.ts';
import { gravityOf } from '../../kernel/gravity.ts';
import { createAccessLog } from '../access-log.ts';
import type { Exchange, HeaderList } from '../adapter.ts';
import { createCallerOf } from '../caller-of.ts';
import { callInside, type Handle } from '../inner-exchange.ts';
import type { A2aOptions, HttpAppOptions } from '../options.ts';
import { contextOf, type RequestContext } from '../request-context.ts';
import { sendResponse } from '../web-exchange.ts';
import { rpcAnswer, rpcFailure } from './json-rpc.ts';
import { restAnswer, restFailure } from './rest.ts';
import type { ShownAgent } from './shown-agent.ts';

export type A2aDoorOptions = Pick<
  HttpAppOptions,
  'authenticate' | 'redeemTicket' | 'limits' | 'clock' | 'log' | 'observe' | 'corsOrigins'
> &
  A2aOptions;

const place = /^\/a2a\/([0-9a-f-]{36})(\/.*)?$/;
const cardPath = '/.well-known/agent-card.json';
const protocolVersion = '1.0';
/** What a client speaks that does not say its version. */
const formerVersion = '0.3';
const maxBodyBytes = 4 << 20;
const bodyDeadlineMs = 20_000;
const cardSeconds = 60;
/** Headers that calls inside carry on. */
const carriedHeaders = ['user-agent', 'traceparent', 'tracestate'];
const anyCaller = { needs: 'self', byAnyKey: true } as const;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small functions over one request.
export function createA2aDoor(options: A2aDoorOptions, handle: Handle) {
  const callers = createCallerOf(options);
  const report = createAccessLog(options);

  const callerOf = async (context: RequestContext, tenantId: number): Promise<Caller> => {
    options.limits?.failedSignIns?.check(context.exchange.ip);
    await callers.identify(context, anyCaller as never, { readStreamQuery: null } as never);
    const { caller } = context;
    if (!caller)
      throw new Fault('UNAUTHENTICATED', 'This needs a key or an access token.', {
        hint: 'Send "Authorization: Bearer <key or access token>".',
      });
    // People of other tenants find what strangers find.
    if (caller.tenantId !== tenantId) throw noAgent();
    options.limits?.perCaller?.take(`${caller.tenantId} ${caller.keyId ?? caller.sessionId}`);
    return caller;
  };

  async function answer(context: RequestContext, guid: string, path: string): Promise<void> {
    const { exchange } = context;
    if (exchange.method === 'OPTIONS') return preflight(context);
    const agent = await options.byName(guid);
    if (!agent) throw noAgent();
    if (path === cardPath) return sendCard(context, agent, options.baseOf(exchange));
    const caller = await callerOf(context, agent.tenantId);
    const handler = agent.answer({
      ...{ caller, signal: exchange.signal },
      key: exchange.header('idempotency-key')?.slice(0, 200) ?? null,
      ask: askingFor(context, handle),
    });
    const requestedVersion = versionOf(exchange);
    const call = new ServerCallContext({ requestedVersion });
    const body = await bodyOf(exchange);
    if (path === '' || path === '/') {
      if (exchange.method !== 'POST') throw new Fault('NOT_FOUND', 'Calls of JSON-RPC are sent with POST.');
      const refused = requestedVersion === protocolVersion ? null : wrongVersion(requestedVersion);
      return send(context, await rpcAnswer(body, handler, call, refused));
    }
    if (requestedVersion !== protocolVersion) throw wrongVersion(requestedVersion);
    const query = new URLSearchParams(exchange.query);
    await send(
      context,
      await restAnswer(
        { method: exchange.method, path, query, body: objectIn(body), mediaType: jsonOf(exchange) },
        handler,
        call,
      ),
    );
  }

  const send = async (context: RequestContext, response: Response): Promise<void> => {
    context.status = response.status;
    await sendResponse(context.exchange, response, { clock: options.clock, headers: headersOf(context) });
  };

  function refuse(context: RequestContext, error: unknown, isRpc: boolean): void {
    const failure = error instanceof A2AError ? error : callers.countedFault(context, toFault(error));
    const { status, body } = restFailure(failure);
    context.status = status;
    if (failure instanceof Fault) {
      context.code = failure.code;
      const gravity = gravityOf(failure);
      if (gravity) options.log[gravity]({ err: failure.cause ?? failure, requestId: context.requestId }, 'A2A failed');
    }
    const more: [string, string][] = [['content-type', isRpc ? plainJson : jsonOf(context.exchange)]];
    if (status === 401) more.push(['www-authenticate', 'Bearer']);
    if (failure instanceof Fault && failure.retryAfterSeconds !== null)
      more.push(['retry-after', String(failure.retryAfterSeconds)]);
    const text = JSON.stringify(isRpc ? rpcFailure(failure) : body);
    context.exchange.send(status, [...more, ...headersOf(context)], text);
  }

  return {
    /** Whether a path is that of an agent. */
    takes: (path: string): boolean => path.startsWith('/a2a/') && place.test(path),
    /** Answers a request below `/a2a/`. Never rejects. */
    async handle(exchange: Exchange): Promise<void> {
      const context = contextOf(exchange, options.corsOrigins);
      const [, guid = '', path = ''] = place.exec(exchange.path) ?? [];
      try {
        await answer(context, guid, path);
      } catch (error) {
        if (!exchange.answered) refuse(context, error, path === '' || path === '/');
      }
      report(context);
    },
  };
}

const noAgent = () => new Fault('NOT_FOUND', 'There is no such agent.', { hint: 'Ask who gave you the address.' });

const wrongVersion = (version: string) =>
  new VersionNotSupportedError(
    `A2A ${version.slice(0, 20)} is not spoken here. Send "A2A-Version: ${protocolVersion}", without which ${formerVersion} is meant.`,
  );

const plainJson = 'application/json';
const ownJson = 'application/a2a+json';
/** The protocol's own media type is for those who name it. */
const jsonOf = (exchange: Exchange): string =>
  [exchange.header('accept'), exchange.header('content-type')].some((type) => type?.includes(ownJson))
    ? ownJson
    : plainJson;

const versionOf = (exchange: Exchange): string =>
  exchange.header('a2a-version')?.trim() ||
  new URLSearchParams(exchange.query).get('A2A-Version')?.trim() ||
  formerVersion;

const headersOf = ({ requestId, headers }: RequestContext): [string, string][] => [
  ['x-request-id', requestId],
  ['x-content-type-options', 'nosniff'],
  ['a2a-version', protocolVersion],
  ...(headers as [string, string][]),
];

function preflight(context: RequestContext): void {
  context.status = 204;
  const allow = 'GET, POST, DELETE, OPTIONS';
  context.exchange.send(204, [['allow', allow], ['access-control-allow-methods', allow], ...context.headers], '');
}

function sendCard(context: RequestContext, agent: ShownAgent, at: string): void {
  const { exchange } = context;
  if (exchange.method !== 'GET' && exchange.method !== 'HEAD') throw new Fault('NOT_FOUND', 'Cards are read with GET.');
  const text = JSON.stringify(AgentCard.toJSON(agent.card(at)));
  const tag = `"${agent.updatedAt.getTime().toString(36)}-${text.length.toString(36)}"`;
  const headers: HeaderList = [
    ['content-type', 'application/json'],
    ['cache-control', `public, max-age=${cardSeconds}`],
    ['etag', tag],
    ['last-modified', agent.updatedAt.toUTCString()],
    ['access-control-allow-origin', '*'],
    ...headersOf(context).filter(([name]) => name !== 'access-control-allow-origin'),
  ];
  context.status = exchange.header('if-none-match') === tag ? 304 : 200;
  exchange.send(context.status, headers, context.status === 304 || exchange.method === 'HEAD' ? '' : text);
}

/** The body as JSON; undefined where it is none, null where there is none. @throws Fault UNSUPPORTED_MEDIA_TYPE */
async function bodyOf(exchange: Exchange): Promise<unknown> {
  if (exchange.method !== 'POST') return null;
  const text = (await exchange.body(maxBodyBytes, bodyDeadlineMs)).toString('utf8');
  if (text.trim() === '') return null;
  const [type = ''] = (exchange.header('content-type') ?? 'application/json').split(';');
  if (!/^application\/(a2a\+)?json$/i.test(type.trim()))
    throw new Fault('UNSUPPORTED_MEDIA_TYPE', 'Only JSON is taken.', { hint: 'Send it as application/json.' });
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** @throws Fault BAD_REQUEST for a body that is no JSON object */
function objectIn(body: unknown): Record<string, unknown> {
  if (body === null) return {};
  if (typeof body === 'object' && !Array.isArray(body)) return body as Record<string, unknown>;
  throw new Fault('BAD_REQUEST', 'The body is no JSON object.');
}

interface Envelope {
  ok?: boolean;
  data?: unknown;
  error?: string | null;
  errorCode?: string | null;
  hint?: string | null;
}

/** Lets an agent use operations under the caller's own credentials. */
function askingFor({ exchange, requestId }: RequestContext, handle: Handle) {
  const carried = Object.fromEntries(carriedHeaders.map((name) => [name, exchange.header(name)]));
  const authorization = authorizationOf((name) => exchange.header(name));
  return async (method: string, path: string, body: object, key?: string): Promise<unknown> => {
    const text = JSON.stringify(body);
    const headers = {
      ...carried,
      ...{ authorization, accept: 'application/json', 'content-type': 'application/json', 'x-request-id': requestId },
      'content-length': String(Buffer.byteLength(text)),
      ...(key !== undefined && { 'idempotency-key': key }),
    };
    // A client that leaves does not undo what it has asked for.
    const { signal } = new AbortController();
    const answer = await callInside(handle, { method, path, headers, body: text, ip: exchange.ip, signal });
    const { ok, data, error, errorCode, hint } = JSON.parse(answer.text) as Envelope;
    if (ok) return data;
    const code = errorCode && errorCode in errorStatus ? (errorCode as ErrorCode) : 'INTERNAL_ERROR';
    throw new Fault(code, error ?? `The server answered ${answer.status}.`, hint ? { hint } : {});
  };
}
