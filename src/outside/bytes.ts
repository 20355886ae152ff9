// Reads an answer up to a limit.
import type { Readable } from 'node:stream';

export interface Bytes {
  body: Buffer;
  /** True where the answer was longer; the rest was not read. */
  truncated: boolean;
}

/** The first `most` bytes of a stream, which is destroyed where it is longer. Rejects with the signal's reason. */
export async function readBytes(stream: Readable, most: number, signal: AbortSignal): Promise<Bytes> {
  const abort = () => stream.destroy(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
  signal.addEventListener('abort', abort, { once: true });
  const parts: Buffer[] = [];
  let size = 0;
  try {
    signal.throwIfAborted();
    for await (const part of stream as AsyncIterable<Buffer>) {
      parts.push(part);
      size += part.length;
      if (size > most) break;
    }
  } finally {
    signal.removeEventListener('abort', abort);
    stream.destroy();
  }
  signal.throwIfAborted();
  return { body: Buffer.concat(parts).subarray(0, most), truncated: size > most };
}

/** The same bytes, cut off with an error where there are more than `most`. */
export async function* limited(stream: AsyncIterable<Uint8Array>, most: number): AsyncIterable<Uint8Array> {
  let size = 0;
  for await (const part of stream) {
    size += part.length;
    if (size > most) throw new TypeError(`The answer is longer than ${most} bytes.`);
    yield part;
  }
}
