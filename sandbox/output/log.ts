// The output stream of a sandbox: numbered chunks in a ring and on disk, followed live from any cursor.
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../src/kernel/clock.ts';
import type { ExecResult, OutputPiece } from '../commands/execution.ts';
import type { SandboxChunk } from './chunk.ts';
import { Spool } from './spool.ts';
import { createTextSplitter, type TextPiece } from './text.ts';

export interface OutputLogOptions {
  /** Directory of this log, used by nothing else. */
  directory: string;
  clock: Clock;
  /** Called with every chunk in order, e.g. to publish it. */
  onChunk?: (chunk: SandboxChunk) => void;
  /** Limit in characters of the ring for live readers. */
  ringSize?: number;
  segmentBytes?: number;
  /** Limit in bytes on disk; older output is dropped and reported as a gap. */
  retainBytes?: number;
}

/** Item of a reader: a chunk, or a gap because chunks before `firstSeq` are no longer kept. */
export type LogItem = { type: 'chunk'; chunk: SandboxChunk } | { type: 'gap'; firstSeq: number };

/** Sink for the output of one command. */
export interface CommandOutput {
  /** Resolves when the log can take more. */
  onOutput(piece: OutputPiece): Promise<void>;
  /** Appends the last chunk, which carries the exit code. */
  finish(result: ExecResult): Promise<void>;
}

const mebibyte = 1024 * 1024;
/** Limit of one chunk's text, in bytes before decoding. */
const chunkBytes = 32 * 1024;
/** Limit in characters of chunks that wait for the disk; beyond it writers wait too. */
const backlogSize = mebibyte;

export class OutputLog {
  /** Epoch of the numbering, different from that of an earlier log of the same name. */
  readonly epoch: string;
  readonly #clock: Clock;
  readonly #onChunk: (chunk: SandboxChunk) => void;
  readonly #spool: Spool;
  readonly #ringSize: number;
  readonly #ring: SandboxChunk[] = [];
  #ringUsed = 0;
  #lastSeq: number;
  #isEnded = false;
  #backlog: SandboxChunk[] = [];
  #backlogUsed = 0;
  #writing: Promise<void> | null = null;
  #failure: unknown = null;
  readonly #waiting = new Set<() => void>();

  private constructor(epoch: string, spool: Spool, lastSeq: number, options: OutputLogOptions) {
    this.epoch = epoch;
    this.#spool = spool;
    this.#lastSeq = lastSeq;
    this.#clock = options.clock;
    this.#onChunk = options.onChunk ?? (() => {});
    this.#ringSize = options.ringSize ?? mebibyte;
  }

  /** Opens the log of a directory; numbering continues after an earlier server's. */
  static async open(options: OutputLogOptions): Promise<OutputLog> {
    const { directory, segmentBytes = 4 * mebibyte, retainBytes = 64 * mebibyte } = options;
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const file = join(directory, 'epoch');
    const known = await readFile(file, 'utf8').catch(() => '');
    const epoch = known || randomBytes(6).toString('hex');
    if (!known) await writeFile(file, epoch, { mode: 0o600 });
    const { spool, lastSeq } = await Spool.open(directory, { segmentBytes, retainBytes });
    return new OutputLog(epoch, spool, lastSeq, options);
  }

  /** Number of the newest chunk, 0 without any. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** The sink of a command; pass `onOutput` to `Sandbox.exec` and the result to `finish`. */
  command(toolCallId: string | null): CommandOutput {
    const splitters = { Stdout: createTextSplitter(), Stderr: createTextSplitter(), System: createTextSplitter() };
    const put = (stream: OutputPiece['stream'], piece: TextPiece | null) => {
      if (piece) this.#append({ stream, ...piece, toolCallId, exitCode: null });
    };
    return {
      onOutput: ({ stream, bytes }) => {
        for (let from = 0; from < bytes.length; from += chunkBytes) {
          put(stream, splitters[stream].write(bytes.subarray(from, from + chunkBytes)));
        }
        return this.#room();
      },
      finish: (result) => {
        for (const stream of ['Stdout', 'Stderr', 'System'] as const) put(stream, splitters[stream].end());
        this.#append({ stream: 'System', text: '', base64: null, toolCallId, exitCode: result.exitCode ?? -1 });
        return this.#settle();
      },
    };
  }

