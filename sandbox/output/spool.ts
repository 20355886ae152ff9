// Spool of a sandbox's output on disk: segments of JSON lines, the oldest dropped beyond a limit.
import { type FileHandle, mkdir, open, readFile, rm, stat, truncate } from 'node:fs/promises';
import type { SandboxChunk } from './chunk.ts';
import { segmentPath, segmentsIn } from './segments.ts';
import { SpoolReader } from './spool-reader.ts';

export interface SpoolLimits {
  segmentBytes: number;
  retainBytes: number;
}

interface Segment {
  firstSeq: number;
  bytes: number;
}

/** An append-only list of chunks without its oldest part. One writer; any number of readers. */
export class Spool {
  readonly #directory: string;
  readonly #limits: SpoolLimits;
  readonly #segments: Segment[];
  #handle: FileHandle | null = null;

  private constructor(directory: string, limits: SpoolLimits, segments: Segment[]) {
    this.#directory = directory;
    this.#limits = limits;
    this.#segments = segments;
  }

  /** Opens the spool of a directory; a line cut short by a crash is dropped. */
  static async open(directory: string, limits: SpoolLimits): Promise<{ spool: Spool; lastSeq: number }> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const { segments, lastSeq, cut } = await contentOf(directory);
    if (cut) await truncate(cut.path, cut.bytes);
    return { spool: new Spool(directory, limits, segments), lastSeq };
  }

  /** Number of the oldest kept chunk; null without any. */
  get firstSeq(): number | null {
    return this.#segments[0]?.firstSeq ?? null;
  }

  /** Appends chunks whose numbers continue those of the last ones. One call at a time. */
  async append(chunks: SandboxChunk[]): Promise<void> {
    for (let at = 0; at < chunks.length; ) {
      const segment = await this.#room((chunks[at] as SandboxChunk).seq);
      const lines: string[] = [];
      for (let size = segment.bytes; at < chunks.length && size < this.#limits.segmentBytes; at++) {
        const line = `${JSON.stringify(chunks[at])}\n`;
        size += line.length;
        lines.push(line);
      }
      const bytes = Buffer.from(lines.join(''));
      this.#handle ??= await open(this.#path(segment), 'a', 0o600);
      await this.#handle.appendFile(bytes);
      segment.bytes += bytes.length;
    }
  }

  /** Chunks after a number, as far as they are on disk. Those that are dropped meanwhile may be missing. */
  read(afterSeq: number): AsyncGenerator<SandboxChunk> {
    return new SpoolReader(this.#directory).read(afterSeq);
  }

  /** Waits until what was appended is on the disk. */
  async sync(): Promise<void> {
    await this.#handle?.datasync();
  }

  async close(): Promise<void> {
    await this.sync();
    await this.#handle?.close();
    this.#handle = null;
  }

  /** The segment to write to; a new one, named after its first chunk, when the last is full. */
  async #room(nextSeq: number): Promise<Segment> {
    const last = this.#segments.at(-1);
    if (last && last.bytes < this.#limits.segmentBytes) return last;
    await this.close();
    const segment = { firstSeq: nextSeq, bytes: 0 };
    this.#segments.push(segment);
    await this.#forget();
    return segment;
  }

  async #forget(): Promise<void> {
    let total = this.#segments.reduce((sum, segment) => sum + segment.bytes, 0);
    while (this.#segments.length > 1 && total > this.#limits.retainBytes) {
      const oldest = this.#segments.shift() as Segment;
      total -= oldest.bytes;
      await rm(this.#path(oldest), { force: true });
    }
  }

  #path(segment: Segment): string {
    return segmentPath(this.#directory, segment.firstSeq);
  }
}

interface Found {
  segments: Segment[];
  /** Number of the newest chunk, 0 without any. */
  lastSeq: number;
  /** The last segment where it ends with part of a line, and its bytes without that. */
  cut: { path: string; bytes: number } | null;
}

/** Number of the newest chunk in a directory, 0 without any: reads its last segment. */
export const lastSeqIn = async (directory: string): Promise<number> => (await contentOf(directory)).lastSeq;

/** What is in a directory, without what is no whole line yet at the end of the last segment. */
async function contentOf(directory: string): Promise<Found> {
  const segments: Segment[] = [];
  for (const firstSeq of await segmentsIn(directory)) {
    // The oldest may be dropped meanwhile.
    const file = await stat(segmentPath(directory, firstSeq)).catch(() => null);
    if (file) segments.push({ firstSeq, bytes: file.size });
  }
  const last = segments.at(-1);
  if (!last) return { segments, lastSeq: 0, cut: null };
  const path = segmentPath(directory, last.firstSeq);
  const content = await readFile(path).catch(() => Buffer.alloc(0));
  last.bytes = content.lastIndexOf(0x0a) + 1;
  const lines = content.subarray(0, last.bytes).toString().split('\n').length - 1;
  const cut = last.bytes < content.length ? { path, bytes: last.bytes } : null;
  return { segments, lastSeq: last.firstSeq - 1 + lines, cut };
}
