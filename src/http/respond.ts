// Sends what a handler returned: as a stream, a file, or the envelope with its count of unread messages.
import type { Caller } from '../contract/caller.ts';
import type { AnyOperation } from '../contract/operation.ts';
import { type FileReply, isFileReply, isStreamReply, JsonText } from '../contract/replies.ts';
import { Fault } from '../kernel/fault.ts';
import { sendFile, sendJson } from './answer.ts';
import { successText } from './envelope.ts';
import type { HttpAppOptions } from './options.ts';
import type { Prepared, RequestContext } from './request-context.ts';
import type { Match } from './router.ts';
import { topicOf } from './stream-query.ts';

export type Respond = ReturnType<typeof createRespond>;

export function createRespond(options: HttpAppOptions) {
  async function respond(context: RequestContext, { route, params }: Match<Prepared>, result: unknown): Promise<void> {
    const { exchange } = context;
    context.status = 200;
    if (isStreamReply(result)) {
      const { caller, allowed } = context;
      if (!caller) throw new Error(`${route.id} streams without a caller`);
      if (allowed && result.kind === 'frames') requireCovered(allowed, topicOf(route.operation, params));
      const headers = [['x-request-id', context.requestId] as const, ...context.headers];
      return options.openStream(exchange, { caller, reply: result, allowed, headers });
    }
    if (route.operation.reply === 'file' || (route.operation.orFile && isFileReply(result))) {
      const file = result as FileReply;
      context.status = file.status ?? 200;
      return sendFile(exchange, context, file, options.clock);
    }
    const count = unread(context.caller);
    const text = textOf(context, route.operation, result, typeof count === 'number' ? count : await count);
    return sendJson(exchange, context, 200, text);
  }

  function textOf(
    { requestId }: RequestContext,
    operation: AnyOperation,
    data: unknown,
    unreadMessages: number,
  ): string {
    if (options.checkResponses) checkResponse(operation, data);
    return operation.reply === 'raw' ? JSON.stringify(data) : successText(data, requestId, unreadMessages);
  }

  /** A counter that cannot be read does not turn a successful answer into a failure. */
  function unread(caller: Caller | null): number | Promise<number> {
    if (!caller) return 0;
    const count = options.unreadMessages(caller);
    if (typeof count === 'number') return count;
    return count.catch((error: unknown) => {
      options.log.warn({ err: error }, 'unread messages could not be counted');
      return 0;
    });
  }

  return { respond, textOf, unread };
}

/**
 * A ticket for some topics opens no stream of another. Streams over topics that the caller names are checked as they
 * subscribe.
 */
function requireCovered(allowed: readonly string[], topic: string | null): void {
  if (topic !== null && allowed.includes(topic)) return;
  throw new Fault('FORBIDDEN', 'This ticket is for other topics.', {
    hint: topic === null ? 'Ask for a ticket without topics, or send a key.' : `Ask for a ticket for ${topic}.`,
  });
}

function checkResponse(operation: AnyOperation, data: unknown): void {
  const result = operation.data.safeParse(data instanceof JsonText ? JSON.parse(data.text) : data);
  if (!result.success) throw new Error(`the answer is not of its schema: ${result.error.message}`);
}
