// Background responses: each can be followed from any of its events, cancelled, and read later.
import type { ModelEvent } from '../../../runtime/model.ts';
import type { Caller } from '../../contract/caller.ts';
import { openAiError } from '../../contract/openai-failure.ts';
import type { Clock } from '../../kernel/clock.ts';
import { toFault } from '../../kernel/fault.ts';
import { createLru } from '../../kernel/lru.ts';
import type { Keeping, KeptResponses } from './kept-responses.ts';
import type { ResponseEvent, ResponseWriter } from './response.ts';

/** A response that is in progress, or ended a short while ago. */
interface Making {
  writer: ResponseWriter;
  events: ResponseEvent[];
  ended: boolean;
  abort: AbortController;
  wake: Set<() => void>;
}

/** How long the events of a response can be read again once it has ended, and of how many. */
const endedMs = 600_000;
const endedCount = 500;
/** Milliseconds between two heartbeats of the node that makes it, which also reads cancellations by other nodes. */
const aliveMs = 2_000;

export type Background = ReturnType<typeof createBackground>;

export function createBackground({ kept, clock }: { kept: KeptResponses; clock: Clock }) {
  const making = new Map<string, Making>();
  const made = createLru<string, Making>(endedCount, { ttl: endedMs });

  const tell = (one: Making, events: ResponseEvent[]) => {
    one.events.push(...events);
    for (const wake of one.wake) wake();
    one.wake.clear();
  };

  const make = async (caller: Caller, one: Making, events: AsyncIterable<ModelEvent>, keeping: () => Keeping) => {
    const { writer, abort } = one;
    const { id } = writer.response;
    const stop = clock.every(aliveMs, () => {
      void kept.alive(caller, id).then(
        (wanted) => wanted || abort.abort(),
        () => undefined,
      );
    });
    let last: ResponseEvent[] = [];
    try {
      for await (const event of events) {
        if (event.type === 'finish') last = writer.write(event);
        else tell(one, writer.write(event));
      }
    } catch (error) {
      last = abort.signal.aborted ? writer.cancel() : writer.fail(openAiError(toFault(error)).error);
    } finally {
      stop();
    }
    // The response is stored before its last event is sent, so that a client that has read the end finds it.
    await kept.settle(caller, keeping()).catch(() => undefined);
    one.ended = true;
    making.delete(id);
    made.set(id, one);
    tell(one, last);
  };

  return {
    /** Starts a response, which goes on without its client. `keeping` gives the state to store. */
    async start(
      caller: Caller,
      writer: ResponseWriter,
      { abort, events, keeping }: { abort: AbortController; events: AsyncIterable<ModelEvent>; keeping: () => Keeping },
    ): Promise<void> {
      const one: Making = { writer, events: writer.begin(), ended: false, abort, wake: new Set() };
      await kept.keep(caller, keeping(), true);
      making.set(writer.response.id, one);
      void make(caller, one, events, keeping);
    },
    /** The response as it is by now, where it is made here. */
    now: (responseId: string) => making.get(responseId)?.writer.response ?? null,
    /** Its events after this number, to its end; null where they are not known here. */
    follow(responseId: string, after: number, signal: AbortSignal): AsyncIterable<ResponseEvent> | null {
      const one = making.get(responseId) ?? made.get(responseId);
      return one ? eventsAfter(one, after, signal) : null;
    },
    /** Ends one that is made here, and waits until it has ended. */
    async cancel(responseId: string, signal: AbortSignal): Promise<void> {
      const one = making.get(responseId);
      one?.abort.abort();
      if (one) for await (const _ of eventsAfter(one, Number.MAX_SAFE_INTEGER, signal));
    },
  };
}

async function* eventsAfter(one: Making, after: number, signal: AbortSignal): AsyncGenerator<ResponseEvent> {
  let at = one.events.findIndex(({ sequence_number }) => sequence_number > after);
  if (at < 0) at = one.events.length;
  for (;;) {
    for (; at < one.events.length; at++) {
      const event = one.events[at] as ResponseEvent;
      if (event.sequence_number > after) yield event;
    }
    if (one.ended || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const go = () => {
        signal.removeEventListener('abort', go);
        resolve();
      };
      one.wake.add(go);
      signal.addEventListener('abort', go, { once: true });
    });
  }
}
