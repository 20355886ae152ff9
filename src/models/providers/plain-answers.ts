// Reads plain answers of Chat Completions and leaves the others to the SDK, whose checks of each chunk and chain of web
// streams cost more than everything else that is done with a token.
import type { LanguageModelV3StreamPart } from '@ai-sdk/provider';
import { isRedirect, type Send, toResponse } from '../../kernel/http-send.ts';
import { outboundFetch } from '../../kernel/outbound-fetch.ts';
import { createPlainEvents, type PlainEvents } from './plain-events.ts';

type Part = LanguageModelV3StreamPart;
type Body = AsyncIterator<Uint8Array, unknown>;

/** The body of an answer, with the callback that gets the bytes that are not plain. */
interface Taken {
  body: Body;
  handOver: (left: Uint8Array) => void;
}

/** A call that the SDK makes; it settles when the SDK has the head of an answer. */
type BySdk = PromiseLike<{ stream: AsyncIterable<Part> }>;

export type PlainAnswers = ReturnType<typeof createPlainAnswers>;

/** Of an event that has not ended, more than this is the SDK's to gather. */
const longestBytes = 64 * 1024;
const lineFeed = 10;
const carriageReturn = 13;
const nothing: Buffer = Buffer.alloc(0);

/**
 * Stands between the SDK and `send`. The SDK makes requests and reads refusals; of an answer it gets what begins with
 * the first event that is not plain, and nothing where all of it is.
 */
export function createPlainAnswers(send: Send) {
  /** Calls by their abort signal, which the SDK passes through. */
  const takers = new WeakMap<AbortSignal, (taken: Taken) => void>();
  let redirects = false;
  return {
    fetch: async (input: Parameters<typeof fetch>[0], init: RequestInit = {}): Promise<Response> => {
      if (redirects) return outboundFetch(input, init);
      const { method = 'GET', signal = null } = init;
      // The SDK gives text with an object of headers.
      const [headers, text] = [init.headers as Record<string, string>, init.body as string];
      const answer = await send(new URL(String(input)), { method, headers, body: text, signal });
      if (isRedirect(answer)) {
        answer.destroy();
        redirects = true;
        return outboundFetch(input, init);
      }
      const take = signal && takers.get(signal);
      if (answer.statusCode !== 200 || !take) return toResponse(answer);
      const body: Body = answer[Symbol.asyncIterator]();
      return new Promise((resolve) => {
        take({ body, handOver: (left) => resolve(toResponse(answer, restOf(body, left))) });
      });
    },
    /**
     * The parts of the call with this signal, which `start` has the SDK make. A consumer that stops early closes the
     * connection.
     */
    open: async (signal: AbortSignal, start: () => BySdk): Promise<AsyncIterable<Part>> => {
      const taken = new Promise<Taken>((resolve) => takers.set(signal, resolve));
      const bySdk = start();
      const first = await Promise.race([taken, bySdk]);
      return 'stream' in first ? first.stream : readAnswer(first, bySdk);
    },
  };
}

async function* restOf(body: Body, left: Uint8Array): AsyncGenerator<Uint8Array> {
  yield left;
  for (let next = await body.next(); !next.done; next = await body.next()) yield next.value;
}

async function* readAnswer({ body, handOver }: Taken, bySdk: BySdk): AsyncGenerator<Part> {
  const events = createPlainEvents();
  try {
    const left = yield* readPlain(body, events);
    const ending = left.length === 0 ? events.ending() : null;
    if (ending) {
      for (const part of ending) yield part;
      return;
    }
    const { event, parts: repeated } = events.soFar();
    handOver(Buffer.concat([Buffer.from(event), left]));
    let known = repeated;
    for await (const part of (await bySdk).stream) {
      if (known > 0 && (part.type === 'tool-input-start' || part.type === 'tool-input-delta')) known--;
      else yield part;
    }
  } finally {
    // One that broke has nothing to close.
    await body.return?.().catch(() => undefined);
  }
}

/** Yields what plain events say; returns the bytes from the first other event, none where all was plain. */
async function* readPlain(body: Body, events: PlainEvents): AsyncGenerator<Part, Uint8Array> {
  let left = nothing;
  for (let next = await body.next(); !next.done; next = await body.next()) {
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
