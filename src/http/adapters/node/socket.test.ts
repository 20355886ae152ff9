// What a WebSocket of node:http holds while its client does not read.
import { IncomingMessage } from 'node:http';
import type { Socket as NetSocket } from 'node:net';
import { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { SimulatedClock } from '../../../kernel/simulated-clock.ts';
import { highWaterBytes } from '../limits.ts';
import { createOutgoing } from '../outgoing.ts';
import { NodeSocket } from './socket.ts';

/** A connection that shows what is written to it, and takes it only when told to. */
class Wire extends Duplex {
  written: Uint8Array[] = [];
  reading = true;
  #taken: (() => void) | null = null;

  override _read(): void {}

  override _write(bytes: Buffer, _encoding: string, taken: () => void): void {
    this.written.push(bytes);
    if (this.reading) taken();
    else this.#taken = taken;
  }

  readOn(): void {
    this.reading = true;
    this.#taken?.();
  }
}

/** A client that stops to read once its socket is open. */
function stalled() {
  const wire = new Wire();
  const request = new IncomingMessage(wire as unknown as NetSocket);
  Object.assign(request, {
    method: 'GET',
    url: '/ws',
    headers: { upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' },
  });
  let socket: NodeSocket | undefined;
  new WebSocketServer({ noServer: true, perMessageDeflate: false }).handleUpgrade(
    request,
    wire,
    Buffer.alloc(0),
    (webSocket) => {
      socket = new NodeSocket(webSocket, request, '127.0.0.1', createOutgoing({ clock: new SimulatedClock() }));
    },
  );
  if (!socket) throw new Error('the upgrade was refused');
  wire.written = [];
  wire.reading = false;
  return { wire, socket };
}

const events = Array.from({ length: 100 }, (_, n) => Buffer.from(`{"n":${n}}`));

test('what goes to many is framed once, and one piece for each', () => {
  const clients = [stalled(), stalled()];
  for (const { socket } of clients) expect(socket.sendAll(events)).toBe(true);
  const [first, second] = clients.map(({ wire }) => wire.written);
  expect(first).toHaveLength(1);
  expect(second?.[0]).toBe(first?.[0]);
});

test('who does not read holds no more than the bound and a list, and hears when it may go on', async () => {
  const { wire, socket } = stalled();
  let drains = 0;
  socket.onDrain(() => drains++);
  const list = [Buffer.alloc(10_000, 'x'), Buffer.alloc(10_000, 'y')];
  let sent = 1;
  while (socket.sendAll(list)) sent++;
  expect(sent).toBe(4);
  expect(socket.bufferedBytes).toBeGreaterThan(highWaterBytes);
  expect(socket.bufferedBytes).toBeLessThan(highWaterBytes + 20_100);
  expect(drains).toBe(0);
  wire.readOn();
  await new Promise((resolve) => setImmediate(resolve));
  expect([socket.bufferedBytes, drains, wire.written.length]).toEqual([0, 1, sent]);
  expect(socket.sendAll(list)).toBe(true);
});
