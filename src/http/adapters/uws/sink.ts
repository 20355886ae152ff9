// A streamed answer of uWebSockets.js.
//
// Once `onWritable` is set, uWebSockets.js empties its buffer only when the handler writes something. An event stream
// writes a comment there; any other stream holds back its last bytes until it ends, so that there is always one to write.
import type { HttpResponse } from 'uWebSockets.js';
import type { ResponseSink } from '../../adapter.ts';
import type { Outgoing, Waiting } from '../outgoing.ts';
import { closing } from './closing.ts';

/** Without a blank line, which would end an empty event for some clients. */
const comment = ':\n';
const sliceBytes = 64 * 1024;
const heldBytes = 64;

interface SinkOptions {
  /** An event stream. */
  live: boolean;
  open: boolean;
  finished: () => void;
  outgoing: Outgoing;
}

export class UwsSink implements ResponseSink, Waiting {
  readonly #response: HttpResponse;
  readonly #live: boolean;
  readonly #finished: () => void;
  readonly #outgoing: Outgoing;
  readonly #onDrain: (() => void)[] = [];
  readonly #onClose: (() => void)[] = [];
  #pending: Buffer = Buffer.alloc(0);
  #blocked = false;
  #blockedBytes = 0;
  #open: boolean;
  #gone = false;

  constructor(response: HttpResponse, { live, open, finished, outgoing }: SinkOptions) {
    this.#outgoing = outgoing;
    this.#response = response;
    this.#live = live;
    this.#open = open;
    this.#finished = finished;
  }

  /** Sends the head at once for event streams and listens for room in the socket; call it corked, after the head. */
  start(): void {
    if (this.#live) this.#response.write(comment);
    this.#response.onWritable(() => {
      if (!this.#open) return true;
      try {
        return this.#room();
      } catch {
        this.abort();
        return true;
      }
    });
  }

  get open(): boolean {
    return this.#open;
  }

  get bufferedBytes(): number {
    return this.#blockedBytes + this.#pending.length;
  }

  write(chunk: string | Uint8Array): boolean {
    if (!this.#open) return false;
    if (this.#live) this.#push(chunk);
    else {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      this.#pending = Buffer.concat([this.#pending, bytes]);
      this.#advance();
    }
    if (!this.#blocked) return true;
    this.#outgoing.watch(this);
    return false;
  }

  get bytesLeft(): number {
    return this.#open ? this.bufferedBytes : 0;
  }

  get bytesHeld(): number {
    return this.bytesLeft;
  }

  /** Deferred: the stream may be in the middle of a write. */
  cut(): void {
    closing(() => this.#close());
  }

  onDrain(listener: () => void): void {
    this.#onDrain.push(listener);
  }

  onClose(listener: () => void): void {
    if (this.#open) this.#onClose.push(listener);
    else setImmediate(listener);
  }

  end(): void {
    if (!this.#open) return;
    this.#open = false;
    // A client may have asked for its connection to be closed with that.
    closing(() => {
      if (this.#gone) return;
      this.#response.cork(() => {
        if (this.#pending.length) this.#response.write(this.#pending);
        this.#response.end();
      });
      this.#finished();
    });
  }

  abort(): void {
    closing(() => this.#close());
  }

  #close(): void {
    if (this.#open) this.#response.close();
  }

  /** The client went away. */
  closed(): void {
    this.#gone = true;
    if (!this.#open) return;
    this.#open = false;
    this.#pending = Buffer.alloc(0);
    for (const listener of this.#onClose) listener();
  }

  #push(chunk: string | Uint8Array): void {
    let ok = true;
    this.#response.cork(() => {
      ok = this.#response.write(chunk);
    });
    this.#blocked = !ok;
    this.#blockedBytes = ok ? 0 : this.#blockedBytes + chunk.length;
  }

  #advance(): void {
    while (!this.#blocked && this.#pending.length > heldBytes)
      this.#pushPending(Math.min(sliceBytes, this.#pending.length - heldBytes));
  }

  #pushPending(bytes: number): void {
    const slice = this.#pending.subarray(0, bytes);
    this.#pending = this.#pending.subarray(bytes);
    this.#push(slice);
  }

  #room(): boolean {
    if (this.#live) this.#push(comment);
    else if (this.#pending.length === 0) {
      // Nothing was ever written: the event is spurious, and there is nothing to empty.
      return true;
    } else this.#pushPending(Math.max(1, Math.min(sliceBytes, this.#pending.length - heldBytes)));
    this.#advance();
    if (this.#blocked) return false;
    for (const listener of this.#onDrain) listener();
    return true;
  }
}
