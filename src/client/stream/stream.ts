// An async iterable of events over a live connection; a consumer that lags makes the server's log the buffer.
import type { ApiError } from '../api-error.ts';
import type { Transport } from '../transport.ts';
import { joinCursor, splitCursor } from './cursors.ts';
import { type ConnectionState, type KnownEvent, known } from './events.ts';
import { createLive, type Live, type LiveOptions } from './live.ts';

export interface StreamOptions extends LiveOptions {
  /** Where to begin: an event id, what `EventStream.cursor` answered, or `0` for the oldest events kept. Live events when left out. */
  cursor?: string | null;
  signal?: AbortSignal;
}

export interface EventStream extends AsyncIterable<KnownEvent> {
  readonly state: ConnectionState;
  /** Position after the last event handed out; pass it as `cursor` to go on later. */
  readonly cursor: string | null;
  close(): void;
}

/** Events that may wait for the consumer; above, the connection is let go and resumed once half are taken. */
const highWater = 8192;

/** Events between a connection and its consumer; the connection is paused while too many wait. */
function createInbox(live: Pick<Live, 'pause' | 'resume'>) {
  const queue: KnownEvent[] = [];
  let taken = 0;
  let paused = false;
  let wake: (() => void) | null = null;
  const signal = () => {
    wake?.();
    wake = null;
  };
  return {
    signal,
    /** Resolves at the next signal. */
    news: () => new Promise<void>((resolve) => (wake = resolve)),
    put(event: KnownEvent) {
      queue.push(event);
      if (!paused && queue.length - taken > highWater) {
        paused = true;
        live.pause();
      }
      signal();
    },
    take(): KnownEvent | undefined {
      const event = queue[taken];
      if (!event) return undefined;
      taken += 1;
      if (taken > 1024 && taken * 2 > queue.length) {
        queue.splice(0, taken);
        taken = 0;
      }
      if (paused && queue.length - taken < highWater / 2) {
        paused = false;
        live.resume();
      }
      return event;
    },
  };
}

/**
 * Follows topics until `close`, the signal, the end of the runs or trees that they tell of (unless `follow`), or a refusal (thrown as ApiError by the iteration). A `stream.gap` in the
 * iteration says that events of its topic are lost to this reader and that a snapshot must be loaded.
 */
export function openStream(transport: Transport, topics: readonly string[], options: StreamOptions = {}): EventStream {
  const live = createLive(transport, { ...options, follow: options.follow ?? false });
  const inbox = createInbox(live);
  const position = splitCursor(options.cursor, topics);
  let open = new Set(topics).size;
  let done = false;
  let failure: ApiError | null = null;
  const close = () => {
    done = true;
    live.close();
    inbox.signal();
  };
  const listener = {
    onEvent: (event: Parameters<typeof known>[0]) => inbox.put(known(event)),
    onEnded() {
      open--;
      if (open === 0) close();
    },
    onRefused(error: ApiError) {
      failure = error;
      close();
    },
  };
  for (const topic of topics) live.subscribe(topic, listener, position.get(topic) ?? null);
  if (options.signal?.aborted) close();
  options.signal?.addEventListener('abort', close, { once: true });

  return {
    get state() {
      return live.state;
    },
    get cursor() {
      return joinCursor(position);
    },
    close,
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) {
          const event = inbox.take();
          if (event?.epoch) position.set(event.topic, `${event.epoch}.${event.seq}`);
          if (event) yield event;
          else if (done) break;
          else await inbox.news();
        }
        if (failure) throw failure;
      } finally {
        close();
      }
    },
  };
}
