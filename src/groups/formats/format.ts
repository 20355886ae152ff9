// The formats that an answer can be streamed in, besides our own: chosen by a request, written as server-sent events.
import type { RequestInfo } from '../../contract/operation.ts';
import type { StreamFrame, StreamReply } from '../../contract/replies.ts';
import { Fault, toFault } from '../../kernel/fault.ts';
import { agUi } from './ag-ui.ts';
import { isLast, type Part } from './parts.ts';
import { uiMessageStream, uiMessageStreamHeaders } from './ui-message-stream.ts';

interface Format {
  headers: Readonly<Record<string, string>>;
  encoder(): (part: Part) => object[];
  /** Last data of the stream. */
  last: string | null;
}

const formats = {
  'ui-message-stream': { headers: uiMessageStreamHeaders, encoder: () => uiMessageStream(), last: '[DONE]' },
  'ui-message-stream-v5': { headers: uiMessageStreamHeaders, encoder: () => uiMessageStream(5), last: '[DONE]' },
  'ag-ui': { headers: {}, encoder: agUi, last: null },
} satisfies Record<string, Format>;

export type FormatName = keyof typeof formats;
export const formatNames = Object.keys(formats) as FormatName[];

const isFormat = (name: string): name is FormatName => Object.hasOwn(formats, name);

/**
 * The format that a request asks for: the query's, or that of `Accept: text/event-stream; format=ag-ui`. Null for ours.
 *
 * @throws Fault NOT_ACCEPTABLE for one that is not known
 */
export function formatOf(request: RequestInfo, query?: string | undefined): FormatName | null {
  const asked = query ?? /text\/event-stream[^,]*;\s*format="?([\w-]+)/i.exec(request.header('accept') ?? '')?.[1];
  if (asked === undefined) return null;
  if (isFormat(asked)) return asked;
  throw new Fault('NOT_ACCEPTABLE', `There is no stream format "${asked.slice(0, 50)}".`, {
    hint: `Ask for ${formatNames.join(' or ')}, or for none.`,
  });
}

/** The parts of an answer, up to its last one. */
export async function* partsOf<Event>(
  events: AsyncIterable<Event>,
  read: (event: Event) => Part[],
): AsyncGenerator<Part> {
  for await (const event of events)
    for (const part of read(event)) {
      yield part;
      if (isLast(part)) return;
    }
}

/** Parts as an event stream. A failure on the way is told in the format, and thrown on. */
export function streamIn(
  name: FormatName,
  parts: AsyncIterable<Part>,
  signal: AbortSignal,
  more: Readonly<Record<string, string>> = {},
): StreamReply {
  const { headers, encoder, last }: Format = formats[name];
  return {
    kind: 'frames',
    retries: false,
    headers: { ...headers, ...more },
    frames: frames(encoder(), last, parts, signal),
  };
}

async function* frames(
  encode: (part: Part) => object[],
  last: string | null,
  parts: AsyncIterable<Part>,
  signal: AbortSignal,
): AsyncGenerator<StreamFrame> {
  const framesOf = (part: Part) => encode(part).map((event): StreamFrame => ({ data: JSON.stringify(event) }));
  try {
    for await (const part of parts) yield* framesOf(part);
  } catch (error) {
    signal.throwIfAborted();
    const { message, code } = toFault(error);
    yield* framesOf({ type: 'error', message, code });
    throw error;
  }
  if (last !== null) yield { data: last };
}
