// Reader of a spool that somebody may be writing: it goes on where it stands, so that each byte is read once.
import type { Stats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import type { SandboxChunk } from './chunk.ts';
import { segmentPath, segmentsIn } from './segments.ts';

/** Bytes of one read. */
const pieceBytes = 64 * 1024;

export class SpoolReader {
  readonly #directory: string;
  /** The segment that was read last, by the number of its first chunk. */
  #firstSeq = 0;
  #inode = 0;
  /** Bytes of its whole lines that were read. */
  #bytes = 0;
  /** Stamp of its file when all of it had been read. */
  #stamp = '';

  constructor(directory: string) {
    this.#directory = directory;
  }

  /**
   * Chunks after a number which are on disk and were not read yet, in order. What was dropped is passed over. A call
   * without news lists the directory and looks at one file's size.
   */
  async *read(afterSeq: number): AsyncGenerator<SandboxChunk> {
    let next = afterSeq + 1;
    const segments = await segmentsIn(this.#directory);
    const first = segments.findLastIndex((firstSeq) => firstSeq <= next);
    for (const firstSeq of segments.slice(Math.max(0, first))) {
      if (firstSeq !== this.#firstSeq) this.#startOf(firstSeq);
      for await (const line of this.#newLines()) {
        const chunk = JSON.parse(line) as SandboxChunk;
        if (chunk.seq < next) continue;
        next = chunk.seq + 1;
        yield chunk;
      }
    }
  }

  #startOf(firstSeq: number): void {
    this.#firstSeq = firstSeq;
    this.#bytes = 0;
    this.#stamp = '';
  }

  /** Whole lines of the segment that were not read yet; none of one that is dropped meanwhile. */
  async *#newLines(): AsyncGenerator<string> {
    const path = segmentPath(this.#directory, this.#firstSeq);
    const found = await stat(path).catch(() => null);
    if (!found || stampOf(found) === this.#stamp) return;
    // Another file of this name, or one that lost whole lines, is read from its beginning.
    if (found.ino !== this.#inode || found.size < this.#bytes) this.#startOf(this.#firstSeq);
    this.#inode = found.ino;
    const file = await open(path).catch(() => null);
    if (!file) return;
    try {
      let cut = Buffer.alloc(0);
      for (let at = this.#bytes; at < found.size; ) {
        const length = Math.min(pieceBytes, found.size - at);
        const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, at);
        if (bytesRead === 0) break;
        at += bytesRead;
        const text = Buffer.concat([cut, buffer.subarray(0, bytesRead)]);
        let start = 0;
        for (let end = text.indexOf(0x0a); end !== -1; end = text.indexOf(0x0a, start)) {
          const line = text.toString('utf8', start, end);
          this.#bytes += end + 1 - start;
          start = end + 1;
          yield line;
        }
        cut = text.subarray(start);
      }
      this.#stamp = stampOf(found);
    } finally {
      await file.close();
    }
  }
}

/** Stamp of a file: it changes with what is in it. */
export const stampOf = ({ ino, size, mtimeMs }: Stats): string => `${ino} ${size} ${mtimeMs}`;
