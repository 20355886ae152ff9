// The output log that another server may be writing: read from the disk, which several servers share, and never changed.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../src/kernel/clock.ts';
import type { LogItem } from './log.ts';
import { Spool } from './spool.ts';

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
  #lastSeq = 0;

  private constructor(options: OutputTailOptions) {
    this.#options = options;
  }

  static async open(options: OutputTailOptions): Promise<OutputTail> {
    const tail = new OutputTail(options);
    await tail.#look();
    return tail;
  }

  /** Epoch of the numbering; empty while there is no log. */
  get epoch(): string {
    return this.#epoch;
  }

  /** Number of the newest chunk at the last look, 0 without any. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** As `read` of OutputLog: with `follow`, later chunks come up to a quarter of a second late. */
  async *read(afterSeq: number, options: { follow?: boolean; signal?: AbortSignal } = {}): AsyncGenerator<LogItem> {
    const { follow = false, signal } = options;
    let last = afterSeq;
    for (let looks = 0; !signal?.aborted; looks++) {
      // Asked before the look: what was written before the end is read.
      const isOver = !follow || (looks % looksPerQuestion === 0 && (await this.#options.hasEnded()));
      const before = this.#epoch;
      const spool = await this.#look();
      // A log that was deleted and begun anew is numbered from its beginning.
      if (before !== '' && this.#epoch !== before) last = 0;
      for await (const chunk of last < this.#lastSeq ? spool.read(last) : []) {
        if (signal?.aborted) return;
        if (chunk.seq > last + 1) yield { type: 'gap', firstSeq: chunk.seq };
        last = chunk.seq;
        yield { type: 'chunk', chunk };
      }
      if (isOver) return;
      await this.#options.clock.sleep(lookMs, signal).catch(() => undefined);
    }
  }

  async #look(): Promise<Spool> {
    const { directory } = this.#options;
    this.#epoch = await readFile(join(directory, 'epoch'), 'utf8').catch(() => '');
    const { spool, lastSeq } = await Spool.look(directory);
    this.#lastSeq = lastSeq;
    return spool;
  }
}
