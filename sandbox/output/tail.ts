// The output log that another server may be writing: read from the disk, which several servers share, and never changed.
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../src/kernel/clock.ts';
import type { LogItem } from './log.ts';
import { lastSeqIn } from './spool.ts';
import { SpoolReader, stampOf } from './spool-reader.ts';

export interface OutputTailOptions {
  /** Directory of the log; it need not be there yet. */
  directory: string;
  clock: Clock;
  /** Whether nobody writes the log any more. */
  hasEnded(): Promise<boolean>;
}

/** Interval in ms of the look for new chunks. */
const lookMs = 250;
/** The end is asked for with each so many looks: that costs a read of the database. */
const looksPerQuestion = 4;

export class OutputTail {
  readonly #options: OutputTailOptions;
  #epoch = '';
  /** Stamp of the file that the epoch was read from. */
  #stamp = '';
  #lastSeq = 0;

  private constructor(options: OutputTailOptions) {
    this.#options = options;
  }

  static async open(options: OutputTailOptions): Promise<OutputTail> {
    const tail = new OutputTail(options);
    await tail.#readEpoch();
    tail.#lastSeq = await lastSeqIn(options.directory);
    return tail;
  }

  /** Epoch of the numbering; empty while there is no log. */
  get epoch(): string {
    return this.#epoch;
  }

  /** Number of the newest chunk that was seen, 0 without any. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** As `read` of OutputLog: with `follow`, later chunks come up to a quarter of a second late. */
  async *read(afterSeq: number, options: { follow?: boolean; signal?: AbortSignal } = {}): AsyncGenerator<LogItem> {
    const { follow = false, signal } = options;
    const { directory, hasEnded, clock } = this.#options;
    let last = afterSeq;
    let epoch = this.#epoch;
    let reader = new SpoolReader(directory);
    for (let looks = 0; !signal?.aborted; looks++) {
      // Asked before the look: what was written before the end is read.
      const isOver = !follow || (looks % looksPerQuestion === 0 && (await hasEnded()));
      await this.#readEpoch();
      // A log that was deleted and begun anew is numbered from its beginning.
      if (epoch !== '' && this.#epoch !== epoch) {
        [last, this.#lastSeq] = [0, 0];
        reader = new SpoolReader(directory);
      }
      epoch = this.#epoch;
      for await (const chunk of reader.read(last)) {
        if (signal?.aborted) return;
        if (chunk.seq > last + 1) yield { type: 'gap', firstSeq: chunk.seq };
        last = chunk.seq;
        this.#lastSeq = Math.max(this.#lastSeq, last);
        yield { type: 'chunk', chunk };
      }
      if (isOver) return;
      await clock.sleep(lookMs, signal).catch(() => undefined);
    }
  }

  async #readEpoch(): Promise<void> {
    const path = join(this.#options.directory, 'epoch');
    const found = await stat(path).catch(() => null);
    const stamp = found ? stampOf(found) : '';
    if (stamp === this.#stamp) return;
    this.#stamp = stamp;
    this.#epoch = await readFile(path, 'utf8').catch(() => '');
  }
}
