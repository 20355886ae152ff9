import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTextSplitter, type TextPiece } from './text.ts';

/** Feeds bytes in pieces of the given sizes. */
function split(bytes: Uint8Array, sizes: number[]): TextPiece[] {
  const splitter = createTextSplitter();
  const pieces: (TextPiece | null)[] = [];
  let at = 0;
  for (const size of [...sizes, bytes.length]) {
    pieces.push(splitter.write(bytes.subarray(at, at + size)));
    at += size;
  }
  pieces.push(splitter.end());
  return pieces.filter((piece) => piece !== null);
}

const bytesOf = (pieces: TextPiece[]) =>
  Buffer.concat(
    pieces.map(({ text, base64 }) => (base64 === null ? Buffer.from(text) : Buffer.from(base64, 'base64'))),
  );

const sizes = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 30 });

test('text survives any cutting, without a byte as base64', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), sizes, (text, cuts) => {
      const clean = Buffer.from(text).toString();
      const pieces = split(Buffer.from(clean), cuts);
      return pieces.every((piece) => piece.base64 === null) && pieces.map((piece) => piece.text).join('') === clean;
    }),
  );
});

test('any bytes come back exactly', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), sizes, (bytes, cuts) => {
      return bytesOf(split(bytes, cuts)).equals(bytes);
    }),
  );
});

test('bytes that are no text show as U+FFFD and keep their bytes beside it', () => {
  expect(split(Uint8Array.of(0x61, 0xff, 0x62), [])).toEqual([{ text: 'a\ufffdb', base64: 'Yf9i' }]);
  expect(split(Uint8Array.of(0xe2, 0x82), [])).toEqual([{ text: '\ufffd', base64: '4oI=' }]);
});
