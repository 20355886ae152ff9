// Event streams among answers, and their comments while they have nothing to say.
import type { Clock } from '../kernel/clock.ts';
import { beatMs, ping } from '../kernel/event-stream.ts';
import type { HeaderList, ResponseSink } from './adapter.ts';

/** Whether an answer is an event stream, by its headers. */
export const isEventStream = (headers: HeaderList): boolean =>
  headers.some(([name, value]) => name.toLowerCase() === 'content-type' && value.startsWith('text/event-stream'));

/** Writes comments into an event stream until the returned function is called; none while its client is slow. */
export const keepOpen = (sink: ResponseSink, clock: Pick<Clock, 'every'>): (() => void) =>
  clock.every(beatMs, () => {
    if (sink.open && sink.bufferedBytes === 0) sink.write(ping);
  });
