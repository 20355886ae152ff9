// Reads JSON as it comes, piece by piece: a file of any size takes the memory of one of its conversations.
import { isUtf8 } from 'node:buffer';
import { Tokenizer } from '@streamparser/json';
import { Fault } from '../kernel/fault.ts';
import { broken } from './broken.ts';
import { JsonBuilder, type ReadOne } from './json-builder.ts';
import { limits } from './limits.ts';
import type { Piece } from './shapes.ts';

/** Bytes that texts are gathered in before they become strings. */
const gathered = 64 * 1024;

/** @throws Fault VALIDATION_FAILED */
export async function* jsonPieces(
  chunks: AsyncIterable<Uint8Array>,
  readOne?: ReadOne,
): AsyncGenerator<Piece, void, void> {
  let pieces: Piece[] = [];
  const builder = new JsonBuilder((piece) => void pieces.push(piece), readOne);
  const tokenizer = new Tokenizer({ stringBufferSize: gathered });
  let [read, tokenAt] = [0, 0];
  tokenizer.onToken = (token) => {
    tokenAt = read;
    builder.take(token);
  };
  for await (const text of utf8(chunks)) {
    guarded(() => tokenizer.write(text));
    read += text.length;
    if (read - tokenAt > limits.jsonTextBytes)
      throw broken(`A text of a JSON file has more than ${limits.jsonTextBytes / 2 ** 20} MB.`);
    if (pieces.length === 0) continue;
    yield* pieces;
    pieces = [];
  }
  try {
    if (!tokenizer.isEnded) tokenizer.end();
  } catch (error) {
    throw broken('A JSON file of the archive is cut off.', undefined, error);
  }
  builder.end();
  yield* pieces;
}

function guarded(work: () => void): void {
  try {
    work();
  } catch (error) {
    throw error instanceof Fault ? error : broken('A JSON file of the archive is damaged.', undefined, error);
  }
}

/** Chunks of UTF-8 that end with whole characters; UTF-16 with its mark is written anew. @throws Fault VALIDATION_FAILED */
export async function* utf8(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, void> {
  let rest: Buffer = Buffer.alloc(0);
  let decoder: ReturnType<typeof utf16> | undefined;
  for await (const chunk of chunks) {
    const bytes =
      rest.length > 0 ? Buffer.concat([rest, chunk]) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    if (decoder === undefined && bytes.length < 3) {
      rest = bytes;
      continue;
    }
    const isFirst = decoder === undefined;
    decoder ??= utf16(bytes);
    rest = Buffer.alloc(0);
    if (decoder) {
      yield Buffer.from(decoder.decode(bytes, { stream: true }));
      continue;
    }
    const start = isFirst && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
    const end = wholeUntil(bytes);
    const whole = bytes.subarray(start, end);
    rest = Buffer.from(bytes.subarray(end));
    if (!isUtf8(whole)) throw notText();
    if (whole.length > 0) yield whole;
  }
  if (rest.length === 0) return;
  if (!isUtf8(rest)) throw notText();
  yield rest;
}

const notText = () =>
  broken('A file of the archive is no text in UTF-8.', 'Save it as UTF-8, or ask the provider for a new export.');

function utf16(bytes: Buffer) {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le');
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be');
  return null;
}

/** Where the last character begins that is not whole; the end where all are. */
function wholeUntil(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return bytes.length;
    if (byte >= 0xc0) {
      const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return needs > back ? bytes.length - back : bytes.length;
    }
  }
  return bytes.length;
}
