// Spool of a sandbox's output on disk: segments of JSON lines, the oldest dropped beyond a limit.
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, readFile, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { SandboxChunk } from './chunk.ts';

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
    const { segments, lastSeq, cut } = await segmentsIn(directory);
    if (cut) await truncate(cut.path, cut.bytes);
    return { spool: new Spool(directory, limits, segments), lastSeq };
  }

  /** The spool of a directory as it is now, to be read only: somebody else may be writing it, or it may not be there. */
  static async look(directory: string): Promise<{ spool: Spool; lastSeq: number }> {
    const { segments, lastSeq } = await segmentsIn(directory);
    return { spool: new Spool(directory, { segmentBytes: 0, retainBytes: 0 }, segments), lastSeq };
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

  /** Chunks after a number, as far as they are on disk. Ends early if they are dropped meanwhile. */
  async *read(afterSeq: number): AsyncGenerator<SandboxChunk> {
    let next = afterSeq + 1;
    for (const segment of [...this.#segments]) {
      const following = this.#segments[this.#segments.indexOf(segment) + 1];
      if (following && following.firstSeq <= next) continue;
      const file = createReadStream(this.#path(segment), { end: Math.max(0, segment.bytes - 1) });
      const missing = new Promise<boolean>((resolve) => {
        file.once('error', () => resolve(true));
        file.once('open', () => resolve(false));
      });
      if (segment.bytes === 0 || (await missing)) continue;
      for await (const line of createInterface({ input: file, crlfDelay: Number.POSITIVE_INFINITY })) {
        const chunk = JSON.parse(line) as SandboxChunk;
        if (chunk.seq < next) continue;
        next = chunk.seq + 1;
        yield chunk;
      }
    }
  }

  async close(): Promise<void> {
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
    return join(this.#directory, `${segment.firstSeq}.jsonl`);
  }
}

interface Found {
  segments: Segment[];
  /** Number of the newest chunk, 0 without any. */
  lastSeq: number;
  /** The last segment where it ends with part of a line, and its bytes without that. */
  cut: { path: string; bytes: number } | null;
}

/** Segments of a directory, without what is no whole line yet at the end of the last one. */
async function segmentsIn(directory: string): Promise<Found> {
  const names = (await readdir(directory).catch(orNone)).filter((name) => /^\d+\.jsonl$/.test(name));
  const segments: Segment[] = [];
  for (const firstSeq of names.map((name) => Number.parseInt(name, 10)).sort((a, b) => a - b)) {
    // The oldest may be dropped meanwhile.
    const found = await stat(join(directory, `${firstSeq}.jsonl`)).catch(() => null);
    if (found) segments.push({ firstSeq, bytes: found.size });
  }
  const last = segments.at(-1);
  if (!last) return { segments, lastSeq: 0, cut: null };
  const path = join(directory, `${last.firstSeq}.jsonl`);
  const content = await readFile(path).catch(() => Buffer.alloc(0));
  last.bytes = content.lastIndexOf(0x0a) + 1;
  const lines = content.subarray(0, last.bytes).toString().split('\n').length - 1;
  const cut = last.bytes < content.length ? { path, bytes: last.bytes } : null;
  return { segments, lastSeq: last.firstSeq - 1 + lines, cut };
}

function orNone(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}
