// Begins an answer: waits a while for its first word, so that a call that fails before it has a status to fail with.
import type { Clock } from '../../kernel/clock.ts';

/** Milliseconds; after them the stream begins with nothing in it, since proxies in between time out. */
const patienceMs = 15_000;

/** The same events without retries, once the first is there or time is up. Throws what the call throws before. */
export async function opened<Event extends object>(
  events: AsyncIterable<Event>,
  clock: Clock,
): Promise<AsyncIterable<Event>> {
  const iterator = events[Symbol.asyncIterator]();
  const next = async () => {
    for (;;) {
      const step = await iterator.next();
      if (step.done || !('type' in step.value) || step.value.type !== 'retry') return step;
    }
  };
  const first = next();
  let cancel = () => {};
  const late = new Promise<void>((resolve) => {
    cancel = clock.after(patienceMs, resolve);
  });
  await Promise.race([first, late]).finally(cancel);
  // The reader of the remaining events gets the error; without a reader the rejection is ignored.
  first.catch(() => {});
  return {
    [Symbol.asyncIterator]() {
      let begun = false;
      return {
        next: () => {
          if (begun) return next();
          begun = true;
          return first;
        },
        return: async () => {
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
