// One WebSocket of uWebSockets.js.
import type { WebSocket } from 'uWebSockets.js';
import type { Socket } from '../../adapter.ts';
import { highWaterBytes } from '../limits.ts';
import type { Outgoing, Waiting } from '../outgoing.ts';
import { closing } from './closing.ts';
import type { RequestHeaders } from './request.ts';

/** What the upgrade keeps for a socket. */
export interface Admitted {
  ip: string;
  query: string;
  headers: RequestHeaders;
  socket: UwsSocket | null;
}

/** Value that `send` of uWebSockets.js gives for a message it threw away. */
const dropped = 2;

export class UwsSocket implements Socket, Waiting {
  readonly #admitted: Admitted;
  readonly #raw: WebSocket<Admitted>;
  readonly #outgoing: Outgoing;
  #open = true;
  #corked = false;
  #onMessage: ((data: string | Buffer) => void) | null = null;
  #onDrain: (() => void) | null = null;
  #onPong: (() => void) | null = null;
  #onClose: ((code: number, reason: string) => void) | null = null;

  constructor(raw: WebSocket<Admitted>, outgoing: Outgoing) {
    this.#outgoing = outgoing;
    this.#raw = raw;
    this.#admitted = raw.getUserData();
  }

  get ip(): string {
    return this.#admitted.ip;
  }

  get query(): string {
    return this.#admitted.query;
  }

  header(name: string): string | undefined {
    return this.#admitted.headers.get(name);
  }

  get open(): boolean {
    return this.#open;
  }

  get bufferedBytes(): number {
    return this.#open ? this.#raw.getBufferedAmount() : 0;
  }

  send(data: string | Uint8Array): boolean {
    if (!this.#open) return false;
    const outcome = this.#raw.send(data, false);
    if (outcome === dropped) {
      // Closing from inside a send crashes uWebSockets.js.
      setImmediate(() => this.close(4008, 'too slow'));
      return false;
    }
    if (outcome === 1 || this.#raw.getBufferedAmount() <= highWaterBytes) return true;
    this.#outgoing.watch(this);
    return false;
  }

  get bytesLeft(): number {
    return this.bufferedBytes;
  }

  get bytesHeld(): number {
    return this.bufferedBytes;
  }

  /** Deferred: closing from inside a send crashes uWebSockets.js. */
  cut(): void {
    closing(() => {
      if (this.#open) this.#raw.close();
    });
  }

  sendAll(texts: readonly Uint8Array[]): boolean {
    // A single frame is one write anyway; a cork costs more than the frame.
    if (texts.length === 1 || this.#corked) return this.#sendEach(texts);
    let free = false;
    this.cork(() => {
      free = this.#sendEach(texts);
    });
    return free;
  }

  #sendEach(texts: readonly Uint8Array[]): boolean {
    let free = true;
    for (const text of texts) free = this.send(text) && free;
    return free;
  }

  cork(run: () => void): void {
    if (!this.#open) return;
    this.#corked = true;
    try {
      this.#raw.cork(run);
    } finally {
      this.#corked = false;
    }
  }

  close(code: number, reason: string): void {
    if (this.#open) this.#raw.end(code, reason);
  }

  ping(): void {
    if (this.#open) this.#raw.ping();
  }

  onMessage(listener: (data: string | Buffer) => void): void {
    this.#onMessage = listener;
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener;
  }

  onPong(listener: () => void): void {
    this.#onPong = listener;
  }

  onClose(listener: (code: number, reason: string) => void): void {
    this.#onClose = listener;
  }

  /** Takes one message; its memory is reused when the caller returns. */
  received(message: ArrayBuffer, isBinary: boolean): void {
    const view = Buffer.from(message);
    this.#onMessage?.(isBinary ? Buffer.copyBytesFrom(view) : view.toString());
  }

  drained(): void {
    if (this.#open && this.#raw.getBufferedAmount() <= highWaterBytes / 2) this.#onDrain?.();
  }

  ponged(): void {
    this.#onPong?.();
  }

  closed(code: number, reason: string): void {
    this.#open = false;
    this.#onClose?.(code, reason);
  }
}
