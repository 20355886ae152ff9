// Demultiplexer of the engine's stream into stdout and stderr, with back-pressure.
import { once } from 'node:events';
import type { Writable } from 'node:stream';

const headerBytes = 8;
const stderrType = 2;

/**
 * Reads frames of `type, 0, 0, 0, length (32 bits, big-endian), payload` (Docker Engine API, “attach”) to the end of
 * the stream. Does not end the targets.
 */
export async function demux(source: AsyncIterable<Uint8Array>, stdout: Writable, stderr: Writable): Promise<void> {
  let header = Buffer.alloc(0);
  let target = stdout;
  let left = 0;
  for await (const chunk of source) {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    while (rest.length > 0) {
      if (left === 0) {
        const missing = headerBytes - header.length;
        header = Buffer.concat([header, rest.subarray(0, missing)]);
        rest = rest.subarray(missing);
        if (header.length < headerBytes) break;
        target = header[0] === stderrType ? stderr : stdout;
        left = header.readUInt32BE(4);
        header = Buffer.alloc(0);
        continue;
      }
      const payload = rest.subarray(0, left);
      rest = rest.subarray(payload.length);
      left -= payload.length;
      await write(target, payload);
    }
  }
}

/** Writes and waits for room; a destroyed target drops the bytes. */
export async function write(target: Writable, bytes: Uint8Array): Promise<void> {
  if (target.destroyed || target.write(bytes)) return;
  const settled = new AbortController();
  const { signal } = settled;
  await Promise.race([once(target, 'drain', { signal }), once(target, 'close', { signal })]);
  settled.abort();
}
