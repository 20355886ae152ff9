import { existsSync, readdirSync, statSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { goThroughProxies } from '../../src/kernel/outbound-proxy.ts';
import { temporaryFolder } from '../../test/support/embedded-db.ts';
import { type ForwardProxy, startForwardProxy } from '../../test/support/forward-proxy.ts';
import { type EgressProxy, openProxy } from './proxy.ts';

let origin: Server;
let proxy: EgressProxy;
let port: number;
const refused: string[] = [];

beforeEach(async () => {
  origin = createServer((incoming, response) => {
    response.end(
      `${incoming.method} ${incoming.url} ${incoming.headers.host} ${incoming.headers['proxy-authorization']}`,
    );
  });
  await new Promise<void>((done) => origin.listen(0, '127.0.0.1', done));
  port = (origin.address() as AddressInfo).port;
  refused.length = 0;
  proxy = await openProxy({
    allow: ['localhost.test'],
    onRefused: (reason) => refused.push(reason),
    resolve: async () => ['127.0.0.1'],
  });
});
afterEach(async () => {
  await proxy.close();
  origin.closeAllConnections();
  origin.close();
  expect(existsSync(proxy.directory)).toBe(false);
});

/** What the proxy says to raw bytes. */
function raw(text: string): Promise<string> {
  return new Promise((done) => {
    const socket = connect(join(proxy.directory, 'proxy.sock'), () => socket.write(text));
    let said = '';
    socket.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    socket.on('close', () => done(said));
    socket.setTimeout(5_000, () => socket.destroy());
  });
}

test('hosts that are not listed are refused with the reason, for http and https', async () => {
  expect(await raw('CONNECT evil.test:443 HTTP/1.1\r\nhost: evil.test\r\n\r\n')).toMatch(
    /403 Forbidden[\s\S]*evil.test:443 is not on/,
  );
  expect(await raw('GET http://evil.test/ HTTP/1.1\r\nhost: evil.test\r\nconnection: close\r\n\r\n')).toMatch(
    /403[\s\S]*evil.test:80 is not on/,
  );
  expect(refused).toHaveLength(2);
});

test('a listed host that leads inside is refused all the same', async () => {
  expect(await raw('GET http://localhost.test/ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')).toContain(
    'private address',
  );
  expect(await raw('CONNECT localhost.test:443 HTTP/1.1\r\n\r\n')).toContain('private address');
});

test('what is no proxy request is refused', async () => {
  expect(await raw('GET / HTTP/1.1\r\nhost: localhost.test\r\nconnection: close\r\n\r\n')).toContain('400');
  expect(await raw('CONNECT nonsense HTTP/1.1\r\n\r\n')).toMatch(/403|400/);
});

test('the host that a request claims does not matter, only the one it goes to', async () => {
  const answer = await new Promise<number | undefined>((done) => {
    request(
      {
        socketPath: join(proxy.directory, 'proxy.sock'),
        path: `http://127.0.0.1:${port}/`,
        headers: { host: 'localhost.test' },
      },
      (response) => {
        response.resume();
        done(response.statusCode);
      },
    ).end();
  });
  expect(answer).toBe(403);
});

test('what is allowed passes through, without the proxy’s own headers', async () => {
  const open = await openProxy({
    allow: [`inside.test:${port}`],
    allowsPrivate: true,
    resolve: async () => ['127.0.0.1'],
  });
  const socketPath = join(open.directory, 'proxy.sock');
  const plain = await new Promise<string>((done) => {
    const headers = { 'proxy-authorization': 'secret' };
    request({ socketPath, path: `http://inside.test:${port}/a?b=1`, headers, method: 'POST' }, (response) => {
      response.on('data', (chunk: Buffer) => done(chunk.toString()));
    }).end('body');
  });
  expect(plain).toBe(`POST /a?b=1 inside.test:${port} undefined`);
  const tunnelled = await new Promise<string>((done) => {
    request({ socketPath, method: 'CONNECT', path: `inside.test:${port}` })
      .on('connect', (_, socket) => {
        socket.on('data', (chunk: Buffer) => done(chunk.toString()));
        socket.write('GET /through HTTP/1.1\r\nhost: inside.test\r\nconnection: close\r\n\r\n');
      })
      .end();
  });
  expect(tunnelled).toContain('GET /through inside.test');
  await open.close();
});

test('it listens in the folder that sandboxes can be given, however long that folder’s name is', async () => {
  const parent = join(temporaryFolder(), 'a'.repeat(150), 'proxies');
  const there = await openProxy({ allow: [], parent });
  const socket = join(there.directory, 'proxy.sock');
  expect([there.directory.startsWith(parent), statSync(socket).isSocket()]).toEqual([true, true]);
  await there.close();
  expect(readdirSync(parent)).toEqual([]);
});

describe('behind the proxy of a company', () => {
  let company: ForwardProxy;
  beforeEach(async () => {
    company = await startForwardProxy({ 'far.test:80': port, 'far.test:443': port });
    goThroughProxies({ http: new URL(company.url), https: new URL(company.url), direct: ['near.test'] });
    await proxy.close();
    proxy = await openProxy({
      allow: ['far.test', 'near.test', 'unknown.test', 'inside.test'],
      // Names of the world are not known behind such a proxy.
      resolve: async (host) => (host === 'inside.test' ? ['10.0.0.1'] : []),
    });
  });
  afterEach(async () => {
    goThroughProxies();
    await company.close();
  });
  const got = (url: string) => raw(`GET ${url} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);

  test('commands reach listed hosts through it', async () => {
    expect(await got('http://far.test/a?b')).toMatch(/200 OK[\s\S]*GET \/a\?b far.test undefined/);
    const inner = 'GET /in HTTP/1.1\r\nhost: far.test\r\nconnection: close\r\n\r\n';
    expect(await raw(`CONNECT far.test:443 HTTP/1.1\r\n\r\n${inner}`)).toMatch(
      /200 Connection established[\s\S]*GET \/in far.test undefined/,
    );
    expect(company.asked).toEqual(['GET http://far.test/a?b', 'CONNECT far.test:443']);
  });

  test('it is not asked for what is not listed, leads inside, or needs none of it', async () => {
    expect(await got('http://evil.test/')).toMatch(/403[\s\S]*evil.test:80 is not on/);
    expect(await got('http://inside.test/')).toMatch(/403[\s\S]*leads to a private address/);
    expect(await got('http://near.test/')).toMatch(/403[\s\S]*near.test has no address/);
    expect(company.asked).toEqual([]);
  });

  test('what it refuses is told', async () => {
    expect(await raw('CONNECT unknown.test:443 HTTP/1.1\r\n\r\n')).toMatch(/502[\s\S]*answered 502 for unknown.test/);
  });
});
