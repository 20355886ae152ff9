// One answer of a Durable Stream: what follows an offset, at once or as soon as there is something.
import { createHash } from 'node:crypto';
import type { HeaderList } from '../../../http/adapter.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Entry } from '../../log/entry.ts';
import { jsonArray, Reading } from './reading.ts';

/** Characters after which an answer takes no further messages. */
const enough = 256 * 1024;
/** Time in ms that a long-poll waits for the next message. */
const longPollMs = 20_000;

/** Caches keep what is whole; what may grow is asked for again, and costs a 304 where it has not. */
const keptFor = 'private, max-age=60, stale-while-revalidate=300';

export class Answer extends Reading {
  readonly #texts: string[] = [];
  #characters = 0;
  #done: ((error: unknown) => void) | null = null;

  get writable(): boolean {
    return this.#characters < enough && this.#done !== null;
  }

  get bufferedBytes(): number {
    return this.#characters;
  }

  /** Answers the request. @throws Fault, as `open` does, and SHUTTING_DOWN */
  async respond(): Promise<void> {
    await this.open();
    const { connections, clock } = this.deps;
    const { signal } = this.exchange;
    const stop = this.#waits ? clock.after(longPollMs, () => this.#finish(null)) : null;
    const onAbort = () => this.#finish(null);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await new Promise<void>((resolve, reject) => {
        this.#done = (error) => (error ? reject(error) : resolve());
        if (signal.aborted) this.#finish(null);
        this.connection.viewer.start();
      });
      const state = { isUpToDate: this.isUpToDate, isClosed: this.isClosed };
      if (!signal.aborted) this.#send(state);
    } finally {
      stop?.();
      signal.removeEventListener('abort', onAbort);
      connections.close(this.connection);
    }
  }

  get #waits(): boolean {
    return this.request.reply.live === 'long-poll';
  }

  protected take(messages: readonly Entry[]): void {
    for (const { json } of messages) {
      this.#texts.push(json);
      this.#characters += json.length;
    }
    if (this.isUpToDate || !this.writable) this.#finish(null);
  }

  protected rest(): void {
    if (!this.#waits || this.#texts.length > 0 || this.isClosed) this.#finish(null);
  }

  over(): void {
    this.#finish(null);
  }

  close(): void {
    this.#finish(this.deps.connections.draining ? this.deps.connections.refusal() : sentAway());
  }

  fail(error: unknown): void {
    this.#finish(error);
  }

  dropped(_topic: string, fault: Fault): void {
    this.#finish(fault);
  }

  beat(): void {}

  /** Ends the waiting in a turn of its own: the hub is in the middle of a pass. */
  #finish(error: unknown): void {
    const done = this.#done;
    this.#done = null;
    if (done) queueMicrotask(() => done(error));
  }

  #send({ isUpToDate, isClosed }: { isUpToDate: boolean; isClosed: boolean }): void {
    const { exchange } = this;
    const headers: [string, string][] = [['stream-next-offset', this.offset]];
    if (isUpToDate) headers.push(['stream-up-to-date', 'true']);
    if (isClosed) headers.push(['stream-closed', 'true']);
    const live = this.request.reply.live !== null;
    if (live && !isClosed) headers.push(['stream-cursor', this.cursor()]);
    const body = jsonArray(this.#texts);
    const etag = this.#etag(body, isClosed);
    const cache = this.#cacheControl(isUpToDate);
    if (etag !== null) headers.push(['etag', etag]);
    const all: HeaderList = this.headersWith([...headers, ['cache-control', cache]]);
    const isKnown = etag !== null && !live && matches(exchange.header('if-none-match'), etag);
    if (live && this.#texts.length === 0) exchange.send(204, all, '');
    else if (isKnown) exchange.send(304, all, '');
    else {
      this.connection.bytesOut += body.length;
      exchange.send(200, [['content-type', 'application/json'], ...all], exchange.method === 'HEAD' ? '' : body);
    }
  }

  /** Of its content, since two callers may not see the same events; null where the tail was asked for. */
  #etag(body: string, isClosed: boolean): string | null {
    const { offset } = this.request.reply;
    if (offset === 'now') return null;
    const digest = createHash('sha256').update(body).digest('base64url').slice(0, 16);
    return `"${offset}:${this.offset}:${digest}${isClosed ? ':c' : ''}"`;
  }

  #cacheControl(isUpToDate: boolean): string {
    const { offset, live } = this.request.reply;
    if (offset === 'now' || (live !== null && this.#texts.length === 0)) return 'no-store';
    return isUpToDate && live === null ? 'private, no-cache' : keptFor;
  }
}

const sentAway = () =>
  new Fault('UNAUTHENTICATED', 'This credential no longer opens the stream.', { hint: 'Sign in again.' });

/** Whether an `If-None-Match` names an entity tag. */
const matches = (header: string | undefined, etag: string): boolean =>
  header?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag) ?? false;
