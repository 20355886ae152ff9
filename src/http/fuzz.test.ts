// What no honest client sends, on raw sockets: the server answers where HTTP lets it, and stays up.
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRaw, sendRaw, statusOf } from '../../test/support/raw-http.ts';
import type { HttpServer, Socket } from './adapter.ts';
import { nodeAdapter } from './adapters/node/server.ts';
import { uwsAdapter } from './adapters/uws/server.ts';
import { type Sample, serveSample } from './testing/sample.ts';

const adapters = { uws: uwsAdapter, node: nodeAdapter };
const head = 'host: x\r\nauthorization: Bearer writer\r\n';
const post = `POST /api/notes HTTP/1.1\r\n${head}content-type: application/json\r\n`;

const until = async (condition: () => boolean) => {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
};

describe.each(['uws', 'node'] as const)('hostile HTTP on %s', (name) => {
  let sample: Sample;
  beforeAll(async () => {
    sample = await serveSample(name);
  });
  afterAll(() => sample.close());

  const alive = async () => {
    const response = await fetch(`${sample.url}/api/notes/7`, { headers: { authorization: 'Bearer writer' } });
    expect(response.status).toBe(200);
    expect(((await response.json()) as { data: { id: number } }).data.id).toBe(7);
  };

  it.each<[string, string]>([
    ['no method', '/ HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['no version', 'GET /\r\nhost: x\r\n\r\n'],
    ['a wrong version', 'GET / HTTP/9.9\r\nhost: x\r\n\r\n'],
    ['binary', `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03${'\x00'.repeat(50)}\r\n\r\n`],
    ['a header without a colon', 'GET / HTTP/1.1\r\nhost x\r\n\r\n'],
    ['a header name with a space', 'GET / HTTP/1.1\r\nhost : x\r\n\r\n'],
    ['a bare CR in a header', 'GET / HTTP/1.1\r\nhost: x\r\nx-a: b\rc: d\r\n\r\n'],
    ['a NUL in a header', 'GET / HTTP/1.1\r\nhost: x\r\nx-a: b\0c\r\n\r\n'],
    ['a negative length', `${post}content-length: -1\r\n\r\n`],
    ['a length that is no number', `${post}content-length: 1x\r\n\r\n{}`],
    ['a length beyond 2^64', `${post}content-length: 99999999999999999999999\r\n\r\n{}`],
    ['two lengths', `${post}content-length: 2\r\ncontent-length: 3\r\n\r\n{}x`],
    ['a length and chunks', `${post}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
    ['a chunk size that is no number', `${post}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`],
    ['an unknown transfer encoding', `${post}transfer-encoding: rot13\r\n\r\n{}`],
    ['a head of 100 KB', `GET / HTTP/1.1\r\nhost: x\r\nx-a: ${'a'.repeat(100_000)}\r\n\r\n`],
    ['3,000 headers', `GET / HTTP/1.1\r\nhost: x\r\n${'x-a: b\r\n'.repeat(3000)}\r\n`],
    ['a path of 100 KB', `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nhost: x\r\n\r\n`],
  ])('refuses %s with a 4xx, a 5xx or a closed connection', async (_, bytes) => {
    const answer = await sendRaw(sample.port, Buffer.from(bytes, 'latin1'), name === 'uws' ? 200 : 3000);
    const status = statusOf(answer);
    // uWebSockets.js says nothing to some broken heads; it drops their connections after ten seconds.
    if (status !== null) expect(status).toBeGreaterThanOrEqual(400);
    else if (name === 'node') expect(answer.closed).toBe(true);
    if (name === 'node' && status !== null) expect(answer.text).toMatch(/"errorCode":"(BAD_REQUEST|ROUTE_NOT_FOUND)"/);
    expect(sample.log.created).toEqual([]);
    await alive();
  });

  it('says no more than one answer to a smuggled request', async () => {
    const inner = `POST /api/notes HTTP/1.1\r\n${head}content-type: application/json\r\ncontent-length: 19\r\n\r\n{"text":"smuggled"}`;
    for (const framing of [
      `content-length: ${inner.length + 5}\r\ntransfer-encoding: chunked`,
      `transfer-encoding: chunked\r\ncontent-length: 5`,
      'transfer-encoding: xchunked',
      'transfer-encoding : chunked',
      'content-length: 0\r\ncontent-length: 5',
      'content-length: 5\r\ncontent-length: 0',
      'transfer-encoding: identity',
      'transfer-encoding: chunked, identity',
    ]) {
      const answer = await sendRaw(
        sample.port,
        `POST /api/notes/7/touch HTTP/1.1\r\n${head}${framing}\r\n\r\n0\r\n\r\n${inner}`,
        500,
      );
      expect(statusOf(answer) ?? 400).toBeGreaterThanOrEqual(400);
    }
    expect(sample.log.created).toEqual([]);
    await alive();
  });

  it('takes CR and LF in no value that comes back', async () => {
    const tries = ['a%0d%0ax-evil: 1', 'a\r x-evil: 1', 'a\n x-evil: 1', '%0d%0a%0d%0a<html>'];
    for (const value of tries) {
      const byHeader = await sendRaw(
        sample.port,
        `GET /api/notes/7 HTTP/1.1\r\n${head}x-request-id: ${value}\r\norigin: ${value}\r\n\r\n`,
      );
      expect(byHeader.text).not.toMatch(/\nx-evil/i);
      const byPath = await sendRaw(
        sample.port,
        `GET /api/notes/${value.replace(/[\r\n ]/g, '%0a')}?x=${encodeURIComponent(value)} HTTP/1.1\r\n${head}\r\n`,
      );
      expect(byPath.text).not.toMatch(/\nx-evil/i);
    }
    await alive();
  });

  it('goes on after heads and bodies that never end, and uploads that are cut', async () => {
    const starts = [
      'GET',
      'GET /api/notes/7 HTTP/1.1\r\nhost',
      `${post}content-length: 50\r\n\r\n{"te`,
      `${post}transfer-encoding: chunked\r\n\r\n5\r\n{"t`,
      `POST /api/notes/upload HTTP/1.1\r\n${head}content-type: multipart/form-data; boundary=b\r\ncontent-length: 900\r\n\r\n--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\nabc`,
    ];
    for (const start of starts) {
      const raw = await openRaw(sample.port);
      raw.write(start);
      await alive();
      raw.socket.resetAndDestroy();
    }
    await until(() => sample.server.inFlight === 0);
    expect(sample.log.created).toEqual([]);
    await alive();
  });

  it('answers pipelined requests in order, or closes the connection', async () => {
    const one = (id: number) => `GET /api/notes/${id} HTTP/1.1\r\n${head}\r\n`;
    const raw = await openRaw(sample.port);
    raw.write(one(1) + one(2) + one(3));
    const { text } = await raw.until(/"id":3/, 1000);
    raw.close();
    const ids = [...text.matchAll(/"data":\{"id":(\d)/g)].map(([, id]) => Number(id));
    expect(ids).toEqual([1, 2, 3].slice(0, ids.length));
    await alive();
  });

  it('survives whatever bytes come', async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'GET ',
        '/api/notes',
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
      ),
      fc.nat(100_000).map(String),
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 15 }), async (pieces) => {
        const raw = await openRaw(sample.port);
        raw.write(Buffer.from(pieces.join(''), 'latin1'));
        const { text } = await raw.until(/\r\n\r\n/, 5);
        raw.socket.resetAndDestroy();
        if (text !== '') expect(text).toMatch(/^HTTP\/1\.1 [2-5]\d\d/);
      }),
      { numRuns: 150 },
    );
    await alive();
  });
});