  /** Appends a sentence of the server. */
  note(text: string, toolCallId: string | null = null): Promise<void> {
    this.#append({ stream: 'System', text, base64: null, toolCallId, exitCode: null });
    return this.#room();
  }

  /**
   * Chunks after a number, in order, without repeats or omissions; with `follow`, also later ones until the log ends or
   * the signal aborts. A gap comes first when the cursor is no longer kept.
   */
  async *read(afterSeq: number, options: { follow?: boolean; signal?: AbortSignal } = {}): AsyncGenerator<LogItem> {
    let last = afterSeq;
    const isStopped = () => options.signal?.aborted ?? false;
    while (!isStopped()) {
      const ringStart = this.#ring[0]?.seq ?? this.#lastSeq + 1;
      if (last + 1 < ringStart) {
        await this.flush();
        const first = this.#spool.firstSeq ?? ringStart;
        if (first > last + 1) {
          yield { type: 'gap', firstSeq: first };
          last = first - 1;
        }
        const before = last;
        for await (const chunk of this.#spool.read(last)) {
          if (isStopped()) return;
          // The chunk was dropped during the read: the next pass reports the gap.
          if (chunk.seq !== last + 1) break;
          last = chunk.seq;
          yield { type: 'chunk', chunk };
        }
        if (last === before && ringStart > last + 1) {
          yield { type: 'gap', firstSeq: ringStart };
          last = ringStart - 1;
        }
        continue;
      }
      for (const chunk of this.#ring.slice(last + 1 - ringStart)) {
        if (isStopped()) return;
        last = chunk.seq;
        yield { type: 'chunk', chunk };
      }
      if (last < this.#lastSeq) continue;
      if (!options.follow || this.#isEnded) return;
      await this.#nextAppend(options.signal);
    }
  }

  /** Resolves when all appended chunks are on disk. Throws the error of a failed write. */
  async flush(): Promise<void> {
    while (this.#writing) await this.#writing;
    if (this.#failure) throw this.#failure;
  }

  /** Resolves when a power failure would not take them away either. */
  async #settle(): Promise<void> {
    await this.flush();
    await this.#spool.sync();
  }

  /** Ends the log: followers stop after the last chunk. */
  async end(): Promise<void> {
    this.#isEnded = true;
    this.#wake();
    await this.flush();
    await this.#spool.close();
  }

  #append(draft: Omit<SandboxChunk, 'seq' | 'atUtc'>): void {
    this.#isEnded = false;
    this.#lastSeq += 1;
    const { stream, text, base64, toolCallId, exitCode } = draft;
    const atUtc = new Date(this.#clock.now()).toISOString();
    const chunk: SandboxChunk = { seq: this.#lastSeq, stream, text, base64, toolCallId, exitCode, atUtc };
    this.#ring.push(chunk);
    this.#ringUsed += size(chunk);
    while (this.#ringUsed > this.#ringSize && this.#ring.length > 1) {
      this.#ringUsed -= size(this.#ring.shift() as SandboxChunk);
    }
    this.#backlog.push(chunk);
    this.#backlogUsed += size(chunk);
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
    });
    this.#onChunk(chunk);
    this.#wake();
  }

  async #write(): Promise<void> {
    // Chunks that arrive in the same tick share a write.
    await null;
    while (this.#backlog.length > 0) {
      const batch = this.#backlog;
      this.#backlog = [];
      this.#backlogUsed = 0;
      await this.#spool.append(batch).catch((error: unknown) => {
        this.#failure ??= error;
      });
    }
  }

  async #room(): Promise<void> {
    while (this.#backlogUsed > backlogSize && this.#writing) await this.#writing;
    if (this.#failure) throw this.#failure;
  }

  #nextAppend(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const go = () => {
        this.#waiting.delete(go);
        signal?.removeEventListener('abort', go);
        resolve();
      };
      this.#waiting.add(go);
      signal?.addEventListener('abort', go, { once: true });
    });
  }

  #wake(): void {
    for (const go of [...this.#waiting]) go();
  }
}

const size = (chunk: SandboxChunk) => chunk.text.length + (chunk.base64?.length ?? 0) + 64;
