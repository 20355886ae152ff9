// Lets one service use the operations of others, with their checks: for a caller, within that caller's request.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { permit } from '../auth/permit.ts';
import type { Caller } from '../contract/caller.ts';
import type { AnyService, RequestInfo } from '../contract/operation.ts';
import { Fault } from '../kernel/fault.ts';
import { requireChangeIn, requireReadIn } from '../ports/in-project.ts';
import type { Perform, Sent } from '../ports/perform.ts';

type Handlers = Record<string, (input: object) => unknown>;

export function createPerform(services: readonly AnyService[]): Perform {
  const handlersOf = new Map(services.map(({ group, handlers }) => [group.id, handlers as Handlers]));
  return async (of, verb, caller, sent: Sent<never> = {}) => {
    const operation = of.operations[verb];
    const handler = handlersOf.get(of.id)?.[verb];
    if (!operation || !handler) throw new Error(`nobody serves ${of.id}_${verb}`);
    const { params = {} } = sent;
    permit(operation, caller, params);
    const [query, body] = [read(operation.query, sent.query ?? {}), read(operation.body, sent.body)];
    requireProject(caller, operation.method === 'GET', [params, query, body]);
    return (await handler({ params, query, body, caller, request: request() })) as never;
  };
}

function read(schema: unknown, value: unknown): unknown {
  if (!(schema instanceof z.ZodType)) return undefined;
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new Fault('VALIDATION_FAILED', z.prettifyError(result.error), { cause: result.error });
}

function requireProject(caller: Caller, reads: boolean, parts: readonly unknown[]): void {
  for (const part of parts) {
    const id = (part as { projectId?: unknown } | null | undefined)?.projectId;
    if (typeof id === 'number') (reads ? requireReadIn : requireChangeIn)(caller, id);
  }
}

/** A call from inside the server: no client can disconnect, and there are no headers. */
const request = (): RequestInfo => ({
  id: randomUUID(),
  signal: new AbortController().signal,
  wantsStream: false,
  lastEventId: null,
  ip: '',
  userAgent: null,
  header: () => undefined,
  bytes: new Uint8Array(),
  answerWith: () => {},
});
