// WebSockets and socket.io on both adapters, with real clients.
import { once } from 'node:events';
import { Server as SocketIoServer } from 'socket.io';
import { io } from 'socket.io-client';
import { describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { openRaw } from '../../../test/support/raw-socket.ts';
import { transports } from '../../../test/support/transports.ts';
import type { Socket, WebSocketRoute } from '../adapter.ts';
import { until } from '../testing/asking.ts';
import { answering, serving } from '../testing/serving.ts';

describe.each(transports)('sockets on %s', (name) => {
  const serve = serving(name);

  describe('WebSocket', () => {
    const route = (more: Partial<WebSocketRoute>): WebSocketRoute => ({
      path: '/ws',
      maxMessageBytes: 100_000,
      admit: () => null,
      open: (socket) => socket.onMessage((data) => socket.send(data)),
      ...more,
    });
    const handle = answering((e) => `plain ${e.path}`);

    it('admits and echoes', async () => {
      const seen: unknown[] = [];
      const { server } = await serve({
        handle,
        webSocket: route({
          admit: (request) => {
            seen.push([request.query, request.header('x-a'), request.ip]);
            return null;
          },
        }),
      });
      const client = new WebSocket(`ws://127.0.0.1:${server.port}/ws?t=1`, { headers: { 'x-a': 'v' } });
      await once(client, 'open');
      client.send('héllo');
      const closed = once(client, 'close').then(([code]) => expect.fail(`closed with ${code}`));
      const [data, isBinary] = await Promise.race([once(client, 'message'), closed]);
      expect([String(data), isBinary]).toEqual(['héllo', false]);
      expect(seen).toEqual([['t=1', 'v', '127.0.0.1']]);
      client.close(1000);
      await expect(closed).rejects.toThrow('closed with 1000');
    });

    it('refuses with plain HTTP, also when admission fails', async () => {
      const { server } = await serve({
        handle,
        webSocket: route({
          admit: ({ query }) => {
            if (query === 'boom') throw new Error('boom');
            return { status: 401, headers: [['x-why', 'no key']], body: 'who are you?' };
          },
        }),
      });
      for (const [query, status] of [
        ['', 401],
        ['boom', 500],
      ] as const) {
        const client = new WebSocket(`ws://127.0.0.1:${server.port}/ws?${query}`);
        const [, response] = await once(client, 'unexpected-response');
        expect(response.statusCode).toBe(status);
        response.resume();
      }
    });

    it('tells codes and reasons both ways, and lives through a throwing listener', async () => {
      const closes: unknown[] = [];
      const { server } = await serve({
        handle,
        webSocket: route({
          open: (socket) => {
            socket.onMessage((data) => {
              if (data === 'throw') throw new Error('listener');
              socket.close(4001, 'go');
            });
            socket.onClose((code, reason) => {
              closes.push([code, reason]);
              socket.send('after close');
              socket.close(1000, 'again');
            });
          },
        }),
      });
      const connect = async () => {
        const client = new WebSocket(`ws://127.0.0.1:${server.port}/ws`);
        await once(client, 'open');
        return client;
      };
      const first = await connect();
      first.send('please');
      const [code, reason] = await once(first, 'close');
      expect([code, String(reason)]).toEqual([4001, 'go']);
      const second = await connect();
      second.close(4100, 'bye');
      await once(second, 'close');
      await until(() => closes.length === 2);
      expect(closes).toEqual([
        [4001, 'go'],
        [4100, 'bye'],
      ]);
      const third = await connect();
      third.send('throw');
      expect((await once(third, 'close'))[0]).toBe(1011);
    });

    it('stops at a slow client and goes on when it drains', async () => {
      let socket: Socket | undefined;
      let drains = 0;
      const { server } = await serve({
        handle,
        webSocket: route({
          open: (opened) => {
            socket = opened;
            opened.onDrain(() => drains++);
          },
        }),
      });
      const client = new WebSocket(`ws://127.0.0.1:${server.port}/ws`);
      let received = 0;
      client.on('message', () => received++);
      await once(client, 'open');
      await until(() => socket !== undefined);
      client.pause();
      const message = 'x'.repeat(50_000);
      let sent = 1;
      while (socket?.send(message)) sent++;
      expect(socket?.bufferedBytes).toBeGreaterThan(0);
      client.resume();
      await until(() => drains > 0);
      socket?.cork(() => {
        for (let i = 0; i < 10; i++) socket?.send('small');
      });
      await until(() => received === sent + 10);
      client.terminate();
    });

    it('sends lists of messages of every length in order, corked or not', async () => {
      const lengths = [0, 1, 125, 126, 65_535, 65_536, 70_000];
      const list = lengths.map((length) => Buffer.alloc(length, 'x'));
      const { server } = await serve({
        handle,
        webSocket: route({
          open: (socket) => {
            const all = () => {
              socket.send('before');
              socket.sendAll(list);
              socket.sendAll([Buffer.from('alone')]);
              socket.send('after');
            };
            socket.onMessage(() => {
              all();
              socket.cork(all);
            });
          },
        }),
      });
      const client = new WebSocket(`ws://127.0.0.1:${server.port}/ws`);
      const received: [string, boolean][] = [];
      client.on('message', (data, isBinary) => received.push([String(data), isBinary]));
      await once(client, 'open');
      client.send('go');
      const each = ['before', ...list.map(String), 'alone', 'after'];
      await until(() => received.length === 2 * each.length);
      expect(received).toEqual([...each, ...each].map((text) => [text, false]));
      client.terminate();
    });

    it('ends a socket whose message is too large', async () => {
      const { server, url } = await serve({ handle, webSocket: route({ maxMessageBytes: 1000 }) });
      const client = new WebSocket(`ws://127.0.0.1:${server.port}/ws`);
      await once(client, 'open');
      client.send('x'.repeat(1001));
      expect([1006, 1009]).toContain((await once(client, 'close'))[0]);
      expect((await fetch(url)).status).toBe(200);
    });

    it('answers plain HTTP on the path of the socket', async () => {
      const { url } = await serve({ handle, webSocket: route({}) });
      expect(await (await fetch(`${url}/ws`)).text()).toBe('plain /ws');
    });
  });

  it.each(['polling', 'websocket'])('carries socket.io by %s beside everything else', async (transport) => {
    const socketIo = new SocketIoServer({ serveClient: false });
    socketIo.on('connection', (socket) => socket.on('ask', (value, reply) => reply(value + 1)));
    const { server, url } = await serve({ handle: answering((e) => `plain ${e.path}`), socketIo });
    const client = io(url, { transports: [transport], reconnection: false });
    await new Promise<void>((resolve, reject) => {
      client.on('connect', () => resolve());
      client.on('connect_error', reject);
    });
    expect(await client.emitWithAck('ask', 41)).toBe(42);
    expect(await (await fetch(`${url}/other`)).text()).toBe('plain /other');
    // Neither this client nor a connection that never says a word holds the server back.
    await openRaw(server.port);
    await server.close();
    client.disconnect();
  });
});
