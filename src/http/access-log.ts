// Access log: a line in the log and a value in the metrics for each answered request.
import type { Caller } from '../contract/caller.ts';
import { lineWriter } from '../kernel/logger.ts';
import type { Exchange } from './adapter.ts';
import type { HttpAppOptions } from './options.ts';

export interface Answered {
  exchange: Exchange;
  requestId: string;
  /** Null when no operation was found. */
  match: { route: { id: string; template: string } } | null;
  caller: Caller | null;
  status: number;
  /** `performance.now()` when the request came. */
  started: number;
}

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const quoted = JSON.stringify;

export function createAccessLog({ log, observe }: Pick<HttpAppOptions, 'log' | 'observe'>) {
  const write = lineWriter(log, 'request');
  return ({ exchange, requestId, match, caller, status, started }: Answered): void => {
    const route = match?.route;
    const ms = performance.now() - started;
    // Unknown methods share one label, so that the number of series stays bounded.
    const method = methods.has(exchange.method) ? exchange.method : 'other';
    observe?.({ route: route?.template ?? 'none', method, status, seconds: ms / 1000 });
    if (!write) return;
    let line = `"requestId":"${requestId}","method":${quoted(exchange.method)},"path":${quoted(exchange.path.slice(0, 500))}`;
    if (route) line += `,"route":"${route.id}"`;
    line += `,"status":${status},"ms":${Math.round(ms * 100) / 100},"ip":"${exchange.ip}"`;
    if (caller) line += callerFields(caller);
    write(line);
  };
}

/** The caller, so that every change can be traced to the key or session that made it. */
function callerFields({ tenantId, name, identityId, userId, keyId, sessionId }: Caller): string {
  let fields = `,"tenant":${tenantId},"caller":${quoted(name)}`;
  if (identityId !== null) fields += `,"identityId":${identityId}`;
  if (userId !== null) fields += `,"userId":${userId}`;
  if (keyId !== null) fields += `,"keyId":${keyId}`;
  if (sessionId !== null) fields += `,"sessionId":${sessionId}`;
  return fields;
}
