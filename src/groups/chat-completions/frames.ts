// Answers as event streams, in the way of each interface: its frames, its end, and its frame for an answer that fails
// midway.
import { anthropicError } from '../../contract/anthropic-failure.ts';
import { openAiError } from '../../contract/openai-failure.ts';
import type { StreamFrame, StreamReply } from '../../contract/replies.ts';
import { type Fault, toFault } from '../../kernel/fault.ts';

interface Ending {
  /** Last frame of a complete answer. */
  last: StreamFrame | null;
  /**
   * Frame that replaces the end mark: the status is already sent, and clients recognise a complete answer by the mark.
   */
  failed(fault: Fault): StreamFrame;
}

export const openAiEnd: Ending = {
  last: { data: '[DONE]' },
  failed: (fault) => ({ data: JSON.stringify({ error: openAiError(fault).error }) }),
};

export const anthropicEnd: Ending = {
  last: null,
  failed: (fault) => ({ event: 'error', data: JSON.stringify({ type: 'error', error: anthropicError(fault) }) }),
};

/** An event stream for clients of other interfaces, which know no `retry`. */
export const stream = (frames: AsyncIterable<StreamFrame>): StreamReply => ({ kind: 'frames', retries: false, frames });

export async function* framesOf<Event>(
  events: AsyncIterable<Event>,
  write: (event: Event) => StreamFrame[],
  { last, failed }: Ending,
  signal: AbortSignal,
): AsyncGenerator<StreamFrame> {
  try {
    for await (const event of events) for (const frame of write(event)) yield frame;
  } catch (error) {
    signal.throwIfAborted();
    yield failed(toFault(error));
    throw error;
  }
  if (last) yield last;
}
