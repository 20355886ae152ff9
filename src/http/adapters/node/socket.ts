// One WebSocket of the `ws` package.
import type { IncomingMessage } from 'node:http';
import type { RawData, WebSocket } from 'ws';
import type { Socket } from '../../adapter.ts';
import { highWaterBytes } from '../limits.ts';
import type { Outgoing, Waiting } from '../outgoing.ts';
import { framesOf } from './frames.ts';
import { headerOfRequest } from './request.ts';

export class NodeSocket implements Socket, Waiting {
  readonly ip: string;
  readonly query: string;
  readonly #socket: WebSocket;
  readonly #request: IncomingMessage;
  readonly #outgoing: Outgoing;
  #onDrain: (() => void) | null = null;
  #slow = false;

  constructor(socket: WebSocket, request: IncomingMessage, ip: string, outgoing: Outgoing) {
    this.#outgoing = outgoing;
    this.#socket = socket;
    this.#request = request;
    this.ip = ip;
    this.query = request.url?.split('?')[1] ?? '';
    // The close event that follows carries the code; without a listener the process would end.
    socket.on('error', () => undefined);
  }

  header(name: string): string | undefined {
    return headerOfRequest(this.#request, name);
  }

  get open(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedAmount;
  }

  send(data: string | Uint8Array): boolean {
    if (!this.open) return false;
    this.#socket.send(data, { binary: false }, this.#sent);
    return this.#takesMore();
  }

  /** Past `ws`, which writes what it is given at once too: without compression nothing of its own waits in between. */
  sendAll(texts: readonly Uint8Array[]): boolean {
    if (!this.open) return false;
    this.#request.socket.write(framesOf(texts), this.#sent);
    return this.#takesMore();
  }

  #takesMore(): boolean {
    // The socket stays slow until it has drained, whatever is sent meanwhile: its writer waits for `onDrain`.
    if (!this.#slow && this.#socket.bufferedAmount > highWaterBytes) {
      this.#slow = true;
      this.#outgoing.watch(this);
    }
    return !this.#slow;
  }

  get bytesLeft(): number {
    return this.open ? this.bufferedBytes : 0;
  }

  get bytesHeld(): number {
    return this.bytesLeft;
  }

  cut(): void {
    this.#socket.terminate();
  }

  readonly #sent = () => {
    if (!this.#slow || this.#socket.bufferedAmount > highWaterBytes / 2) return;
    this.#slow = false;
    this.guarded(() => this.#onDrain?.());
  };

  /** Runs a listener; one that throws closes its socket instead of the process. */
  guarded(listener: () => void): void {
    try {
      listener();
    } catch {
      this.close(1011, 'internal error');
    }
  }

  cork(run: () => void): void {
    const { socket } = this.#request;
    socket.cork();
    try {
      run();
    } finally {
      socket.uncork();
    }
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  ping(): void {
    if (this.open) this.#socket.ping();
  }

  onMessage(listener: (data: string | Buffer) => void): void {
    this.#socket.on('message', (data: RawData, isBinary: boolean) => {
      const bytes = Buffer.isBuffer(data) ? data : Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
      this.guarded(() => listener(isBinary ? bytes : bytes.toString()));
    });
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener;
  }

  onPong(listener: () => void): void {
    this.#socket.on('pong', () => this.guarded(listener));
  }

  onClose(listener: (code: number, reason: string) => void): void {
    this.#socket.on('close', (code, reason) => this.guarded(() => listener(code, reason.toString())));
  }
}
