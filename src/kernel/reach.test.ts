// Calls to addresses that users gave, in all the forms by which an address can hide.
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { collectOnce } from '../../test/support/garbage.ts';
import { reachingFetch } from './reach.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function serve(answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

/** A look-up that knows these names alone; each next look-up of a name gives its next answer. */
const names =
  (known: Record<string, string[]>): Parameters<typeof reachingFetch>[1] =>
  (name, options, done) => {
    const address = known[name]?.shift() ?? '';
    const family = address.includes(':') ? 6 : 4;
    if (options.all) done(null, [{ address, family }]);
    else done(null, address, family);
  };

const refused = { code: 'NOT_CONFIGURED', hint: expect.stringMatching(/./) };

describe('a provider that a user gave', () => {
  it('is called as by fetch: method, headers, body, status and streamed answer', async () => {
    const port = await serve(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      response.writeHead(418, 'Teapot', { 'x-seen': `${request.method} ${request.url} ${request.headers['x-a']}` });
      response.write(Buffer.concat(parts));
      response.end(' and on');
    });
    const response = await reachingFetch('private')(`http://127.0.0.1:${port}/v1?q=1`, {
      method: 'POST',
      headers: { 'x-a': 'b' },
      body: 'said',
    });
    expect([response.status, response.statusText, response.ok]).toEqual([418, 'Teapot', false]);
    expect(response.headers.get('x-seen')).toBe('POST /v1?q=1 b');
    expect(await response.text()).toBe('said and on');
  });

  it('fails as by fetch: unreachable, aborted before and during the answer', async () => {
    const port = await serve((request, response) => {
      if (request.url === '/half') response.write('half');
    });
    const ask = reachingFetch('private');
    await expect(ask('http://127.0.0.1:1/')).rejects.toThrow(new TypeError('fetch failed'));
    const why = new Error('enough');
    const stop = new AbortController();
    const silent = ask(`http://127.0.0.1:${port}/`, { signal: stop.signal });
    const half = await ask(`http://127.0.0.1:${port}/half`, { signal: stop.signal });
    stop.abort(why);
    await expect(silent).rejects.toBe(why);
    await expect(half.text()).rejects.toThrow();
    await expect(ask(`http://127.0.0.1:${port}/`, { signal: stop.signal })).rejects.toBe(why);
  });

  it('ends an answer for its caller, whatever was collected meanwhile', async () => {
    let left: Promise<unknown> | undefined;
    const port = await serve((_, response) => {
      left = once(response, 'close');
      response.write('half');
    });
    const stop = new AbortController();
    const half = await reachingFetch('private')(`http://127.0.0.1:${port}/`, { signal: stop.signal });
    collectOnce();
    stop.abort();
    await expect(half.text()).rejects.toThrow();
    await left;
  });

  it('is left for good where its answer is all there and its end was not read', async () => {
    let left: Promise<unknown> | undefined;
    const port = await serve((request, response) => {
      left = once(request.socket, 'close');
      response.end('said');
    });
    const stop = new AbortController();
    const whole = await reachingFetch('private')(`http://127.0.0.1:${port}/`, { signal: stop.signal });
    await whole.body?.getReader().read();
    stop.abort();
    await left;
  });

  it.each([
    'http://169.254.169.254/latest/meta-data',
    'http://2852039166/',
    'http://0xa9.0xfe.0xa9.0xfe/',
    'http://[::ffff:169.254.169.254]/',
    'http://[fd00:ec2::254]/',
    'http://[fe80::1]/',
    'http://100.100.100.200/',
    'http://[64:ff9b::a9fe:a9fe]/',
  ])('is never the metadata of a cloud: %s', async (url) => {
    await expect(reachingFetch('private')(url)).rejects.toMatchObject(refused);
  });

  it.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://0.0.0.0/',
    'http://[::1]/',
    'http://10.0.0.7/',
    'http://192.168.1.1/',
    'http://[fd12::1]/',
  ])('is not on a private network for tenants who may not: %s', async (url) => {
    await expect(reachingFetch('public')(url)).rejects.toMatchObject(refused);
  });

  it('is judged by the address that its name leads to, each time', async () => {
    const port = await serve((_, response) => response.writeHead(200, { connection: 'close' }).end('here'));
    const lookup = names({ 'model.example': ['127.0.0.1', '169.254.169.254'], 'inside.example': ['10.1.2.3'] });
    const ask = reachingFetch('private', lookup);
    expect(await (await ask(`http://model.example:${port}/`)).text()).toBe('here');
    await expect(ask(`http://model.example:${port}/`)).rejects.toMatchObject(refused);
    await expect(reachingFetch('public', lookup)('http://inside.example/')).rejects.toMatchObject(refused);
  });

  it('leads nowhere else by a redirect', async () => {
    let followed = 0;
    const inner = await serve((_, response) => {
      followed++;
      response.end();
    });
    const port = await serve((_, response) =>
      response.writeHead(307, { location: `http://127.0.0.1:${inner}/` }).end(),
    );
    const answer = reachingFetch('private')(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' });
    await expect(answer).rejects.toMatchObject(refused);
    expect(followed).toBe(0);
  });
});
