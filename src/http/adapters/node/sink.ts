// A streamed answer of node:http.
import type { ServerResponse } from 'node:http';
import type { ResponseSink } from '../../adapter.ts';
import type { Outgoing, Waiting } from '../outgoing.ts';

export class NodeSink implements ResponseSink, Waiting {
  readonly #response: ServerResponse;
  readonly #outgoing: Outgoing;
  #ended = false;

  constructor(response: ServerResponse, headOnly: boolean, outgoing: Outgoing) {
    this.#outgoing = outgoing;
    this.#response = response;
    if (headOnly) this.end();
  }

  get open(): boolean {
    return !this.#ended && !this.#response.destroyed;
  }

  get bufferedBytes(): number {
    return this.#response.writableLength;
  }

  write(chunk: string | Uint8Array): boolean {
    if (!this.open) return false;
    if (this.#response.write(chunk)) return true;
    this.#outgoing.watch(this);
    return false;
  }

  get bytesLeft(): number {
    return this.#response.destroyed ? 0 : this.bufferedBytes;
  }

  get bytesHeld(): number {
    return this.bytesLeft;
  }

  cut(): void {
    this.abort();
  }

  onDrain(listener: () => void): void {
    this.#response.on('drain', listener);
  }

  onClose(listener: () => void): void {
    if (this.#response.destroyed && !this.#ended) return void setImmediate(listener);
    this.#response.once('close', () => {
      if (!this.#ended) listener();
    });
  }

  end(): void {
    if (!this.open) return;
    this.#ended = true;
    this.#response.end();
  }

  abort(): void {
    this.#response.destroy();
  }
}
