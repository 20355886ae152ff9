// A request body as it arrives: chunks are queued, the sender is paused when the reader is slow.
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';

const highWaterBytes = 256 * 1024;

/** Pauses and resumes the sender. */
export interface Flow {
  pause(): void;
  resume(): void;
}

const tooLarge = (limit: number) =>
  new Fault('PAYLOAD_TOO_LARGE', `The body is larger than ${limit} bytes.`, {
    hint: 'Send less, or in several requests.',
  });
const tooSlow = (ms: number) =>
  new Fault('BAD_REQUEST', `The body did not arrive within ${ms / 1000} s.`, {
    hint: 'Send the whole body that Content-Length announces.',
    status: 408,
  });
const gone = () => new Fault('CLIENT_CLOSED', 'The client closed the connection.');

/** One body; adapters push chunks in, one reader takes them out. */
export class IncomingBody {
  readonly #flow: Flow;
  readonly #clock: Clock;
  #chunks: Buffer[] = [];
  #queued = 0;
  #received = 0;
  #limit = Number.POSITIVE_INFINITY;
  #paused = false;
  #ended = false;
  #failure: Fault | null = null;
  #wake: (() => void) | null = null;

  constructor(flow: Flow, clock: Clock) {
    this.#flow = flow;
    this.#clock = clock;
  }

  /** True when every byte has arrived. */
  get complete(): boolean {
    return this.#ended;
  }

  push(chunk: Buffer): void {
    if (this.#failure) return;
    this.#received += chunk.length;
    if (this.#received > this.#limit) {
      this.#fail(tooLarge(this.#limit));
      return;
    }
    this.#chunks.push(chunk);
    this.#queued += chunk.length;
    if (this.#queued > highWaterBytes && !this.#paused) {
      this.#paused = true;
      this.#flow.pause();
    }
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** The client went away. */
  abort(): void {
    if (!this.#ended) this.#fail(gone());
  }

  /** Reads it all. A body that announces more bytes than the limit fails at once. Errors as `Exchange.body`. */
  async read(limit: number, deadlineMs: number, announced: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    this.#limitTo(limit, announced);
    const stop = this.#ended ? null : this.#clock.after(deadlineMs, () => this.#fail(tooSlow(deadlineMs)));
    try {
      for (let chunk = await this.#next(); chunk; chunk = await this.#next()) parts.push(chunk);
    } finally {
      stop?.();
    }
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
  }

  /** Reads in chunks; fails when none arrives for `idleMs`. Errors as `Exchange.bodyStream`. */
  async *stream(limit: number, idleMs: number, announced: number): AsyncGenerator<Buffer> {
    this.#limitTo(limit, announced);
    for (;;) {
      const stop = this.#clock.after(idleMs, () => this.#fail(tooSlow(idleMs)));
      const chunk = await this.#next().finally(stop);
      if (!chunk) return;
      yield chunk;
    }
  }

  #limitTo(limit: number, announced: number): void {
    this.#limit = limit;
    if (Math.max(this.#received, announced) > limit) this.#fail(tooLarge(limit));
  }

  #fail(failure: Fault): void {
    this.#failure ??= failure;
    this.#chunks = [];
    this.#queued = 0;
    this.#wake?.();
  }

  async #next(): Promise<Buffer | null> {
    for (;;) {
      if (this.#failure) throw this.#failure;
      const chunk = this.#chunks.shift();
      if (chunk) {
        this.#queued -= chunk.length;
        this.#resume();
        return chunk;
      }
      if (this.#ended) return null;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = null;
    }
  }

  #resume(): void {
    if (!this.#paused || this.#queued > highWaterBytes / 2) return;
    this.#paused = false;
    this.#flow.resume();
  }
}
