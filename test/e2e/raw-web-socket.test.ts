// WebSockets that no decent client makes, over bare sockets: the server hangs up or answers, and stays up.
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { clientFrame, exchangeRaw, openRaw, statusOf } from '../support/raw-socket.ts';
import { startTestServer, type TestServer, transports } from '../support/test-server.ts';
import { openSocket } from '../support/web-socket.ts';

const text = (value: string) => Buffer.from(value);

describe.each(transports)('raw WebSocket on %s', (transport) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ RIVULET_TRANSPORT: transport });
  });
  afterAll(() => server.close());
  afterEach(async () => {
    expect((await server.call('GET', '/api/system/health')).status).toBe(200);
  });

  const auth = () => `Host: x\r\nAuthorization: Bearer ${server.key}\r\n`;
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

  it('takes no frame without a mask', async () => {
    const raw = await open();
    raw.write(clientFrame(0x81, text('{"op":"Ping"}'), false));
    // uWebSockets.js does not look at the mask bit: it takes the next bytes for a mask and waits for the rest.
    if (transport === 'uws') raw.socket.end();
    expect(await raw.closed).not.toMatch(/Pong/);
  });

  it('refuses handshakes that are none', async () => {
    const version = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version:';
    const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
    for (const headers of [
      'Connection: Upgrade\r\nUpgrade: websocket\r\n',
      'Connection: Upgrade\r\nUpgrade: h2c\r\n',
      `${version} 13\r\nSec-WebSocket-Key: short\r\n`,
      `${version} 7\r\n${key}`,
    ]) {
      const request = `GET /api/ws HTTP/1.1\r\n${auth()}${headers}\r\n`;
      const status = statusOf(await exchangeRaw(server.port, request, /\r\n\r\n/));
      // uWebSockets.js judges neither key nor version; what it upgrades then is a socket like any other.
      if (transport === 'uws' && status === 101) continue;
      expect([headers, status]).toEqual([headers, expect.toSatisfy((one: number) => one >= 400 && one < 500)]);
    }
  });

  it('survives whatever frames come, and forgets every socket', async () => {
    const anyFrame = fc
      .tuple(fc.nat(255), fc.uint8Array({ maxLength: 200 }), fc.boolean())
      .map(([first, payload, masked]) => clientFrame(first, payload, masked));
    await fc.assert(
      fc.asyncProperty(fc.array(anyFrame, { minLength: 1, maxLength: 6 }), async (frames) => {
        const raw = await open();
        raw.write(Buffer.concat(frames));
        raw.socket.end();
        await raw.closed;
      }),
      { numRuns: 100 },
    );
    const connections = async () => (await server.call('GET', '/api/ws/connections')).body.data.totalCount;
    await expect.poll(connections).toBe(0);
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
      [{ op: 'Publish', topic: 'runs', type: 'run.event' }, 'FORBIDDEN'],
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
