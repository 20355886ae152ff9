// Bodies of requests as both adapters read them, over real sockets.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { exchangeRaw, openRaw } from '../../../test/support/raw-socket.ts';
import { transports } from '../../../test/support/transports.ts';
import type { Fault } from '../../kernel/fault.ts';
import { until } from '../testing/asking.ts';
import { answering, plain, serving } from '../testing/serving.ts';

describe.each(transports)('bodies on %s', (name) => {
  const serve = serving(name);

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
});
