// Keeps event streams open that have nothing to say for a while: proxies cut silent answers, most after a minute.
import type { Clock } from '../kernel/clock.ts';
import type { HeaderList, ResponseSink } from './adapter.ts';

/** Milliseconds between two comments; a quarter of what proxies wait for. */
const beatMs = 15_000;
/** A line, no block of its own: some clients take each blank line for an event. */
const ping = ': ping\n';

/** Whether an answer is an event stream, by its headers. */
export const isEventStream = (headers: HeaderList): boolean =>
  headers.some(([name, value]) => name.toLowerCase() === 'content-type' && value.startsWith('text/event-stream'));

/** Writes comments into an event stream until the returned function is called; none while its client is slow. */
export const keepOpen = (sink: ResponseSink, clock: Pick<Clock, 'every'>): (() => void) =>
  clock.every(beatMs, () => {
    if (sink.open && sink.bufferedBytes === 0) sink.write(ping);
  });
