// What handlers may know of their request, made only as far as it is asked for.
import { randomUUID } from 'node:crypto';
import type { RequestInfo } from '../contract/operation.ts';
import type { Exchange } from './adapter.ts';
import type { Deadline } from './deadline.ts';

const saneId = /^[\w.:-]{8,100}$/;

/** The client's own id if it is a sane one, else a new one. */
export function newRequestId(given: string | undefined): string {
  return given !== undefined && saneId.test(given) ? given : randomUUID();
}

export function requestInfo(exchange: Exchange, id: string, deadline: Deadline): RequestInfo {
  let signal: AbortSignal | undefined;
  return {
    id,
    get signal() {
      // Combining signals costs more than most handlers, and few of them look.
      signal ??= AbortSignal.any([exchange.signal, deadline.signal]);
      return signal;
    },
    get wantsStream() {
      return exchange.header('accept')?.includes('text/event-stream') ?? false;
    },
    lastEventId: exchange.header('last-event-id') ?? null,
    ip: exchange.ip,
    get userAgent() {
      return exchange.header('user-agent') ?? null;
    },
    header: (name) => exchange.header(name.toLowerCase()),
  };
}
