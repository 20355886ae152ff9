// What the pipeline and the streams rely on, held on both adapters with real sockets.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Server as SocketIoServer } from 'socket.io';
import { io } from 'socket.io-client';
import { afterEach, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { exchangeRaw, openRaw, statusOf } from '../../../test/support/raw-socket.ts';
import { transports } from '../../../test/support/transports.ts';
import { createClientAddress } from '../../kernel/client-address.ts';
import type { Fault } from '../../kernel/fault.ts';
import type { Exchange, HttpServer, HttpServerOptions, ResponseSink, Socket, WebSocketRoute } from '../adapter.ts';
import { nodeAdapter } from './node/server.ts';
import { uwsAdapter } from './uws/server.ts';

const adapters = { uws: uwsAdapter, node: nodeAdapter };
const plain = [['content-type', 'text/plain']] as const;
const events = [['content-type', 'text/event-stream']] as const;

/** Answers with what `answer` gives, and faults with their status and code. */
const answering =
  (answer: (exchange: Exchange) => Promise<string | Uint8Array> | string) => async (exchange: Exchange) => {
    try {
      exchange.send(200, plain, await answer(exchange));
    } catch (error) {
      const fault = error as Fault;
      exchange.send(fault.status ?? 500, plain, fault.code ?? String(error));
    }
  };

const until = async (condition: () => boolean) => {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
};

describe.each(transports)('adapter %s', (name) => {
  const servers: HttpServer[] = [];
  const serve = async (options: Partial<HttpServerOptions> & Pick<HttpServerOptions, 'handle'>) => {
    const server = await adapters[name]({ host: '127.0.0.1', port: 0, ...options });
    servers.push(server);
    return { server, url: `http://127.0.0.1:${server.port}` };
  };
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });

  it('gives the request as it was sent', async () => {
    const { url } = await serve({
      handle: answering((e) =>
        JSON.stringify([e.method, e.path, e.query, e.header('x-a'), e.header('none') ?? null, e.ip]),
      ),
    });
    const response = await fetch(`${url}/a%20b/c?x=1&y=%20`, {
      method: 'PUT',
      headers: [
        ['X-A', '1'],
        ['x-a', '2'],
      ],
    });
    expect(await response.json()).toEqual(['PUT', '/a%20b/c', 'x=1&y=%20', '1, 2', null, '127.0.0.1']);
  });

  it('keeps the head after awaits', async () => {
    const { url } = await serve({
      handle: answering(async (e) => {
        await new Promise((resolve) => setImmediate(resolve));
        return `${e.method} ${e.path} ${e.query} ${e.header('x-a')} ${e.ip}`;
      }),
    });
    const response = await fetch(`${url}/p?q`, { headers: { 'x-a': 'v' } });
    expect(await response.text()).toBe('GET /p q v 127.0.0.1');
  });

  it('tells the client behind a trusted proxy, for requests and sockets, and believes nobody else', async () => {
    const handle = answering((e) => e.ip);
    const opened: string[] = [];
    const webSocket: WebSocketRoute = {
      path: '/ws',
      maxMessageBytes: 100,
      admit: ({ ip }) => {
        opened.push(`admitted ${ip}`);
        return null;
      },
      open: (socket) => {
        opened.push(socket.ip);
        socket.close(1000, '');
      },
    };
    const headers = { 'x-forwarded-for': '198.51.100.9, 203.0.113.7' };
    for (const [trusted, client] of [
      ['127.0.0.0/8', '203.0.113.7'],
      ['10.0.0.0/8', '127.0.0.1'],
    ] as const) {
      const { url, server } = await serve({ handle, webSocket, clientAddress: createClientAddress([trusted]) });
      expect(await (await fetch(url, { headers })).text()).toBe(client);
      await once(new WebSocket(`ws://127.0.0.1:${server.port}/ws`, { headers }), 'close');
      expect(opened.splice(0)).toEqual([`admitted ${client}`, client]);
    }
  });

  it('answers HEAD, 204 and 304 without a body', async () => {
    const { server } = await serve({
      handle: (e) => e.send(e.path === '/none' ? 204 : e.path === '/same' ? 304 : 200, plain, 'body'),
    });
    const ask = (method: string, path: string) =>
      exchangeRaw(server.port, `${method} ${path} HTTP/1.1\r\nhost: x\r\n\r\n`, /\r\n\r\n/);
    const head = await ask('HEAD', '/');
    expect([/content-length: 4\r\n/i.test(head), head.split('\r\n\r\n')[1]]).toEqual([true, '']);
    for (const path of ['/none', '/same']) expect(await ask('GET', path)).not.toMatch(/content-length|body/i);
  });

  it('answers HEAD of a stream with its head, and ends', async () => {
    const { server } = await serve({ handle: (e) => e.begin(200, events).end() });
    const head = await exchangeRaw(server.port, 'HEAD / HTTP/1.1\r\nhost: x\r\n\r\n', /\r\n\r\n/);
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*event-stream/);
    expect(head).not.toMatch(/content-length/i);
    await until(() => server.inFlight === 0);
  });

  it('reads bodies whole, in any pieces', async () => {
    const { server } = await serve({ handle: answering(async (e) => (await e.body(1000, 2000)).toString()) });
    const raw = await openRaw(server.port);
    raw.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 6\r\n\r\nab');
    for (const piece of ['c', 'de', 'f']) {
      await new Promise((resolve) => setImmediate(resolve));
      raw.write(piece);
    }
    expect(await raw.until(/abcdef/)).toMatch(/200 OK[\s\S]*abcdef$/);
    raw.write('POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n3\r\nxyz\r\n2\r\n12\r\n0\r\n\r\n');
    expect(await raw.until(/xyz12/)).toMatch(/xyz12$/);
    raw.destroy();
  });

  it('reads a body that is asked for late', async () => {
    const { url } = await serve({
      handle: answering(async (e) => {
        for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
        return String((await e.body(3_000_000, 5000)).length);
      }),
    });
    const response = await fetch(url, { method: 'POST', body: Buffer.alloc(2_000_000) });
    expect(await response.text()).toBe('2000000');
  });

  it('streams a large body through a slow reader', async () => {
    const sent = randomBytes(3_000_000);
    const { url } = await serve({
      handle: answering(async (e) => {
        const parts: Buffer[] = [];
        for await (const chunk of e.bodyStream(4_000_000, 2000)) {
          parts.push(chunk);
          await new Promise((resolve) => setImmediate(resolve));
        }
        return String(Buffer.concat(parts).equals(sent));
      }),
    });
    expect(await (await fetch(url, { method: 'POST', body: sent })).text()).toBe('true');
  });

  it('refuses a body above the limit, announced or not', async () => {
    const { server } = await serve({ handle: answering(async (e) => String((await e.body(10, 2000)).length)) });
    const announced = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 11\r\n\r\n';
    const chunked = 'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nb\r\n01234567890\r\n';
    for (const request of [announced, chunked])
      expect(await exchangeRaw(server.port, request, /PAYLOAD_TOO_LARGE/)).toMatch(/ 413 /);
  });

  it('lets a client that still sends a refused body read its answer', async () => {
    const { server } = await serve({ handle: answering(async (e) => String((await e.body(10, 2000)).length)) });
    const raw = await openRaw(server.port);
    raw.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5000000\r\n\r\n');
    for (let i = 0; i < 20; i++) raw.write(Buffer.alloc(100_000));
    expect(await raw.until(/PAYLOAD_TOO_LARGE/)).toMatch(/ 413 /);
    raw.destroy();
  });

  it('gives up on a half-sent body', async () => {
    const { server } = await serve({ handle: answering(async (e) => String((await e.body(100, 50)).length)) });
    const half = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nabc';
    expect(await exchangeRaw(server.port, half, /BAD_REQUEST/)).toMatch(/ 408 /);
  });

  it('tells of a client that leaves in the middle of its upload or its answer', async () => {
    const codes: string[] = [];
    const { server } = await serve({
      handle: async (e) => {
        if (e.method === 'POST')
          return e.body(100, 5000).then(
            () => undefined,
            (f: Fault) => void codes.push(f.code),
          );
        await once(e.signal, 'abort');
        codes.push('aborted');
        e.send(200, plain, 'too late');
      },
    });
    for (const head of ['POST / HTTP/1.1\r\ncontent-length: 10\r\n', 'GET / HTTP/1.1\r\n']) {
      const raw = await openRaw(server.port);
      raw.write(`${head}host: x\r\n\r\nabc`.slice(0, head.startsWith('GET') ? -3 : undefined));
      await until(() => server.inFlight === 1);
      raw.destroy();
      await until(() => server.inFlight === 0);
    }
    await until(() => codes.length === 2);
    expect(codes).toEqual(['CLIENT_CLOSED', 'aborted']);
  });

  it('never sends a header that would start another', async () => {
    const refused: string[] = [];
    const { url } = await serve({
      handle: (e) => {
        for (const [key, value] of [
          ['x', 'a\r\nb: c'],
          ['x', 'a\nb'],
          ['x', 'a\0'],
          ['x y', 'a'],
          ['x\r\ny', 'a'],
        ])
          try {
            e.send(200, [[key as string, value as string]], '');
          } catch (error) {
            refused.push((error as Error).message);
          }
        e.send(200, plain, 'clean');
      },
    });
    expect(await (await fetch(url)).text()).toBe('clean');
    expect(refused).toHaveLength(5);
  });

  it('answers 500 when a handler throws or rejects, and lives on', async () => {
    const { url } = await serve({
      handle: (e) => {
        if (e.path === '/throw') throw new Error('sync');
        return Promise.reject(new Error('async'));
      },
    });
    expect((await fetch(`${url}/throw`)).status).toBe(500);
    expect((await fetch(`${url}/reject`)).status).toBe(500);
  });

  it('sends large answers whole to slow readers', async () => {
    const body = randomBytes(8_000_000);
    const { url, server } = await serve({ handle: (e) => e.send(200, plain, body) });
    const response = await fetch(url);
    const parts: Uint8Array[] = [];
    for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
      parts.push(part);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(Buffer.concat(parts).equals(body)).toBe(true);
    await until(() => server.inFlight === 0);
  });

  it('streams an answer of unknown length with back-pressure', async () => {
    const chunk = randomBytes(200_000);
    let most = 0;
    const { url } = await serve({
      handle: async (e) => {
        const sink = e.begin(200, [['content-type', 'application/octet-stream']]);
        let wake = () => {};
        sink.onDrain(() => wake());
        for (let i = 0; i < 100; i++) {
          if (!sink.write(chunk))
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
          most = Math.max(most, sink.bufferedBytes);
        }
        sink.end();
      },
    });
    const response = await fetch(url);
    let length = 0;
    const parts: Uint8Array[] = [];
    for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
      length += part.length;
      parts.push(part);
      if (parts.length % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(length).toBe(100 * chunk.length);
    const all = Buffer.concat(parts);
    for (let i = 0; i < 100; i++)
      expect(all.subarray(i * chunk.length, (i + 1) * chunk.length).equals(chunk)).toBe(true);
    expect(most).toBeLessThan(1_000_000);
  });

  it('holds a stuck stream, empties it when the client reads on, and says when it leaves', async () => {
    const sinks: ResponseSink[] = [];
    let drains = 0;
    let closes = 0;
    const { server } = await serve({
      handle: (e) => {
        const sink = e.begin(200, events);
        sinks.push(sink);
        sink.onDrain(() => drains++);
        sink.onClose(() => closes++);
      },
    });
    const raw = await openRaw(server.port);
    raw.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    await raw.until(/text\/event-stream/);
    raw.socket.pause();
    const frame = `data: ${'x'.repeat(60_000)}\n\n`;
    const sink = sinks[0] as ResponseSink;
    let frames = 1;
    while (sink.write(frame)) frames++;
    expect(sink.bufferedBytes).toBeGreaterThan(0);
    raw.socket.resume();
    await until(() => drains > 0);
    expect(sink.write('data: last\n\n')).toBe(true);
    const text = await raw.until(/data: last/);
    expect(text.match(/data: x/g)).toHaveLength(frames);
    raw.destroy();
    await until(() => closes === 1);
    expect(sink.open).toBe(false);
    expect(sink.write('data: nobody\n\n')).toBe(false);
    sink.end();
    expect(closes).toBe(1);
  });

  it('sends the head of an event stream before its first event', async () => {
    const { server } = await serve({ handle: (e) => void e.begin(200, events) });
    expect(statusOf(await exchangeRaw(server.port, 'GET / HTTP/1.1\r\nhost: x\r\n\r\n', /\r\n\r\n/))).toBe(200);
  });

  it('shows a cut answer as broken', async () => {
    const { url } = await serve({
      handle: (e) => {
        const sink = e.begin(200, [['content-type', 'application/octet-stream']]);
        sink.write(Buffer.alloc(1000));
        sink.abort();
      },
    });
    await expect(fetch(url).then((response) => response.arrayBuffer())).rejects.toThrow();
  });

  it('stops accepting, goes on with open connections, and closes them when told', async () => {
    const { server, url } = await serve({ handle: (e) => e.send(200, plain, 'here') });
    const raw = await openRaw(server.port);
    raw.write('GET /1 HTTP/1.1\r\nhost: x\r\n\r\n');
    await raw.until(/here/);
    server.stopListening();
    await expect(fetch(url)).rejects.toThrow();
    raw.write('GET /2 HTTP/1.1\r\nhost: x\r\n\r\n');
    expect((await raw.until(/here[\s\S]*here/)).match(/here/g)).toHaveLength(2);
    await server.close();
    expect(await raw.closed).toMatch(/here/);
  });

  it('closes the connection after an answer that says so', async () => {
    const { server } = await serve({ handle: (e) => e.send(503, [['connection', 'close']], 'bye') });
    const raw = await openRaw(server.port);
    raw.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    const text = await raw.closed;
    expect([/connection: close/i.test(text), text.endsWith('bye')]).toEqual([true, true]);
  });

  it('refuses a port that is taken', async () => {
    const { server } = await serve({ handle: (e) => e.send(200, plain, '') });
    await expect(serve({ port: server.port, handle: () => undefined })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('answers a request that offers an upgrade it does not take', async () => {
    const { server } = await serve({ handle: answering((e) => `plain ${e.path}`) });
    const offer =
      'GET /x HTTP/1.1\r\nhost: x\r\nconnection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAA\r\n\r\n';
    expect(await exchangeRaw(server.port, offer, /plain/)).toMatch(/200 OK[\s\S]*plain \/x/);
  });

  describe('WebSocket', () => {
    const route = (more: Partial<WebSocketRoute>): WebSocketRoute => ({
      path: '/ws',
      maxMessageBytes: 100_000,
      admit: () => null,
      open: (socket) => socket.onMessage((data) => socket.send(data)),
      ...more,
    });
    const handle = answering((e) => `plain ${e.path}`);

    it('admits after an await and echoes', async () => {
      const seen: unknown[] = [];
      const { server } = await serve({
        handle,
        webSocket: route({
          admit: async (request) => {
            await new Promise((resolve) => setImmediate(resolve));
            seen.push([request.query, request.header('x-a'), request.ip]);
            return null;
          },
        }),
      });
      const client = new WebSocket(`ws://127.0.0.1:${server.port}/ws?t=1`, { headers: { 'x-a': 'v' } });
      await once(client, 'open');
      client.send('héllo');
      const [data, isBinary] = await once(client, 'message');
      expect([String(data), isBinary]).toEqual(['héllo', false]);
      expect(seen).toEqual([['t=1', 'v', '127.0.0.1']]);
      client.close(1000);
      await once(client, 'close');
    });

    it('refuses with plain HTTP, also when admission fails', async () => {
      const { server } = await serve({
        handle,
        webSocket: route({
          admit: async ({ query }) => {
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

    it('survives a client that leaves during admission', async () => {
      let admitted = () => {};
      let asked = 0;
      let opened = 0;
      const { server, url } = await serve({
        handle,
        webSocket: route({
          admit: () => {
            asked++;
            return new Promise<null>((resolve) => {
              admitted = () => resolve(null);
            });
          },
          open: () => void opened++,
        }),
      });
      const raw = await openRaw(server.port);
      raw.write(
        'GET /ws HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
      );
      await until(() => asked === 1);
      raw.socket.resetAndDestroy();
      await fetch(url);
      await fetch(url);
      admitted();
      expect((await fetch(url)).status).toBe(200);
      expect(opened).toBe(0);
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
