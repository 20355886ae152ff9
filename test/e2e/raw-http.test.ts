// Bytes that no decent client sends, over bare sockets: the server answers or closes, and stays up.

import { io } from 'socket.io-client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { clientFrame, exchangeRaw, openRaw, type RawSocket } from '../support/raw-socket.ts';
import { startTestServer, type TestServer, transports } from '../support/test-server.ts';
import { openSocket } from '../support/web-socket.ts';

const text = (value: string) => Buffer.from(value);

describe.each(transports)('raw input on %s', (transport) => {
  let server: TestServer;
  /** Sends its head in drops, all the while. */
  let slow: RawSocket;
  let drip: NodeJS.Timeout;
  beforeAll(async () => {
    server = await startTestServer({ RIVULET_TRANSPORT: transport, RIVULET_CORS_ORIGINS: 'https://desk.example' });
    slow = await openRaw(server.port);
    slow.write('GET /api/system/info HTTP/1.1\r\n');
    drip = setInterval(() => slow.write('a: b\r\n'), 500);
  });
  afterAll(() => server.close());
  afterEach(async () => {
    expect((await server.call('GET', '/api/system/health')).status).toBe(200);
  });

  const auth = () => `Host: x\r\nAuthorization: Bearer ${server.key}\r\n`;
  const post = (headers: string, body: string) => `POST /api/agent/runs HTTP/1.1\r\n${auth()}${headers}\r\n${body}`;
  /** The status of the first answer; 0 when the connection was closed without one. */
  const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
  /** Closed without an answer, a fault of the client, or a version that is not ours. */
  const isRefused = (status: number) => status === 0 || (status >= 400 && status < 500) || status === 505;

  describe('HTTP', () => {
    it.each([
      ['nonsense', 'hello\r\n\r\n'],
      ['only line breaks', '\r\n\r\n\r\n\r\n'],
      ['binary', Buffer.from(Array.from({ length: 512 }, (_, i) => (i * 37) % 256))],
      ['TLS', Buffer.from('16030100d8010000d40303', 'hex')],
      ['a wrong version', 'GET /api/system/health HTTP/9.9\r\nHost: x\r\n\r\n'],
      ['no path', 'GET HTTP/1.1\r\nHost: x\r\n\r\n'],
      ['a space in a header name', 'GET / HTTP/1.1\r\nHost: x\r\nbad name: 1\r\n\r\n'],
      ['a header without a colon', 'GET / HTTP/1.1\r\nHost: x\r\nnocolon\r\n\r\n'],
      ['NUL in a header', 'GET / HTTP/1.1\r\nHost: x\r\nx-a: a\0b\r\n\r\n'],
      ['no host', 'GET /api/system/health HTTP/1.1\r\n\r\n'],
    ])('answers %s with a refusal or hangs up', async (_, bytes) => {
      const raw = await openRaw(server.port);
      raw.write(bytes);
      raw.socket.end();
      const status = statusOf(await raw.closed);
      expect(status).toSatisfy(isRefused);
    });

    it('refuses heads that are too large', async () => {
      for (const head of [
        `GET /${'x'.repeat(200_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
        `GET / HTTP/1.1\r\nHost: x\r\nx-big: ${'x'.repeat(200_000)}\r\n\r\n`,
        `GET / HTTP/1.1\r\nHost: x\r\n${'a: b\r\n'.repeat(40_000)}\r\n`,
      ]) {
        const status = statusOf(await exchangeRaw(server.port, head));
        expect(status).toSatisfy(isRefused);
      }
    });

    it.each([
      [
        'encoded in the path',
        'GET /api/agent/runs/%0d%0aset-cookie:%20a=1?x=%0d%0aset-cookie:b HTTP/1.1\r\nHost: x\r\n\r\n',
      ],
      ['a bare CR', 'GET /api/system/info HTTP/1.1\r\nHost: x\r\nx-request-id: aaaaaaaa\rset-cookie: c=1\r\n\r\n'],
      ['a bare LF', 'GET /api/system/info HTTP/1.1\r\nHost: x\r\nx-request-id: aaaaaaaa\nset-cookie: c=1\r\n\r\n'],
      [
        'a folded line',
        'GET /api/system/info HTTP/1.1\r\nHost: x\r\nx-request-id: aaaaaaaa\r\n set-cookie: c=1\r\n\r\n',
      ],
      [
        'an origin',
        'GET /api/system/info HTTP/1.1\r\nHost: x\r\norigin: https://desk.example\rset-cookie: c=1\r\n\r\n',
      ],
      ['a host', 'GET /api/system/info HTTP/1.1\r\nHost: evil"><script>set-cookie: c=1\r\n\r\n'],
    ])('reflects nothing that could split its answer: %s', async (_, bytes) => {
      const raw = await openRaw(server.port);
      raw.write(bytes);
      // uWebSockets.js waits in silence after a broken head; answers to others have left when these have come.
      for (let i = 0; i < 3; i++) await server.call('GET', '/api/system/info');
      raw.socket.end();
      expect(await raw.closed).not.toMatch(/^set-cookie|<script>/im);
    });

    it.each([
      ['not a number', 'content-length: abc\r\n', '{"goal":"x"}'],
      ['negative', 'content-length: -5\r\n', '{"goal":"x"}'],
      ['two of them', 'content-length: 12\r\ncontent-length: 13\r\n', '{"goal":"x"}'],
      ['beyond all bounds', 'content-length: 99999999999999999999\r\n', '{"goal":"x"}'],
      ['too large', 'content-length: 999999999\r\n', ''],
      ['with chunks besides', 'content-length: 5\r\ntransfer-encoding: chunked\r\n', '0\r\n\r\n'],
      ['broken chunks', 'transfer-encoding: chunked\r\n', 'zz\r\n{}\r\n0\r\n\r\n'],
      ['an endless chunk size', 'transfer-encoding: chunked\r\n', 'fffffffffffffffffff\r\n{}'],
      ['a strange encoding', 'transfer-encoding: gzip\r\n', 'xxxx'],
      ['too short for its JSON', 'content-length: 5\r\nconnection: close\r\n', '{"goal":"x"}'],
    ])('refuses a body whose length is wrong: %s', async (_, headers, body) => {
      const raw = await openRaw(server.port);
      raw.write(post(`content-type: application/json\r\n${headers}`, body));
      const status = statusOf(await Promise.race([raw.closed, raw.until(/\r\n\r\n/)]));
      raw.destroy();
      expect(status).toSatisfy(isRefused);
      expect((await server.call('GET', '/api/agent/runs?q=x')).body.data.totalCount).toBe(0);
    });

    it('tells why a body is too large before it has come', async () => {
      const raw = await openRaw(server.port);
      raw.write(post('content-type: application/json\r\ncontent-length: 999999999\r\n', ''));
      const answer = await raw.until(/"hint":"[^"]+"/);
      expect(statusOf(answer)).toBe(413);
      expect(answer).toContain('PAYLOAD_TOO_LARGE');
      raw.destroy();
    });

    it('answers pipelined requests in their order', async () => {
      const raw = await openRaw(server.port);
      const ask = (id: string) => `GET /api/system/info HTTP/1.1\r\n${auth()}x-request-id: request-${id}\r\n\r\n`;
      raw.write(['1', '2', '3', '4', '5'].map(ask).join(''));
      const answers = await raw.until(/(HTTP\/1\.1 200[\s\S]*?"unreadMessages":\d+\}[\s\S]*?){5}/);
      expect([...answers.matchAll(/"requestId":"request-(\d)"/g)].map(([, id]) => id)).toEqual([
        '1',
        '2',
        '3',
        '4',
        '5',
      ]);
      raw.destroy();
    });

    it('takes no request that is hidden in the body of another', async () => {
      const hidden = `DELETE /api/agent/runs/1 HTTP/1.1\r\n${auth()}\r\n`;
      const raw = await openRaw(server.port);
      raw.write(
        `GET /api/system/info HTTP/1.1\r\n${auth()}content-length: ${hidden.length}\r\n\r\n${hidden}` +
          `GET /api/system/info HTTP/1.1\r\n${auth()}connection: close\r\n\r\n`,
      );
      raw.socket.end();
      expect(await raw.closed).not.toMatch(/NOT_FOUND/);
    });

    it('survives uploads that are aborted, and many connections that say nothing or half of something', async () => {
      const half: RawSocket[] = [];
      for (let i = 0; i < 400; i++) {
        const raw = await openRaw(server.port);
        half.push(raw);
        if (i % 4 === 0) raw.write('GET /api/system/info HTT');
        if (i % 4 === 1) raw.write(post('content-type: application/json\r\ncontent-length: 1000\r\n', '{"goal":"'));
        if (i % 4 === 2)
          raw.write(post('content-type: application/json\r\ntransfer-encoding: chunked\r\n', '3\r\n{"g'));
      }
      const started = performance.now();
      expect((await server.call('GET', '/api/agent/runs')).status).toBe(200);
      expect(performance.now() - started).toBeLessThan(2000);
      for (const raw of half) raw.socket.resetAndDestroy();
      const inFlight = async () =>
        Number(/^\w*http_in_flight (\d+)/m.exec((await server.call('GET', '/api/system/metrics')).body)?.[1]);
      await expect.poll(inFlight).toBe(1);
    });
  });

  describe('WebSocket', () => {
    const open = async () => {
      const raw = await openRaw(server.port);
      raw.write(
        `GET /api/ws HTTP/1.1\r\n${auth()}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
      );
      await raw.until(/"op":"Hello"/);
      return raw;
    };

    it.each([
      ['a reserved opcode', clientFrame(0x83, text('x'))],
      ['a reserved control opcode', clientFrame(0x8b, text('x'))],
      ['a reserved bit', clientFrame(0xc1, text('{}'))],
      ['a fragmented ping', clientFrame(0x09, text('x'))],
      ['a long ping', clientFrame(0x89, Buffer.alloc(200))],
      ['a continuation of nothing', clientFrame(0x80, text('x'))],
      ['two beginnings', Buffer.concat([clientFrame(0x01, text('{')), clientFrame(0x01, text('}'))])],
      ['bad UTF-8', clientFrame(0x81, Buffer.from([0xff, 0xfe, 0x80]))],
      ['a message that is too large', clientFrame(0x81, Buffer.alloc(1024 * 1024 + 1, 120))],
      ['a frame of 2^63 bytes', Buffer.from([0x81, 0xff, 0x7f, 255, 255, 255, 255, 255, 255, 255, 1, 2, 3, 4])],
      ['a close with a wrong code', clientFrame(0x88, Buffer.from([0x03, 0xec]))],
      ['a close of one byte', clientFrame(0x88, Buffer.from([3]))],
      ['plain HTTP', text('GET / HTTP/1.1\r\nHost: x\r\n\r\n')],
    ])('hangs up on %s', async (_, bytes) => {
      const raw = await open();
      raw.write(bytes);
      await raw.closed;
    });

    it('refuses handshakes that are none', async () => {
      const base = `GET /api/ws HTTP/1.1\r\n${auth()}`;
      for (const headers of [
        'Connection: Upgrade\r\nUpgrade: websocket\r\n',
        'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: short\r\n',
        'Connection: Upgrade\r\nUpgrade: h2c\r\n',
      ]) {
        const raw = await openRaw(server.port);
        raw.write(`${base}${headers}\r\n`);
        raw.socket.end();
        const status = statusOf(await Promise.race([raw.closed, raw.until(/\r\n\r\n/)]));
        raw.destroy();
        // uWebSockets.js does not judge the key; what it upgrades then is a socket like any other.
        expect(isRefused(status) || (transport === 'uws' && status === 101)).toBe(true);
      }
    });

    it('answers commands that are none, and goes on', async () => {
      const socket = await openSocket(server.url, { authorization: `Bearer ${server.key}` });
      const bad: [string | object, string][] = [
        ['{"op":', 'VALIDATION_FAILED'],
        ['null', 'VALIDATION_FAILED'],
        ['[]', 'VALIDATION_FAILED'],
        [{ op: 'Explode' }, 'VALIDATION_FAILED'],
        [{ op: 'Subscribe' }, 'VALIDATION_FAILED'],
        [{ op: 'Subscribe', topics: 'runs' }, 'VALIDATION_FAILED'],
        [{ op: 'Subscribe', topics: ['runs'], extra: 1 }, 'VALIDATION_FAILED'],
        [{ op: 'Subscribe', topics: ['nowhere'] }, 'NOT_FOUND'],
        [{ op: 'Subscribe', topics: ['run:abc'] }, 'NOT_FOUND'],
        [{ op: 'Subscribe', topics: ['run:999999'] }, 'NOT_FOUND'],
        [{ op: 'Subscribe', topics: ['__proto__'] }, 'NOT_FOUND'],
        [{ op: 'Subscribe', topics: ['runs'], lastEventId: 'garbage' }, 'INVALID_CURSOR'],
        [{ op: 'Subscribe', topics: Array.from({ length: 600 }, () => 'runs') }, 'VALIDATION_FAILED'],
        [{ op: 'Publish', topic: 'runs', type: 'run.event' }, 'NOT_CONFIGURED'],
        [{ op: 'Event' }, 'BAD_REQUEST'],
      ];
      for (const [command, errorCode] of bad) {
        const answer = await socket.command(command);
        expect([command, answer.errorCode]).toEqual([command, errorCode]);
        expect(answer).toMatchObject({ op: 'Error', ok: false, error: expect.stringMatching(/\w/) });
      }
      expect(await socket.command({ op: 'Ping', id: 'p' })).toMatchObject({ op: 'Pong', id: 'p' });
      socket.end();
    });

    it('closes on commands without end', async () => {
      const socket = await openSocket(server.url, { authorization: `Bearer ${server.key}` });
      for (let i = 0; i < 2000; i++) socket.raw.send('{"op":"Ping"}');
      expect((await socket.closed).code).toBe(4029);
    });

    it('closes with a reason on wrong credentials', async () => {
      for (const [headers, query] of [
        [{}, ''],
        [{ authorization: 'Bearer rvt_wrong' }, ''],
        [{}, '?ticket=wst_nonsense'],
      ] as const) {
        const socket = await openSocket(server.url, headers, query);
        const { code } = await socket.closed;
        expect([4001, 4010]).toContain(code);
        expect(socket.frames.at(-1)).toMatchObject({ op: 'Error', ok: false, error: expect.stringMatching(/\w/) });
      }
    });
  });

  describe('a cursor from nowhere', () => {
    let topic = '';
    let epoch = '';
    let head = 0;
    beforeAll(async () => {
      const run = (await server.call('POST', '/api/agent/runs', { goal: 'cursor' })).body.data;
      topic = `run:${run.id}`;
      await server.call('POST', `/api/agent/runs/${run.id}/notes`, { content: 'a' });
      const socket = await openSocket(server.url, { authorization: `Bearer ${server.key}` });
      await socket.command({ op: 'Subscribe', id: '1', topics: [topic], lastEventId: '0' });
      const first = await socket.frame((frame) => frame.type !== undefined);
      ({ epoch, seq: head } = first);
      socket.end();
    });
    /** Cursors that look right: of a history that is gone, of a generation that never was, and of the future. */
    const lost = () => [
      `${'0'.repeat(32)}-1.5`,
      `${epoch.replace(/-[0-9a-z]+$/, '-zz')}.1`,
      `${epoch}.${head + 999_999}`,
    ];
    const wrong = ['garbage', '-1', `${'x'.repeat(3000)}`, 'a=b=c', '1.1.1', '🌊.1', 'run:1=,=', 'x.99999999999999999'];

    it('is refused or told as a gap over server-sent events', async () => {
      for (const cursor of wrong) {
        const path = `/api/events?topics=${topic}&lastEventId=${encodeURIComponent(cursor)}`;
        const { status, body } = await server.call('GET', path);
        expect([cursor, status, body.errorCode]).toEqual([cursor, 400, 'INVALID_CURSOR']);
        expect(body.hint).toMatch(/event/);
      }
      for (const cursor of lost()) {
        const response = await fetch(`${server.url}/api/events?topics=${topic}`, {
          headers: { authorization: `Bearer ${server.key}`, 'last-event-id': cursor },
        });
        const reader = (response.body as ReadableStream<Uint8Array>).getReader();
        let seen = '';
        while (!seen.includes('event: stream.gap')) {
          const { value, done } = await reader.read();
          if (done) break;
          seen += Buffer.from(value);
        }
        expect([cursor, seen]).toEqual([cursor, expect.stringContaining('event: stream.gap')]);
        await reader.cancel();
      }
      expect((await server.call('GET', '/api/events?topics=,')).body.errorCode).toBe('VALIDATION_FAILED');
    });

    it('is refused or told as a gap over WebSocket', async () => {
      const socket = await openSocket(server.url, { authorization: `Bearer ${server.key}` });
      for (const lastEventId of wrong) {
        const answer = await socket.command({ op: 'Subscribe', id: '1', topics: [topic], lastEventId });
        expect([lastEventId, answer.errorCode]).toEqual([lastEventId, 'INVALID_CURSOR']);
      }
      for (const lastEventId of lost()) {
        socket.frames.length = 0;
        const answer = await socket.command({ op: 'Subscribe', id: '2', topics: [topic], lastEventId });
        expect(answer).toMatchObject({ op: 'Ack', ok: true });
        expect((await socket.frame((frame) => frame.type === 'stream.gap')).topic).toBe(topic);
      }
      socket.end();
    });

    it('is refused or told as a gap over socket.io', async () => {
      const socket = io(server.url, { auth: { token: server.key }, reconnection: false });
      for (const lastEventId of wrong) {
        const answer = await socket.emitWithAck('command', { op: 'Subscribe', id: '1', topics: [topic], lastEventId });
        expect([lastEventId, answer.errorCode]).toEqual([lastEventId, 'INVALID_CURSOR']);
      }
      for (const lastEventId of lost()) {
        const gap = new Promise((resolve) =>
          socket.on('event', (event) => event.type === 'stream.gap' && resolve(event)),
        );
        await socket.emitWithAck('command', { op: 'Subscribe', id: '2', topics: [topic], lastEventId });
        expect(await gap).toMatchObject({ topic });
        socket.off('event');
      }
      for (const frame of [undefined, null, 7, 'x', [], { op: 'Nope' }])
        expect(await socket.emitWithAck('command', frame)).toMatchObject({ ok: false, errorCode: 'VALIDATION_FAILED' });
      socket.close();
    });
  });

  // Last, because it takes as long as a head may.
  it('gives a slow head no more than its time', async () => {
    const answer = await slow.closed;
    clearInterval(drip);
    expect([0, 408]).toContain(statusOf(answer));
  });
});
