// Dot products of a question with many coded vectors, by WebAssembly SIMD: 6 ms for 100,000 vectors of 512 dimensions.

/**
 * `scan.wat`, assembled by wabt. Its memory is declared as shared, though one thread alone uses it: V8 counts other memory
 * of WebAssembly towards the heap's limit, and with 50 MB of codes beside a large young generation it then collected the
 * whole heap again and again, once in 20 searches.
 */
export const assembled =
  'AGFzbQEAAAABCQFgBX9/f39/AAMCAQAFBgEDEYCAAgcRAgZtZW1vcnkCAARzY2FuAAAKrgEBqwECA38CeyABIAIgA2xqIQUCQANAIAEgBU8NASAAIQYgASADaiEH/QwAAAAAAAAAAAAAAAAAAAAAIQgDQCAB/QAEACEJIAggCf2HASAG/QAEAP26Af2uASEIIAggCf2IASAG/QAEEP26Af2uASEIIAZBIGohBiABQRBqIQEgASAHSQ0ACyAEIAj9GwAgCP0bAWogCP0bAiAI/RsDamo2AgAgBEEEaiEEDAALCws=';

interface Exports {
  memory: { readonly buffer: SharedArrayBuffer; grow(pages: number): number };
  scan(query: number, codes: number, rows: number, width: number, out: number): void;
}

/** The part of WebAssembly that is used: the types of Node declare none of its classes. */
interface Assembly {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { exports: unknown };
}

/** Codes of a row are padded to a multiple of this. */
export const lane = 16;

/** Bytes of the module's memory for rows: as many as stay in a processor's cache. */
const areaBytes = 1 << 19;

let kernel: Exports | null = null;
let compiled: object | null = null;

/** Compiles the module once: its instances share the optimised code. */
function load(): Exports {
  const { Module, Instance } = (globalThis as unknown as { WebAssembly: Assembly }).WebAssembly;
  compiled ??= new Module(Buffer.from(assembled, 'base64'));
  return new Instance(compiled).exports as Exports;
}

/** What fits a page of the module's memory. */
const pageBytes = 65_536;

/** A matrix of codes, `width` a row, with room for more. */
export interface Codes {
  readonly rows: Int8Array;
  /**
   * The product of the question with each of the first `count` rows.
   *
   * @param question - `width` numbers, so small that a product stays below 2³¹
   */
  scan(count: number, question: Int16Array): Int32Array;
}

/** Least bytes of a matrix that gets a module of its own, whose scans copy nothing. */
const ownModuleBytes = 4 << 20;

export function createCodes(rows: number, width: number): Codes {
  try {
    if (rows * width >= ownModuleBytes) return inModule(rows, width);
  } catch (error) {
    // A machine that gives no more room for modules: each reserves some gigabytes of addresses.
    if (!(error instanceof RangeError)) throw error;
  }
  return copied(new Int8Array(rows * width), width);
}

function inModule(rows: number, width: number): Codes {
  const { memory, scan: products } = load();
  const questionBytes = width * 2;
  const outAt = questionBytes + ((lane - (questionBytes % lane)) % lane);
  const codesAt = outAt + rows * 4 + ((lane - ((rows * 4) % lane)) % lane);
  memory.grow(Math.max(0, Math.ceil((codesAt + rows * width - memory.buffer.byteLength) / pageBytes)));
  return {
    rows: new Int8Array(memory.buffer, codesAt, rows * width),
    scan(count, question) {
      new Int16Array(memory.buffer, 0, width).set(question);
      products(0, codesAt, count, width, outAt);
      return new Int32Array(memory.buffer, outAt, count);
    },
  };
}

const copied = (codes: Int8Array, width: number): Codes => ({
  rows: codes,
  scan: (count, question) => scan(codes, count, width, question),
});

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
  if (missing > 0) memory.grow(Math.ceil(missing / pageBytes));
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
