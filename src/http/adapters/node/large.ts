// A large answer of node:http, sent in slices as fast as the client reads.
import type { ServerResponse } from 'node:http';
import type { Waiting } from '../outgoing.ts';

const sliceBytes = 64 * 1024;

export class LargeAnswer implements Waiting {
  readonly #response: ServerResponse;
  #body: Buffer | null;
  #at = 0;

  /** Begins to send; the head is written. */
  constructor(response: ServerResponse, body: Buffer) {
    this.#response = response;
    this.#body = body;
    response.on('drain', () => this.#send());
    response.once('close', () => {
      this.#body = null;
    });
    this.#send();
  }

  get bytesLeft(): number {
    return this.#body ? this.#body.length - this.#at + this.#response.writableLength : this.#response.writableLength;
  }

  get bytesHeld(): number {
    return this.#body ? this.#body.length : this.#response.writableLength;
  }

  cut(): void {
    this.#response.destroy();
  }

  #send(): void {
    const response = this.#response;
    while (this.#body) {
      const slice = this.#body.subarray(this.#at, this.#at + sliceBytes);
      this.#at += slice.length;
      if (this.#at === this.#body.length) {
        this.#body = null;
        response.end(slice);
      } else if (!response.write(slice)) return;
    }
  }
}
