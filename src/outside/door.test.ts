import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { collectOnce } from '../../test/support/garbage.ts';
import { systemClock } from '../kernel/clock.ts';
import { createLogger } from '../kernel/logger.ts';
import type { Reach } from '../kernel/reach.ts';
import { defaultPolicy } from '../ports/tenant-policy.ts';
import { createDoor } from './door.ts';
import { isAllowedHost } from './hosts.ts';

let server: Server;
let other: Server;
let answer: RequestListener;
const seen: { url: string; method: string; headers: IncomingMessage['headers'] }[] = [];
const lines: string[] = [];
let reach: Reach = 'private';
let allowedConnectorHosts: string[] = [];

/** Names of this test lead to this machine; `metadata.test` to a cloud's metadata. */
const lookup = ((name, options, done) => {
  const address = name === 'metadata.test' ? '169.254.169.254' : '127.0.0.1';
  if (options.all) done(null, [{ address, family: 4 }]);
  else done(null, address, 4);
}) as LookupFunction;

const door = createDoor({
  reachOf: () => reach,
  policies: { of: async () => ({ ...defaultPolicy, allowedConnectorHosts }) as never },
  clock: systemClock,
  log: createLogger({ level: 'debug', pretty: false, out: { write: (line: string) => void lines.push(line) } }),
  lookup,
});
const listen = (one: Server) => new Promise<void>((done) => one.listen(0, '127.0.0.1', done));
const at = (path: string, host = 'here.test', of = server) =>
  new URL(`http://${host}:${(of.address() as AddressInfo).port}${path}`);
const get = (url: URL, more: object = {}) => door.request({ tenantId: 1, url, ...more });

beforeAll(async () => {
  const listener: RequestListener = (request, response) => {
    seen.push({ url: request.url ?? '', method: request.method ?? '', headers: request.headers });
    answer(request, response);
  };
  server = createServer(listener);
  other = createServer(listener);
  await Promise.all([listen(server), listen(other)]);
});
afterAll(() => {
  server.closeAllConnections();
  other.closeAllConnections();
  server.close();
  other.close();
});
beforeEach(() => {
  reach = 'private';
  allowedConnectorHosts = [];
  seen.length = 0;
  answer = (_, response) => response.end('fine');
});
const redirecting = (status: number, to: () => string): RequestListener => {
  return (request, response) => {
    if (request.url?.startsWith('/start')) response.writeHead(status, { location: to() }).end();
    else response.end('arrived');
  };
};

