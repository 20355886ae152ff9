// Reads the plain deltas of a Chat Completions stream and leaves the rest of it to the SDK, whose checks of each chunk and
// chain of web streams cost more than everything else that is done with a token.
import type { LanguageModelV3StreamPart } from '@ai-sdk/provider';
import { createPlainEvents, type PlainEvents } from './plain-events.ts';

type Part = LanguageModelV3StreamPart;
type Body = ReadableStreamDefaultReader<Uint8Array>;

/** The body of an answer, and whom to tell what is left of it. */
interface Answer {
  body: Body;
  handOver: (left: Uint8Array) => void;
}

export type PlainDeltas = ReturnType<typeof createPlainDeltas>;

/** Of an event that has not ended, more than this is the SDK's to gather. */
const longestBytes = 64 * 1024;
const lineFeed = 10;
const carriageReturn = 13;

/**
 * Stands between the SDK and `send`. Of an answer the SDK gets what begins with the first event that is not plain:
 * finish reasons, usage, errors and all that is odd stay its own to read, as do refusals.
 */
export function createPlainDeltas(send: typeof fetch = (input, init) => fetch(input, init)) {
  /** By the signal of the call, which the SDK hands on. */
  const answers = new WeakMap<AbortSignal, Answer>();
  return {
    fetch: async (input: Parameters<typeof fetch>[0], init?: RequestInit): Promise<Response> => {
      const response = await send(input, init);
      if (!response.ok || !response.body || !init?.signal) return response;
      const body = response.body.getReader();
      let handOver: Answer['handOver'] = () => {};
      const left = new Promise<Uint8Array>((resolve) => {
        handOver = resolve;
      });
      answers.set(init.signal, { body, handOver });
      return new Response(ReadableStream.from(restOf(body, left)), response);
    },
    /** The parts of the call with this signal; `parts` are those of the SDK. Who leaves early closes the connection. */
    read: (signal: AbortSignal, parts: AsyncIterable<Part>): AsyncIterable<Part> => {
      const answer = answers.get(signal);
      return answer ? readAnswer(answer, parts) : parts;
    },
  };
}

async function* restOf(body: Body, left: Promise<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield await left;
  for (let next = await body.read(); !next.done; next = await body.read()) yield next.value;
}

async function* readAnswer({ body, handOver }: Answer, parts: AsyncIterable<Part>): AsyncGenerator<Part> {
  const events = createPlainEvents();
  try {
    const left = yield* readPlain(body, events);
    const { event, parts: repeated } = events.soFar();
    handOver(Buffer.concat([Buffer.from(event), left]));
    let known = repeated;
    for await (const part of parts) {
      if (known > 0 && (part.type === 'tool-input-start' || part.type === 'tool-input-delta')) known--;
      else yield part;
    }
  } finally {
    // One that broke has nothing to close.
    await body.cancel().catch(() => undefined);
  }
}

/** Yields what plain events say; returns the bytes from the first other event. */
async function* readPlain(body: Body, events: PlainEvents): AsyncGenerator<Part, Uint8Array> {
  let left: Buffer = Buffer.alloc(0);
  for (let next = await body.read(); !next.done; next = await body.read()) {
    const { buffer, byteOffset, byteLength } = next.value;
    const bytes = Buffer.from(buffer, byteOffset, byteLength);
    left = left.length === 0 ? bytes : Buffer.concat([left, bytes]);
    for (let end = endOfEvent(left); end > 0; end = endOfEvent(left)) {
      const parts = events.read(left.toString('utf8', 0, end));
      if (parts === null) return left;
      for (const part of parts) yield part;
      left = left.subarray(end);
    }
    if (left.length > longestBytes) return left;
  }
  return left;
}

/** Where the blank line after the first event ends; 0 while it is not there. */
function endOfEvent(bytes: Buffer): number {
  for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) {
    if (bytes[at + 1] === lineFeed) return at + 2;
    if (bytes[at + 1] === carriageReturn && bytes[at + 2] === lineFeed) return at + 3;
  }
  return 0;
}
