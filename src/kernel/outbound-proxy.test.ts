// Calls through a proxy: whom it is asked for, what it hears, and what is said where it refuses or is silent.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ForwardProxy, startForwardProxy } from '../../test/support/forward-proxy.ts';
import { createSend } from './http-send.ts';
import { outboundFetch } from './outbound-fetch.ts';
import { goThroughProxies, openTunnel, outboundProxy } from './outbound-proxy.ts';
import { guardedSend } from './reach.ts';

afterEach(() => goThroughProxies());

describe('the proxy for a call', () => {
  const http = new URL('http://plain.proxy:3128');
  const https = new URL('http://secure.proxy:3128');
  const proxyFor = (url: string, ...direct: string[]) => {
    goThroughProxies({ http, https, direct });
    return outboundProxy(new URL(url));
  };

  it('is the one of its protocol', () => {
    expect(proxyFor('http://a.example/')).toBe(http);
    expect(proxyFor('https://a.example/')).toBe(https);
    goThroughProxies({ http: null, https, direct: [] });
    expect(outboundProxy(new URL('http://a.example/'))).toBeNull();
    goThroughProxies();
    expect(outboundProxy(new URL('https://a.example/'))).toBeNull();
  });

  it.each(['http://localhost:11434', 'http://api.localhost', 'http://127.0.0.9', 'http://[::1]:80', 'http://0.0.0.0'])(
    'is none for this machine, %s',
    (url) => expect(proxyFor(url)).toBeNull(),
  );

  it.each([
    ['https://example.com', 'example.com'],
    ['https://api.example.com', 'example.com'],
    ['https://api.example.com', '.example.com'],
    ['https://api.example.com', '*.example.com'],
    ['https://API.Example.com.', 'Api.EXAMPLE.com'],
    ['https://example.com', 'example.com:443'],
    ['http://example.com:8080', 'example.com:8080'],
    ['http://10.1.2.3', '10.0.0.0/8'],
    ['http://10.1.2.3', '10.1.2.3'],
    ['http://10.1.2.3:81', '10.1.2.3:81'],
    ['http://[fd00::5]', 'fd00::/8'],
    ['http://[fd00::5]', 'fd00::5'],
    ['http://[fd00::5]:81', '[fd00:0::5]:81'],
    ['http://[::ffff:10.1.2.3]', '10.0.0.0/8'],
    ['http://a.example', '*'],
  ])('is none for %s where NO_PROXY has %s', (url, entry) => expect(proxyFor(url, 'x.test', entry)).toBeNull());

  it.each([
    ['https://example.com', 'ample.com'],
    ['https://example.com', 'api.example.com'],
    ['https://example.com.evil.test', 'example.com'],
    ['https://example.com:444', 'example.com:443'],
    ['http://11.1.2.3', '10.0.0.0/8'],
    ['http://10.1.2.33', '10.1.2.3'],
    ['http://[fe00::5]', 'fd00::/8'],
    ['http://a.example', ''],
    ['http://a.example', '.'],
    ['http://10.1.2.3', '10.0.0.0/99'],
    ['http://10.1.2.3', '2.3'],
  ])('is asked for %s where NO_PROXY has %s', (url, entry) => expect(proxyFor(url, entry)).not.toBeNull());
});

