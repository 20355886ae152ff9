// A streamed answer of node:http.
import type { ServerResponse } from 'node:http';
import type { ResponseSink } from '../../adapter.ts';

export class NodeSink implements ResponseSink {
  readonly #response: ServerResponse;
  #ended = false;

  constructor(response: ServerResponse, headOnly: boolean) {
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
    return this.open && this.#response.write(chunk);
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