describe('the door', () => {
  it('gives what came, cut at the limit', async () => {
    answer = (_, response) => response.setHeader('x-a', ['1', '2']).end('x'.repeat(5000));
    const { status, headers, body, truncated } = await get(at('/'), { maxBytes: 1000 });
    expect([status, headers['x-a'], body.length, truncated]).toEqual([200, '1, 2', 1000, true]);
    expect((await get(at('/'))).truncated).toBe(false);
  });

  it('reaches nothing private unless it may, by whatever name', async () => {
    reach = 'public';
    await expect(get(at('/'))).rejects.toMatchObject({ code: 'NOT_CONFIGURED' });
    for (const host of ['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1', '0.0.0.0', 'localhost'])
      await expect(get(at('/', host)), host).rejects.toMatchObject({ code: 'NOT_CONFIGURED' });
    await expect(door.addressOf(1, 'here.test', 5432)).rejects.toMatchObject({ code: 'NOT_CONFIGURED' });
    await expect(door.addressOf(1, '10.0.0.7', 5432)).rejects.toMatchObject({ code: 'NOT_CONFIGURED' });
    await expect(door.fetch(1)(at('/'))).rejects.toMatchObject({ code: 'NOT_CONFIGURED' });
    expect(seen).toEqual([]);
  });

  it('ends a streamed answer for its caller, whatever was collected meanwhile', async () => {
    let left: Promise<unknown> | undefined;
    answer = (_, response) => {
      left = once(response, 'close');
      response.write('half');
    };
    const stop = new AbortController();
    const half = await door.fetch(1)(at('/'), { signal: stop.signal });
    collectOnce();
    stop.abort();
    await expect(half.text()).rejects.toThrow();
    await left;
  });

  it('reaches no metadata service, even where private networks are allowed', async () => {
    for (const host of ['metadata.test', '169.254.169.254', '[fd00:ec2::254]', '100.100.100.200'])
      await expect(get(new URL(`http://${host}/latest`)), host).rejects.toMatchObject({ code: 'NOT_CONFIGURED' });
    answer = redirecting(302, () => 'http://metadata.test/latest/meta-data');
    await expect(get(at('/start'))).rejects.toMatchObject({ code: 'NOT_CONFIGURED' });
    expect(await door.addressOf(1, 'here.test', 1)).toBe('127.0.0.1');
  });

  it('judges each redirect, and shows credentials to nobody else', async () => {
    answer = redirecting(302, () => at('/end', 'elsewhere.test', other).href);
    const headers = { authorization: 'Bearer planted', 'x-key': 'planted', accept: 'text/plain' };
    expect(String((await get(at('/start'), { headers })).body)).toBe('arrived');
    expect(seen[1]?.headers).toMatchObject({ accept: 'text/plain' });
    expect(JSON.stringify(seen[1])).not.toContain('planted');
    answer = redirecting(307, () => '/end');
    await get(at('/start'), { headers });
    expect(seen[3]?.headers.authorization).toBe('Bearer planted');
    answer = redirecting(307, () => at('/end', 'elsewhere.test', other).href);
    await expect(get(at('/start'), { method: 'POST', body: 'planted' })).rejects.toMatchObject({
      code: 'CONNECTOR_ERROR',
    });
    answer = redirecting(302, () => '/start/again');
    await expect(get(at('/start'))).rejects.toThrow(/too many redirects/);
    allowedConnectorHosts = ['here.test'];
    answer = redirecting(302, () => at('/end', 'elsewhere.test', other).href);
    await expect(get(at('/start'))).rejects.toMatchObject({ code: 'FORBIDDEN' });
    answer = redirecting(302, () => 'file:///etc/passwd');
    await expect(get(at('/start'))).rejects.toMatchObject({ code: 'NOT_CONFIGURED' });
  });

  it('waits no longer than it was told, and stops with who asked', async () => {
    answer = (_, response) => response.write('begun');
    await expect(get(at('/'), { timeoutMs: 60 })).rejects.toMatchObject({ code: 'CONNECTOR_TIMEOUT' });
    const stop = new AbortController();
    const asked = get(at('/'), { signal: stop.signal });
    stop.abort(new Error('stopped'));
    await expect(asked).rejects.toThrow('stopped');
  });

  it('says of a header that cannot be sent that nobody was asked', async () => {
    const asked = get(at('/'), { headers: { authorization: 'Bearer …' } });
    await expect(asked).rejects.toThrow('here.test was not asked: a credential or header holds a letter');
  });

  it('says and logs hosts alone', async () => {
    server.closeAllConnections();
    const dead = new URL('http://here.test:1/hooks/planted?key=planted');
    const fault = await get(dead, { headers: { authorization: 'planted' } }).catch((error: Error) => error);
    expect(`${(fault as Error).message}`).toBe('here.test could not be reached: ECONNREFUSED.');
    expect(lines.join('')).toContain('here.test');
    expect(lines.join('')).not.toContain('planted');
  });
});

describe('allowed hosts', () => {
  it.each<[string[], string, number, boolean]>([
    [[], 'anything.test', 443, true],
    [['api.example.com'], 'API.example.com.', 443, true],
    [['api.example.com'], 'example.com', 443, false],
    [['api.example.com'], 'xapi.example.com', 443, false],
    [['*.example.com'], 'a.b.example.com', 443, true],
    [['*.example.com'], 'example.com', 443, false],
    [['*.example.com'], 'evilexample.com', 443, false],
    [['db.test:5432'], 'db.test', 5432, true],
    [['db.test:5432'], 'db.test', 3306, false],
    [['[::1]:80'], '[::1]', 80, true],
    [['::1'], '[::1]', 80, true],
    [['*.'], 'a.test', 80, false],
  ])('%j: %s:%i is %s', (patterns, host, port, allowed) => {
    expect(isAllowedHost(patterns, host, port)).toBe(allowed);
  });
});
