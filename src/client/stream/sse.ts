// Reads server-sent events from a fetch body, so that the credential travels in a header.

export interface SseMessage {
  id: string | null;
  event: string;
  data: string;
}

export interface SseParser {
  /** Takes a piece of the body; answers the messages that it completes. */
  push(text: string): SseMessage[];
  /** Milliseconds of the last `retry:` field, or null. */
  readonly retryMs: number | null;
}

/** An incremental parser of text/event-stream (WHATWG HTML §9.2.6). */
export function createSseParser(): SseParser {
  let rest = '';
  let data: string[] = [];
  let event = '';
  let id: string | null = null;
  let retryMs: number | null = null;

  const field = (line: string) => {
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1));
    if (name === 'data') data.push(value);
    else if (name === 'event') event = value;
    else if (name === 'id' && !value.includes('\0')) id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) retryMs = Number(value);
  };

  return {
    get retryMs() {
      return retryMs;
    },
    push(text) {
      const found: SseMessage[] = [];
      rest += text;
      for (;;) {
        const end = rest.search(/[\r\n]/);
        if (end < 0) return found;
        // A CR at the very end may be half of a CRLF.
        if (rest[end] === '\r' && end === rest.length - 1) return found;
        const line = rest.slice(0, end);
        rest = rest.slice(end + (rest[end] === '\r' && rest[end + 1] === '\n' ? 2 : 1));
        if (line !== '') {
          field(line);
          continue;
        }
        if (data.length > 0) found.push({ id, event: event || 'message', data: data.join('\n') });
        data = [];
        event = '';
      }
    },
  };
}

/** The messages of an event-stream answer, until it ends; throws when the connection breaks. */
export async function* readSse(response: Response): AsyncGenerator<SseMessage> {
  if (!response.body) return;
  const parser = createSseParser();
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield* parser.push(decoder.decode(value, { stream: true }));
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
