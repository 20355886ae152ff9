// Receipts of a WebSocket client: a ping marks a position in the sent bytes, and its pong shows that they were read.

/** Bytes after which a position is marked; at least two such stretches may be in flight. */
const stretchBytes = 64 * 1024;
/**
 * Limit of unread bytes. The kernel buffers some 4 MB for a client that reads nothing, and memory of all sockets is
 * limited; with this limit a stalled client costs 256 KiB in total, the last batch included.
 */
export const unreadBytes = 3 * stretchBytes;

export class Receipts {
  /** Sends the ping; at most one is in flight, so that a pong is unambiguous. */
  readonly #ping: () => void;
  #marked = false;
  /** Unread bytes before the mark; the field below counts those after it. */
  #before = 0;
  #after = 0;

  constructor(ping: () => void) {
    this.#ping = ping;
  }

  /** True while nothing more should be sent; `read` returns when that has changed. */
  get full(): boolean {
    return this.#before + this.#after >= unreadBytes;
  }

  /** Counts sent bytes. */
  sent(bytes: number): void {
    this.#after += bytes;
    if (this.#after >= stretchBytes) this.mark();
  }

  /** Sends a ping, unless one is in flight. */
  mark(): void {
    if (this.#marked) return;
    this.#marked = true;
    this.#before = this.#after;
    this.#after = 0;
    this.#ping();
  }

  /** Handles a pong. */
  read(): void {
    this.#marked = false;
    this.#before = 0;
    if (this.#after >= stretchBytes) this.mark();
  }
}
