// A link over server-sent events: one GET for all topics, opened again when they change.
import { ApiError } from '../api-error.ts';
import type { Transport } from '../transport.ts';
import { joinCursor } from './cursors.ts';
import type { RawEvent } from './events.ts';
import type { Beginning, OpenLink } from './link.ts';
import { createSseParser } from './sse.ts';

const heartbeatSeconds = 15;
/** Silence after which the connection counts as dead: three heartbeats. */
const silenceMs = heartbeatSeconds * 3000;

/** Reads the body until it ends; every chunk, heartbeats included, resets the silence timer. */
async function pump(response: Response, abort: AbortController, onEvent: (event: RawEvent) => void) {
  const reader = response.body?.getReader();
  if (!reader) return;
  const parser = createSseParser();
  const decoder = new TextDecoder();
  // The signal alone does not always end a read: one of an answer that has just been ended stays open.
  abort.signal.addEventListener('abort', () => void reader.cancel().catch(() => {}), { once: true });
  for (;;) {
    const timer = setTimeout(() => abort.abort(new Error('no heartbeat')), silenceMs);
    const { done, value } = await reader.read().finally(() => clearTimeout(timer));
    if (done) return;
    for (const message of parser.push(decoder.decode(value, { stream: true }))) {
      onEvent(JSON.parse(message.data) as RawEvent);
    }
  }
}

const mayRetry = (error: ApiError) => error.status === 0 || error.status === 429 || error.status >= 500;

/** The last seconds come of all topics without a cursor: nobody has seen an event of them. */
function queryOf(topics: ReadonlyMap<string, Beginning>, follow: boolean) {
  const replaySeconds = Math.max(0, ...Array.from(topics.values(), (from) => from.replaySeconds));
  return {
    topics: [...topics.keys()].join(','),
    lastEventId: joinCursor(Array.from(topics, ([topic, { cursor }]) => [topic, cursor])),
    heartbeatSeconds,
    lean: true,
    ...(follow ? { follow } : {}),
    ...(replaySeconds > 0 ? { replaySeconds } : {}),
  };
}

/** Makes links over `GET /api/events`; `beginningOf` gives where a topic begins at the moment of a reopening. */
export function sseLinks(transport: Transport, beginningOf: (topic: string) => Beginning): OpenLink {
  return (events, topics, follow) => {
    const wanted = new Set(topics.keys());
    let abort = new AbortController();
    let closed = false;
    let scheduled = false;

    const close = (reason: string, again: 'now' | 'backoff' | 'never', error?: ApiError) => {
      if (closed) return;
      closed = true;
      abort.abort();
      events.closed(reason, again, error);
    };

    const run = async () => {
      const mine = new AbortController();
      abort = mine;
      const current = () => !closed && abort === mine;
      const asked = [...wanted];
      try {
        const response = await transport.send({
          method: 'GET',
          path: '/api/events',
          query: queryOf(new Map(asked.map((topic) => [topic, beginningOf(topic)])), follow),
          headers: { accept: 'text/event-stream' },
          signal: mine.signal,
        });
        if (!current()) return;
        events.opened();
        if (response.status === 204) {
          closed = true;
          for (const topic of asked) events.ended(topic);
          return;
        }
        for (const topic of asked) events.followed(topic, null);
        await pump(response, mine, (event) => current() && events.event(event));
        if (current()) close('the server ended the stream', 'now');
      } catch (error) {
        if (!current()) return;
        if (error instanceof ApiError) close(error.message, mayRetry(error) ? 'backoff' : 'never', error);
        else close(error instanceof Error ? error.message : 'connection lost', 'backoff');
      }
    };

    const reopen = () => {
      if (scheduled || closed) return;
      scheduled = true;
      queueMicrotask(() => {
        scheduled = false;
        if (closed) return;
        const before = abort;
        void run();
        before.abort();
      });
    };

    reopen();
    return {
      add(topic) {
        wanted.add(topic);
        reopen();
      },
      remove(topic) {
        if (wanted.delete(topic) && wanted.size > 0) reopen();
      },
      close() {
        closed = true;
        abort.abort();
      },
    };
  };
}
