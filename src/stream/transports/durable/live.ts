// A Durable Stream as server-sent events: `data` with messages, each followed by `control` with the next offset.
import type { HeaderList, ResponseSink } from '../../../http/adapter.ts';
import { ping } from '../../../kernel/event-stream.ts';
import type { Entry } from '../../log/entry.ts';
import { jsonArray, Reading } from './reading.ts';

/** Time in ms after which the stream ends and its client comes back, as the protocol asks for. */
const lastsMs = 60_000;

const streamHeaders: HeaderList = [
  ['content-type', 'text/event-stream'],
  ['cache-control', 'no-cache, no-store, no-transform'],
  ['x-accel-buffering', 'no'],
];

export class LiveEvents extends Reading {
  #sink: ResponseSink | null = null;
  #full = false;
  /** What the last control event said. */
  #said: 'nothing' | 'more' | 'upToDate' | 'closed' = 'nothing';
  #stop: (() => void) | null = null;

  get writable(): boolean {
    return !this.#full;
  }

  get bufferedBytes(): number {
    return this.#sink?.open ? this.#sink.bufferedBytes : 0;
  }

  /** Begins the event stream, which goes on after this resolves. @throws Fault, as `open` does */
  async respond(): Promise<void> {
    await this.open();
    const { connections, clock } = this.deps;
    const sink = this.exchange.begin(200, this.headersWith(streamHeaders));
    this.#sink = sink;
    if (!sink.open) return connections.close(this.connection);
    sink.onDrain(() => {
      this.#full = false;
      this.connection.viewer.resume();
    });
    sink.onClose(() => this.#leave());
    this.#stop = clock.after(lastsMs, () => connections.end(this.connection, 0, ''));
    this.connection.viewer.start();
  }

  protected take(messages: readonly Entry[]): void {
    this.#write(`event: data\ndata:${jsonArray(messages.map(({ json }) => json))}\n\n${this.#control()}`);
  }

  protected rest(): void {
    if (this.#said !== 'upToDate' && this.#said !== 'closed') this.#write(this.#control());
  }

  over(): void {
    if (this.#said !== 'closed') this.#write(this.#control());
    this.deps.connections.end(this.connection, 0, '');
  }

  close(): void {
    this.#stop?.();
    if (this.#sink?.open) this.#sink.end();
  }

  fail(): void {
    this.deps.connections.end(this.connection, 0, '');
  }

  /** The client comes back and is told the reason. */
  dropped(): void {
    this.fail();
  }

  beat(): void {
    if (!this.#full) this.#write(ping);
  }

  #leave(): void {
    this.#stop?.();
    this.deps.connections.close(this.connection);
  }

  #control(): string {
    this.#said = this.isClosed ? 'closed' : this.isUpToDate ? 'upToDate' : 'more';
    const control = {
      streamNextOffset: this.offset,
      ...(this.#said === 'closed' ? { streamClosed: true } : { streamCursor: this.cursor() }),
      ...(this.#said === 'more' ? {} : { upToDate: true }),
    };
    return `event: control\ndata:${JSON.stringify(control)}\n\n`;
  }

  #write(text: string): void {
    if (!this.#sink?.open) return;
    this.connection.bytesOut += text.length;
    if (!this.#sink.write(text)) this.#full = true;
  }
}
