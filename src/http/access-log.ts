// Access log: a line in the log and a value in the metrics for each answered request.
import type { Caller } from '../contract/caller.ts';
import { decoded } from '../kernel/decoded.ts';
import { lineWriter } from '../kernel/logger.ts';
import type { Exchange } from './adapter.ts';
import type { HttpAppOptions } from './options.ts';
import { isProbed } from './probes.ts';

export interface Answered {
  exchange: Exchange;
  requestId: string;
  /** Null when no operation was found. */
  match: { route: { id: string; template: string }; params?: Readonly<Record<string, number | string>> } | null;
  caller: Caller | null;
  /** The request carries credentials that may be wrong. */
  signsIn?: boolean;
  status: number;
  /** Code of the fault that it was answered with. */
  code?: string | null;
  /** `performance.now()` when the request came. */
  started: number;
}

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const quoted = JSON.stringify;

const [debug, info, warn] = [20, 30, 40];

export function createAccessLog({ log, observe }: Pick<HttpAppOptions, 'log' | 'observe'>) {
  const lines = lineWriter(log, 'request');
  return ({ exchange, requestId, match, caller, signsIn, status, code, started }: Answered): void => {
    const route = match?.route;
    const ms = performance.now() - started;
    // Unknown methods share one label, so that the number of series stays bounded.
    const method = methods.has(exchange.method) ? exchange.method : 'other';
    observe?.({ route: route?.template ?? 'none', method, status, seconds: ms / 1000 });
    const isDenied = status === 401 || status === 403;
    // A session that has run out is every day's; a wrong password or a lack of rights is not.
    const isWarning = status === 403 || (isDenied && signsIn);
    // A probe that finds all well, every second from each proxy, would be most of the log.
    const level = isWarning ? warn : status === 200 && isProbed(route?.template) ? debug : info;
    if (!lines?.writes(level)) return;
    const isWritten = mayHoldSecrets(match);
    // Credentials are known by their marks, which an address has encoded.
    const path = isWritten ? readable(exchange.path) : exchange.path;
    let line = `"requestId":"${requestId}","method":${quoted(exchange.method)},"path":${quoted(path.slice(0, 500))}`;
    if (route) line += `,"route":"${route.id}"`;
    line += `,"status":${status},"ms":${Math.round(ms * 100) / 100},"ip":"${exchange.ip}"`;
    if (code) line += `,"code":"${code}"`;
    const runId = match?.params?.runId;
    if (typeof runId === 'number') line += `,"runId":${runId}`;
    if (caller) line += callerFields(caller);
    lines.write(line, { level, domain: isDenied ? 'Security' : 'Http', tenant: caller?.tenantId ?? null }, isWritten);
  };
}

/** Addresses that lead nowhere, and names in others, may be anything that somebody has pasted by mistake. */
const mayHoldSecrets = (match: Answered['match']) =>
  match === null || Object.values(match.params ?? {}).some((value) => typeof value === 'string');

/** An address as people read it; what is encoded wrongly stays as it is. */
const readable = (path: string) => path.replace(/(?:%[0-9a-f]{2})+/gi, (part) => decoded(part));

/** The caller, so that every change can be traced to the key or session that made it. */
function callerFields({ tenantId, name, identityId, userId, keyId, sessionId }: Caller): string {
  let fields = `,"tenant":${tenantId},"caller":${quoted(name)}`;
  if (identityId !== null) fields += `,"identityId":${identityId}`;
  if (userId !== null) fields += `,"userId":${userId}`;
  if (keyId !== null) fields += `,"keyId":${keyId}`;
  if (sessionId !== null) fields += `,"sessionId":${sessionId}`;
  return fields;
}
