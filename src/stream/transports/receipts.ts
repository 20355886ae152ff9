// How much of what a WebSocket was sent its client has not read: a ping marks a place, and the pong says it got there.

/** Bytes after which a place is marked, and of which at least two such stretches may be on the way. */
const stretchBytes = 64 * 1024;
/**
 * Bytes that may be on the way. The system takes some 4 MB for a client that reads nothing, and memory of all
 * sockets is limited; with this a stalled client costs 256 KiB with everything, the batch that was sent last included.
 */
export const unreadBytes = 3 * stretchBytes;

export class Receipts {
  /** Sends the ping; one at most is out at any time, so that a pong can only mean it. */
  readonly #ping: () => void;
  #marked = false;
  /** Bytes before the marked place that are not known to be read, and those after it. */
  #before = 0;
  #after = 0;

  constructor(ping: () => void) {
    this.#ping = ping;
  }

  /** True while nothing more should be sent: `read` says when that has changed. */
  get full(): boolean {
    return this.#before + this.#after >= unreadBytes;
  }

  /** Counts what was sent. */
  sent(bytes: number): void {
    this.#after += bytes;
    if (this.#after >= stretchBytes) this.mark();
  }

  /** Asks for a sign of life, unless one is awaited already. */
  mark(): void {
    if (this.#marked) return;
    this.#marked = true;
    this.#before = this.#after;
    this.#after = 0;
    this.#ping();
  }

  /** Takes a pong. */
  read(): void {
    this.#marked = false;
    this.#before = 0;
    if (this.#after >= stretchBytes) this.mark();
  }
}
