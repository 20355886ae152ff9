// HTTP that no decent client sends, over bare sockets: the server answers or closes, and stays up.
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { exchangeRaw, openRaw, type RawSocket, sayRaw, statusOf } from '../support/raw-socket.ts';
import { startTestServer, type TestServer, transports } from '../support/test-server.ts';

const targets = new Map<string, TestServer>();
beforeAll(async () => {
  for (const transport of transports)
    targets.set(
      transport,
      await startTestServer({ RIVULET_TRANSPORT: transport, RIVULET_CORS_ORIGINS: 'https://desk.example' }),
    );
});
afterAll(() => Promise.all([...targets.values()].map((server) => server.close())));

describe.each(transports)('raw HTTP on %s', (transport) => {
  let server: TestServer;
  beforeAll(() => {
    server = targets.get(transport) as TestServer;
  });
  afterEach(async () => {
    expect((await server.call('GET', '/api/system/health')).status).toBe(200);
  });

  const auth = () => `Host: x\r\nAuthorization: Bearer ${server.key}\r\n`;
  const post = (headers: string, body: string) => `POST /api/agent/runs HTTP/1.1\r\n${auth()}${headers}\r\n${body}`;
  /** Nothing came of what was sent: no run was made. */
  const nothingMade = async () => expect((await server.call('GET', '/api/agent/runs')).body.data.totalCount).toBe(0);
  /** Closed without an answer, a fault of the client, or a version that is not ours. */
  const isRefused = (status: number) => status === 0 || (status >= 400 && status < 500) || status === 505;

  it.each(['\0', '\x01', '\x1b', '\n', '\x7f'])(
    'answers 400 at once for the control character %j in a header',
    async (control) => {
      const head = `GET /api/system/health HTTP/1.1\r\nHost: x\r\nx-a: b${control}c\r\n\r\n`;
      expect(statusOf(await exchangeRaw(server.port, head))).toBe(400);
    },
  );

  it('takes header names of every character that the standard allows', async () => {
    const head =
      "GET /api/system/health HTTP/1.1\r\nHost: x\r\nx_tenant: 1\r\n!#$%&'*+-.^_`|~1aZ: 2\r\nconnection: close\r\n\r\n";
    expect(statusOf(await exchangeRaw(server.port, head))).toBe(200);
  });

  it('takes a head of 15 KB, as tokens and cookies make them, and refuses one of 20', async () => {
    const head = (bytes: number) =>
      `GET /api/system/health HTTP/1.1\r\nHost: x\r\ncookie: a=${'x'.repeat(bytes)}\r\nconnection: close\r\n\r\n`;
    expect(statusOf(await exchangeRaw(server.port, head(15_000)))).toBe(200);
    expect(statusOf(await exchangeRaw(server.port, head(20_000)))).toBe(431);
  });

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
    ['no method', '/ HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a bare CR in a header', 'GET / HTTP/1.1\r\nHost: x\r\nx-a: b\rc: d\r\n\r\n'],
    ['no host', 'GET /api/system/health HTTP/1.1\r\n\r\n'],
  ])('answers %s with a refusal or hangs up', async (_, bytes) => {
    expect(statusOf(await sayRaw(server.port, bytes))).toSatisfy(isRefused);
    await nothingMade();
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
    ['a folded line', 'GET /api/system/info HTTP/1.1\r\nHost: x\r\nx-request-id: aaaaaaaa\r\n set-cookie: c=1\r\n\r\n'],
    ['an origin', 'GET /api/system/info HTTP/1.1\r\nHost: x\r\norigin: https://desk.example\rset-cookie: c=1\r\n\r\n'],
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
    const request = post(`content-type: application/json\r\n${headers}`, body);
    expect(statusOf(await exchangeRaw(server.port, request, /\r\n\r\n/))).toSatisfy(isRefused);
    await nothingMade();
  });

  it('tells why a body is too large before it has come', async () => {
    const request = post('content-type: application/json\r\ncontent-length: 999999999\r\n', '');
    const answer = await exchangeRaw(server.port, request, /"hint":"[^"]+"/);
    expect(statusOf(answer)).toBe(413);
    expect(answer).toContain('PAYLOAD_TOO_LARGE');
  });

  it('answers pipelined requests in their order', async () => {
    const raw = await openRaw(server.port);
    const ask = (id: string) => `GET /api/system/info HTTP/1.1\r\n${auth()}x-request-id: request-${id}\r\n\r\n`;
    raw.write(['1', '2', '3', '4', '5'].map(ask).join(''));
    const answers = await raw.until(/(HTTP\/1\.1 200[\s\S]*?"unreadMessages":\d+\}[\s\S]*?){5}/);
    expect([...answers.matchAll(/"requestId":"request-(\d)"/g)].map(([, id]) => id)).toEqual(['1', '2', '3', '4', '5']);
    raw.destroy();
  });

  it('takes no request that is hidden in the body of another', async () => {
    const goal = '{"goal":"smuggled"}';
    const hidden = post(`content-type: application/json\r\ncontent-length: ${goal.length}\r\n`, goal);
    const info = (framing: string) => `GET /api/system/info HTTP/1.1\r\n${auth()}${framing}\r\n\r\n`;
    await sayRaw(server.port, info(`content-length: ${hidden.length}`) + hidden + info('connection: close'));
    for (const framing of [
      `content-length: ${hidden.length + 5}\r\ntransfer-encoding: chunked`,
      'transfer-encoding: chunked\r\ncontent-length: 5',
      'transfer-encoding: xchunked',
      'transfer-encoding : chunked',
      'content-length: 0\r\ncontent-length: 5',
      'content-length: 5\r\ncontent-length: 0',
      'transfer-encoding: identity',
      'transfer-encoding: chunked, identity',
    ]) {
      const answer = await sayRaw(server.port, `${post(framing, '')}\r\n0\r\n\r\n${hidden}`);
      expect([framing, statusOf(answer)]).toEqual([framing, expect.toSatisfy(isRefused)]);
    }
    await nothingMade();
  });

  it('survives whatever bytes come', async () => {
    const words = [
      'GET ',
      '/api/agent/runs',
      '/api/ws',
      ' HTTP/1.1\r\n',
      'host: x\r\n',
      '\r\n',
      '\r',
      '\n',
      ':',
      'content-length: ',
      'transfer-encoding: chunked\r\n',
      '0\r\n\r\n',
      'upgrade: websocket\r\n',
      'connection: upgrade\r\n',
    ];
    const piece = fc.oneof(
      fc.constantFrom(...words),
      fc.nat(100_000).map(String),
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 15 }), async (pieces) => {
        const answer = await sayRaw(server.port, Buffer.from(pieces.join(''), 'latin1'));
        if (answer !== '') expect(answer).toMatch(/^HTTP\/1\.1 [2-5]\d\d/);
      }),
      { numRuns: 150 },
    );
    await nothingMade();
  });

  it('survives uploads that are aborted, and many connections that say nothing or half of something', async () => {
    const half: RawSocket[] = [];
    for (let i = 0; i < 400; i++) {
      const raw = await openRaw(server.port);
      half.push(raw);
      if (i % 4 === 0) raw.write('GET /api/system/info HTT');
      if (i % 4 === 1) raw.write(post('content-type: application/json\r\ncontent-length: 1000\r\n', '{"goal":"'));
      if (i % 4 === 2) raw.write(post('content-type: application/json\r\ntransfer-encoding: chunked\r\n', '3\r\n{"g'));
    }
    expect((await server.call('GET', '/api/agent/runs')).status).toBe(200);
    for (const raw of half) raw.socket.resetAndDestroy();
    const inFlight = async () =>
      Number(/^\w*http_in_flight (\d+)/m.exec((await server.call('GET', '/api/system/metrics')).body)?.[1]);
    await expect.poll(inFlight).toBe(1);
  });
});
