// Clients that do not take what they asked for, or do not close what was ended: bounded in memory, and let go of.
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { transports } from '../../../test/support/transports.ts';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import type { HttpServer, ResponseSink } from '../adapter.ts';
import { answering, plain, serving } from '../testing/serving.ts';
import { lingerMs, stallMs } from './limits.ts';

const megabyte = 1024 * 1024;
const large = Buffer.alloc(8 * megabyte, 'x');
const clients: Socket[] = [];

afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
});

/** A client that reads nothing until it is told to, and closes nothing. */
async function open(
  { port }: HttpServer,
  request: string,
): Promise<Socket & { got: () => number; ended: () => boolean }> {
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  clients.push(client);
  let [got, ended] = [0, false];
  client.on('end', () => {
    ended = true;
  });
  for (const event of ['close', 'error']) client.on(event, () => (ended = true));
  await new Promise<void>((resolve) => client.once('connect', () => resolve()));
  client.on('data', (chunk) => {
    got += chunk.length;
  });
  client.pause();
  client.write(request);
  return Object.assign(client, { got: () => got, ended: () => ended });
}

/** Reads so many bytes more, unless the connection ends before. */
const read = (client: Awaited<ReturnType<typeof open>>, bytes: number) =>
  new Promise<void>((resolve) => {
    const until = client.got() + bytes;
    const look = () => {
      if (client.got() < until) return;
      client.pause();
      client.off('data', look);
      resolve();
    };
    client.on('data', look);
    client.once('close', () => resolve());
    client.resume();
  });

const get = 'GET /large HTTP/1.1\r\nhost: x\r\n\r\n';
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe.each(transports)('%s', (name) => {
  const serve = serving(name);

  it('holds no more for all clients together than it may, whoever does not read', async () => {
    const clock = new SimulatedClock();
    const limit = 32 * megabyte;
    const { server } = await serve({ handle: answering(async () => large), clock, waitingBytes: limit });
    for (let n = 0; n < 20; n++) {
      await open(server, get);
      await clock.advance(500);
      await turn();
      expect(server.waitingBytes).toBeLessThanOrEqual(limit + large.length);
    }
    await clock.advance(1000);
    expect(server.waitingBytes).toBeLessThanOrEqual(limit);
    // Those that stand still make room for who reads.
    const reader = await open(server, get);
    reader.resume();
    await expect.poll(() => reader.got()).toBeGreaterThan(large.length);
    await clock.advance(stallMs + 2000);
    expect(server.waitingBytes).toBe(0);
    await expect.poll(() => server.inFlight).toBe(0);
  });

  it('lets a client read as slowly as it likes, as long as it reads', async () => {
    const clock = new SimulatedClock();
    const huge = Buffer.alloc(24 * megabyte, 'x');
    const { server } = await serve({ handle: answering(async () => huge), clock });
    const reader = await open(server, get);
    await expect.poll(() => server.waitingBytes).toBe(huge.length);
    while (reader.got() < huge.length) {
      // Less than this the kernel may take out of its buffers alone, and its server sees nothing of it.
      await read(reader, Math.min(2 * megabyte, huge.length - reader.got()));
      await clock.advance(stallMs / 3);
      await turn();
      expect(reader.ended()).toBe(false);
    }
  });

  it('cuts a stream whose client takes nothing of it', async () => {
    const clock = new SimulatedClock();
    let sink: ResponseSink | undefined;
    const { server } = await serve({
      clock,
      handle: (exchange) => {
        sink = exchange.begin(200, plain);
      },
    });
    await open(server, get);
    await expect.poll(() => sink?.write(large)).toBe(false);
    expect(server.waitingBytes).toBeGreaterThan(0);
    await clock.advance(stallMs + 2000);
    await expect.poll(() => sink?.open).toBe(false);
    await clock.advance(2000);
    expect(server.waitingBytes).toBe(0);
  });

  it('lets go of clients that do not close what it has ended', async () => {
    const clock = new SimulatedClock();
    const route = {
      path: '/ws',
      maxMessageBytes: 1000,
      admit: () => ({ status: 403, headers: plain, body: 'no' }),
      open: () => undefined,
    };
    const { server } = await serve({ handle: answering(() => 'bye'), clock, webSocket: route });
    const upgrade = 'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n';
    const requests = [
      'no request at all\r\n\r\n',
      'GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
      `GET /ws HTTP/1.1\r\nhost: x\r\n${upgrade}sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
      `GET /ws HTTP/1.1\r\nhost: x\r\n${upgrade}\r\n`,
      `GET /other HTTP/1.1\r\nhost: x\r\n${upgrade}sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
    ];
    for (const request of requests) {
      const client = await open(server, request);
      client.resume();
      // uWebSockets.js leaves those open that it could answer; they are idle like any other.
      await expect.poll(() => client.got() > 0 || client.ended()).toBe(true);
      let gone = false;
      client.on('error', () => (gone = true));
      client.on('close', () => (gone = true));
      if (name === 'node') await expect.poll(() => client.ended()).toBe(true);
      if (!client.ended()) continue;
      await clock.advance(lingerMs + 1000);
      // What is written to a connection that the server holds on to is taken for ever.
      await expect
        .poll(() => {
          if (!gone && client.writable) client.write('x');
          return gone || !client.writable;
        })
        .toBe(true);
    }
  });
});
