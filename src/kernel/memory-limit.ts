// How much memory this process may have, and what of it V8's heap may take.
import { getHeapStatistics } from 'node:v8';

/** Above this a limit of memory is none. */
const noLimitBytes = 2 ** 52;
const mebibyte = 2 ** 20;
/** From here on there is room for what `npm start` gives to new objects. */
const roomyBytes = 1024 * mebibyte;
/** Share of the memory above which a heap leaves too little for all else: code, SQLite, buffers, threads, helpers. */
const mostShare = 3 / 4;

/** Bytes that the container, or the service, of this process may have; null without a limit. */
export function memoryLimit(): number | null {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < noLimitBytes ? limit : null;
}

/**
 * What to tell Node of its heap. In little memory V8's own limits are of no use: it lets the heap grow to 256 MiB and more
 * in a container of 256 MiB, so that the kernel ends the server where a collection would have made room.
 */
export function heapFlags(bytes: number | null = memoryLimit()): string[] {
  if (bytes === null || bytes >= roomyBytes) return ['--max-semi-space-size=64'];
  const old = Math.floor(bytes / 2 / mebibyte);
  return [`--max-old-space-size=${old}`, `--max-semi-space-size=${bytes >= roomyBytes / 2 ? 16 : 8}`];
}

/** What is wrong with the heap of this process for the memory that it may have, and how to start it; null where nothing is. */
export function heapAdvice(
  bytes: number | null = memoryLimit(),
  heap: number = getHeapStatistics().heap_size_limit,
): string | null {
  if (bytes === null || heap <= bytes * mostShare) return null;
  const [most, has] = [heap, bytes].map((size) => Math.round(size / mebibyte));
  return `the heap may grow to ${most} MiB where this process may have ${has} MiB: the kernel may end it before a collection makes room; start it with node ${heapFlags(bytes).join(' ')} (docs/operations.md, In little memory)`;
}
