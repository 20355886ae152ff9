// Products of a question with many coded vectors, by WebAssembly's vector instructions: 6 ms for 100,000 of 512 dimensions.

/** `scan.wat`, assembled by wabt. */
export const assembled =
  'AGFzbQEAAAABCQFgBX9/f39/AAMCAQAFAwEAEQcRAgZtZW1vcnkCAARzY2FuAAAKrgEBqwECA38CeyABIAIgA2xqIQUCQANAIAEgBU8NASAAIQYgASADaiEH/QwAAAAAAAAAAAAAAAAAAAAAIQgDQCAB/QAEACEJIAggCf2HASAG/QAEAP26Af2uASEIIAggCf2IASAG/QAEEP26Af2uASEIIAZBIGohBiABQRBqIQEgASAHSQ0ACyAEIAj9GwAgCP0bAWogCP0bAiAI/RsDamo2AgAgBEEEaiEEDAALCws=';

interface Exports {
  memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  scan(query: number, codes: number, rows: number, width: number, out: number): void;
}

/** What is used of it: the types of Node know none of its classes. */
interface Assembly {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { exports: unknown };
}

/** Codes of a row are padded to a multiple of this. */
export const lane = 16;

/** Bytes of the module's memory for rows: as many as stay in a processor's cache. */
const areaBytes = 1 << 19;

let kernel: Exports | null = null;

function load(): Exports {
  const { Module, Instance } = (globalThis as unknown as { WebAssembly: Assembly }).WebAssembly;
  return new Instance(new Module(Buffer.from(assembled, 'base64'))).exports as Exports;
}

/**
 * The product of the question with each row.
 *
 * @param codes - rows of `width` codes, one after the other
 * @param question - `width` numbers, so small that a product stays below 2³¹
 */
export function scan(codes: Int8Array, rows: number, width: number, question: Int16Array): Int32Array {
  kernel ??= load();
  const products = new Int32Array(rows);
  const step = Math.max(1, Math.floor(areaBytes / width));
  const [outAt, codesAt] = [width * 2, width * 2 + step * 4 + ((width * 2 + step * 4) % lane)];
  const { memory } = kernel;
  const missing = codesAt + step * width - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / 65_536));
  new Int16Array(memory.buffer, 0, width).set(question);
  const area = new Int8Array(memory.buffer, codesAt, step * width);
  for (let row = 0; row < rows; row += step) {
    const count = Math.min(step, rows - row);
    area.set(codes.subarray(row * width, (row + count) * width));
    kernel.scan(0, codesAt, count, width, outAt);
    products.set(new Int32Array(memory.buffer, outAt, count), row);
  }
  return products;
}
