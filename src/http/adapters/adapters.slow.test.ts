// What the pipeline and the streams rely on, held on both adapters with real sockets.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { exchangeRaw, openRaw, statusOf } from '../../../test/support/raw-socket.ts';
import { transports } from '../../../test/support/transports.ts';
import { createClientAddress } from '../../kernel/client-address.ts';
import type { ResponseSink, WebSocketRoute } from '../adapter.ts';
import { until } from '../testing/asking.ts';
import { answering, plain, serving } from '../testing/serving.ts';

const events = [['content-type', 'text/event-stream']] as const;

describe.each(transports)('adapter %s', (name) => {
  const serve = serving(name);

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

  it('closes connections that may not stay, and tells the end of each', async () => {
    let room = 2;
    const ended: number[] = [];
    const admission = { opened: () => room-- > 0, closed: () => void ended.push(room) };
    const { port } = (await serve({ handle: answering(() => 'in'), admission })).server;
    const [one, other] = [await openRaw(port), await openRaw(port)];
    expect(await (await openRaw(port)).closed).toBe('');
    await until(() => ended.length === 1);
    room = 1;
    const said = await exchangeRaw(port, 'GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    expect(statusOf(said)).toBe(200);
    one.destroy();
    other.destroy();
    await until(() => ended.length === 4);
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

  // The first is an address for documents, which no machine has; the second is no address, and no name.
  it.each([
    ['203.0.113.1', { code: 'EADDRNOTAVAIL', syscall: 'listen' }],
    ['999.1.1.1', { syscall: 'getaddrinfo', hostname: '999.1.1.1' }],
  ])('refuses %s, where this machine cannot listen', async (host, error) => {
    await expect(serve({ host, handle: () => undefined })).rejects.toMatchObject(error);
  });

  it('answers a request that offers an upgrade it does not take', async () => {
    const { server } = await serve({ handle: answering((e) => `plain ${e.path}`) });
    const offer =
      'GET /x HTTP/1.1\r\nhost: x\r\nconnection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAA\r\n\r\n';
    expect(await exchangeRaw(server.port, offer, /plain/)).toMatch(/200 OK[\s\S]*plain \/x/);
  });
});