describe('a call through a proxy', () => {
  const heard: string[] = [];
  const target = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    heard.push(`${request.method} ${request.url} ${request.headers.host} ${request.headers['proxy-authorization']}`);
    if (request.url === '/away') response.writeHead(302, { location: 'http://other.test/there' }).end();
    else response.end(`${request.headers['x-key'] ?? ''} ${Buffer.concat(parts)}`);
  });
  let proxy: ForwardProxy;
  beforeAll(async () => {
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
    const { port } = target.address() as AddressInfo;
    proxy = await startForwardProxy({ 'a.test:80': port, 'other.test:80': port, 'a.test:443': port }, 'na%40me:p%3Ass');
  });
  afterEach(() => {
    heard.length = 0;
    proxy.asked.length = 0;
    Object.assign(proxy, { answers: true, refusesWith: null, greeting: '' });
  });
  afterAll(async () => {
    await proxy.close();
    target.closeAllConnections();
    await new Promise((resolve) => target.close(resolve));
  });

  const through = (url = proxy.url) => goThroughProxies({ http: new URL(url), https: new URL(url), direct: [] });
  const sending = { method: 'POST', headers: { 'x-key': 'k' }, body: 'said', signal: null };

  it('reaches a server by http, which hears nothing of the proxy', async () => {
    through();
    const answer = await createSend()(new URL('http://a.test/v1?q=1'), sending);
    expect(String(Buffer.concat(await answer.toArray()))).toBe('k said');
    expect(proxy.asked).toEqual(['POST http://a.test/v1?q=1']);
    expect(heard).toEqual(['POST /v1?q=1 a.test undefined']);
  });

  it('opens a tunnel for other connections', async () => {
    const socket = await openTunnel(new URL(proxy.url), 'a.test', 443);
    socket.write('GET /in HTTP/1.1\r\nhost: a.test\r\nconnection: close\r\n\r\n');
    const [first] = await once(socket, 'data');
    socket.destroy();
    expect(String(first)).toMatch(/^HTTP\/1.1 200 OK/);
    expect(proxy.asked).toEqual(['CONNECT a.test:443']);
  });

  it('keeps what a server says first', async () => {
    proxy.greeting = 'SSH-2.0\r\n';
    const socket = await openTunnel(new URL(proxy.url), 'a.test', 443);
    const [first] = await once(socket, 'data');
    socket.destroy();
    expect(String(first)).toBe('SSH-2.0\r\n');
  });

  it.each(['http://a.test/', 'https://a.test/'])('says that the proxy wants other credentials, %s', async (url) => {
    through(proxy.url.replace(/:\/\/.*@/, '://name:wrong@'));
    const failed = await createSend()(new URL(url), sending).catch((error) => error);
    expect(failed).toMatchObject({ code: 'NOT_CONFIGURED', hint: expect.stringContaining('HTTPS_PROXY') });
    expect(`${failed.message}${failed.hint}`).not.toMatch(/wrong/);
    expect(heard).toEqual([]);
  });

  it('names the proxy that refuses a host, and the one that is not there', async () => {
    through();
    proxy.refusesWith = 403;
    await expect(createSend()(new URL('https://a.test/'), sending)).rejects.toMatchObject({
      name: 'TypeError',
      cause: { message: expect.stringMatching(/^The proxy 127\.0\.0\.1:\d+ answered 403 for a\.test\.$/) },
    });
    through('http://127.0.0.1:1');
    await expect(createSend()(new URL('https://a.test/'), sending)).rejects.toMatchObject({
      cause: { message: expect.stringMatching(/^The proxy 127\.0\.0\.1:1 cannot be reached: .*ECONNREFUSED/) },
    });
  });

  it.each(['http://a.test/', 'https://a.test/'])('can be aborted while the proxy is silent, %s', async (url) => {
    through();
    proxy.answers = false;
    const aborting = new AbortController();
    const sent = createSend()(new URL(url), { ...sending, signal: aborting.signal });
    while (proxy.asked.length === 0) await new Promise(setImmediate);
    aborting.abort(new Error('enough'));
    // Not only when the proxy has been silent for its 30 s, which is longer than a test may take.
    await expect(sent).rejects.toThrow('enough');
  });

  it('is not made for an address that a tenant may not reach', async () => {
    through();
    const to = (host: string, address: string) =>
      guardedSend('public', (_name, _options, done) => done(null, [{ address, family: 4 }]))(
        new URL(`http://${host}/`),
        sending,
      );
    await expect(to('10.0.0.1', '')).rejects.toMatchObject({ code: 'NOT_CONFIGURED' });
    await expect(to('a.test', '10.0.0.1')).rejects.toMatchObject({ code: 'NOT_CONFIGURED' });
    expect(proxy.asked).toEqual([]);
    expect((await to('a.test', '93.184.215.14')).statusCode).toBe(200);
  });

  it('leaves a name that nobody knows here to the proxy', async () => {
    through();
    const lost = guardedSend('public', (_name, _options, done) => done(new Error('ENOTFOUND'), ''));
    expect((await lost(new URL('http://a.test/'), sending)).statusCode).toBe(200);
  });

  it('follows a redirect as fetch does, without credentials for another server', async () => {
    through();
    const asked = { headers: { 'x-key': 'k' } };
    expect(await (await outboundFetch('http://a.test/away', asked)).text()).toBe(' ');
    expect(proxy.asked).toEqual(['GET http://a.test/away', 'GET http://other.test/there']);
    await expect(outboundFetch('http://a.test/away', { ...asked, redirect: 'error' })).rejects.toThrow(TypeError);
    await expect(outboundFetch('http://a.test/away', { method: 'POST', body: 'said' })).rejects.toThrow(TypeError);
    expect((await outboundFetch('http://a.test/away', { redirect: 'manual' })).status).toBe(302);
  });
});
