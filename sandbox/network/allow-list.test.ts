import { expect, test } from 'vitest';
import { decide } from './allow-list.ts';

const resolve = async (host: string) => {
  const known: Record<string, string[]> = {
    'registry.npmjs.org': ['104.16.0.1'],
    'inside.example.com': ['93.184.216.34', '10.0.0.7'],
    'mapped.example.com': ['::ffff:127.0.0.1'],
    'api.example.com': ['2606:4700::1'],
  };
  return known[host] ?? Promise.reject(new Error('ENOTFOUND'));
};
const allow = ['registry.npmjs.org', '*.example.com', 'db.test:5432', '127.0.0.1', '8.8.8.8:53'];
const ask = (host: string, port: number) => decide(host, port, { patterns: allow, allowsPrivate: false, resolve });

test('hosts on the list are reached at the address that was checked', async () => {
  expect(await ask('Registry.NPMJS.org.', 443)).toEqual({ address: '104.16.0.1' });
  expect(await ask('api.example.com', 80)).toEqual({ address: '2606:4700::1' });
  expect(await ask('8.8.8.8', 53)).toEqual({ address: '8.8.8.8' });
});

test.each([
  ['evil.org', 443],
  ['registry.npmjs.org', 22],
  ['registry.npmjs.org.evil.org', 443],
  ['notexample.com', 443],
  ['example.com', 443],
  ['db.test', 443],
])('%s:%d is not on the list', async (host, port) => {
  expect(await ask(host, port)).toEqual({ refusal: expect.stringContaining('not on') });
});

test.each(['inside.example.com', 'mapped.example.com', '127.0.0.1'])('%s leads inside and is refused', async (host) => {
  expect(await ask(host, 443)).toEqual({ refusal: expect.stringContaining('private') });
});

test('unless the operator says that inside is fine', async () => {
  const decision = await decide('127.0.0.1', 80, { patterns: allow, allowsPrivate: true, resolve });
  expect(decision).toEqual({ address: '127.0.0.1' });
});

test('a name without address is refused', async () => {
  expect(await ask('gone.example.com', 443)).toEqual({ refusal: expect.stringContaining('no address') });
});
