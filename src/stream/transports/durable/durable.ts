// The read path of the Durable Streams protocol over topics: catch-up, long-poll and server-sent events.
import type { DurableReply } from '../../../contract/replies.ts';
import type { Exchange } from '../../../http/adapter.ts';
import { Fault } from '../../../kernel/fault.ts';
import { Answer } from './answer.ts';
import { LiveEvents } from './live.ts';
import type { DurableDeps, DurableRequest } from './reading.ts';

export type RespondDurably = (
  exchange: Exchange,
  request: Omit<DurableRequest, 'reply'> & { reply: DurableReply },
) => Promise<void>;

/**
 * Answers one request of a Durable Streams client; an event stream goes on after this resolves.
 *
 * @throws Fault VALIDATION_FAILED, INVALID_CURSOR, GONE, FORBIDDEN, NOT_FOUND, CONCURRENCY_LIMITED, SHUTTING_DOWN
 */
export const createDurable =
  (deps: DurableDeps): RespondDurably =>
  async (exchange, { reply, ...request }) => {
    if (exchange.method === 'HEAD')
      return new Answer(deps, exchange, { ...request, reply: { ...reply, offset: 'now', live: null } }).respond();
    if (reply.live !== null && reply.offset === null)
      throw new Fault('VALIDATION_FAILED', 'A live read needs an offset.', {
        hint: 'Send offset=-1 for all that is kept, offset=now for what comes, or your last Stream-Next-Offset.',
        field: 'offset',
      });
    const asked = { ...request, reply: { ...reply, offset: reply.offset ?? '-1' } };
    return reply.live === 'sse'
      ? new LiveEvents(deps, exchange, asked).respond()
      : new Answer(deps, exchange, asked).respond();
  };