/** A client frame by RFC 6455; every part can be made wrong. */
function frame(
  opcode: number,
  payload: Uint8Array,
  { fin = true, masked = true, rsv = 0, length = payload.length } = {},
) {
  const mask = masked ? randomBytes(4) : Buffer.alloc(0);
  const start = [(fin ? 0x80 : 0) | (rsv << 4) | opcode];
  if (length < 126) start.push((masked ? 0x80 : 0) | length);
  else if (length < 65_536) start.push((masked ? 0x80 : 0) | 126, length >> 8, length & 255);
  const long = Buffer.alloc(10);
  if (length >= 65_536) {
    long[0] = start[0] as number;
    long[1] = (masked ? 0x80 : 0) | 127;
    long.writeBigUInt64BE(BigInt(length), 2);
  }
  const body = Buffer.from(payload.map((byte, i) => (masked ? byte ^ (mask[i % 4] as number) : byte)));
  return Buffer.concat([length >= 65_536 ? long : Buffer.from(start), mask, body]);
}

describe.each(['uws', 'node'] as const)('hostile WebSocket on %s', (name) => {
  let server: HttpServer;
  const open = new Set<Socket>();
  beforeAll(async () => {
    server = await adapters[name]({
      host: '127.0.0.1',
      port: 0,
      handle: (exchange) => exchange.send(200, [], 'fine'),
      webSocket: {
        path: '/ws',
        maxMessageBytes: 10_000,
        admit: () => null,
        open: (socket) => {
          open.add(socket);
          socket.onMessage((data) => void socket.send(`got ${data.length}`));
          socket.onClose(() => open.delete(socket));
        },
      },
    });
  });
  afterAll(() => server.close());

  const upgrade = async () => {
    const raw = await openRaw(server.port);
    raw.write(
      'GET /ws HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    expect((await raw.until(/\r\n\r\n/)).text).toMatch(/ 101 /);
    return raw;
  };
  const alive = async () => {
    const raw = await upgrade();
    raw.write(frame(1, Buffer.from('hello')));
    expect((await raw.until(/got/)).text).toMatch(/got 5/);
    raw.close();
    expect((await fetch(`http://127.0.0.1:${server.port}/`)).status).toBe(200);
  };

  const text = Buffer.from('text');
  it.each<[string, Buffer]>([
    ['an unknown data opcode', frame(3, text)],
    ['an unknown control opcode', frame(0xb, text)],
    ['an unmasked frame', frame(1, text, { masked: false })],
    ['a reserved bit', frame(1, text, { rsv: 4 })],
    ['a fragmented ping', frame(9, text, { fin: false })],
    ['a ping of 126 bytes', frame(9, Buffer.alloc(126))],
    ['a continuation of nothing', frame(0, text)],
    ['a message inside another', Buffer.concat([frame(1, text, { fin: false }), frame(1, text)])],
    ['text that is not UTF-8', frame(1, Buffer.from([0xc3, 0x28]))],
    ['a message above the limit', frame(1, Buffer.alloc(10_001, 0x61))],
    [
      'fragments above the limit',
      Buffer.concat([frame(1, Buffer.alloc(6000, 0x61), { fin: false }), frame(0, Buffer.alloc(6000, 0x61))]),
    ],
    ['a length of 2^53', frame(1, text, { length: 2 ** 53 })],
    ['a close code that does not exist', frame(8, Buffer.from([0x00, 0x01]))],
    ['a close frame of one byte', frame(8, Buffer.from([0x03]))],
  ])('closes the socket at %s', async (what, bytes) => {
    const raw = await upgrade();
    raw.write(bytes);
    // uWebSockets.js does not look at the mask bit: it takes the next bytes for a mask and waits for the rest.
    const waits = name === 'uws' && what === 'an unmasked frame';
    const { closed, text: received } = await raw.until(/never/, waits ? 100 : 3000);
    raw.close();
    expect(closed).toBe(!waits);
    expect(received).not.toMatch(/got/);
    await alive();
  });

  it.each<[string, string]>([
    ['without a key', 'sec-websocket-version: 13\r\n'],
    ['with a short key', 'sec-websocket-version: 13\r\nsec-websocket-key: abc\r\n'],
    ['of another version', 'sec-websocket-version: 7\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n'],
    [
      'with broken extensions',
      'sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-extensions: permessage-deflate; =;;,,\r\n',
    ],
  ])('answers a handshake %s', async (_, headers) => {
    const answer = await sendRaw(
      server.port,
      `GET /ws HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n${headers}\r\n`,
    );
    expect(statusOf(answer) ?? 0).toBeGreaterThanOrEqual(101);
    await alive();
  });

  it('survives whatever frames come, and forgets every socket', async () => {
    const anyFrame = fc
      .record({
        opcode: fc.nat(15),
        payload: fc.uint8Array({ maxLength: 200 }),
        fin: fc.boolean(),
        masked: fc.boolean(),
        rsv: fc.constantFrom(0, 0, 0, 1, 7),
      })
      .map(({ opcode, payload, ...options }) => frame(opcode, payload, options));
    await fc.assert(
      fc.asyncProperty(fc.array(anyFrame, { minLength: 1, maxLength: 6 }), async (frames) => {
        const raw = await upgrade();
        raw.write(Buffer.concat(frames));
        await raw.until(/never/, 3);
        raw.socket.resetAndDestroy();
      }),
      { numRuns: 100 },
    );
    await alive();
    await until(() => open.size === 0);
  });
});
