import { describe, expect, it } from 'vitest';
import { blockOf, createClientAddress } from './client-address.ts';

describe('the address of a client', () => {
  const behind = createClientAddress(['10.0.0.0/8', '192.0.2.7', 'fd00::/8']);
  it.each<[string, string, string | undefined, string]>([
    ['the peer, without a proxy', '203.0.113.5', undefined, '203.0.113.5'],
    ['the peer, whatever a stranger claims', '203.0.113.5', '198.51.100.1', '203.0.113.5'],
    ['what a trusted proxy says', '10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['what a single trusted address says', '192.0.2.7', ' 198.51.100.1 ', '198.51.100.1'],
    ['not what the neighbour of that address says', '192.0.2.8', '198.51.100.1', '192.0.2.8'],
    ['what was said first by one who is not trusted', '10.1.2.3', '1.1.1.1, 198.51.100.1, 10.9.9.9', '198.51.100.1'],
    ['the farthest proxy, when all are trusted', '10.1.2.3', '10.7.7.7, 10.8.8.8', '10.7.7.7'],
    ['the proxy, when it says nonsense', '10.1.2.3', '198.51.100.1, unknown', '10.1.2.3'],
    ['the proxy, when it says nothing', '10.1.2.3', '', '10.1.2.3'],
    ['an address of version 6', 'fd00::1', '2001:db8::1', '2001:db8::1'],
    ['one of version 4 in its own form', 'fd00::1', '::ffff:198.51.100.1', '198.51.100.1'],
    ['what it says with a port', '10.1.2.3', '198.51.100.1:50122', '198.51.100.1'],
    ['what it says in brackets', '10.1.2.3', '[2001:db8::1]:50122, [fd00::7]', '2001:db8::1'],
    ['a peer that has no address', '', '198.51.100.1', ''],
  ])('is %s', (_, peer, said, client) => {
    expect(behind(peer, said)).toBe(client);
  });

  it('is the peer where no proxy is trusted', () => {
    expect(createClientAddress([])('10.1.2.3', '198.51.100.1')).toBe('10.1.2.3');
  });

  it.each([[[]], [['192.0.2.7']]])('tells once of a proxy that is not named: %j', (trusted) => {
    const told: unknown[] = [];
    const log = { info: (facts: unknown) => void told.push(facts) };
    const clientOf = createClientAddress(trusted, log as never);
    clientOf('10.1.2.3', undefined);
    clientOf('192.0.2.7', trusted.length > 0 ? '198.51.100.1' : undefined);
    expect(told).toEqual([]);
    clientOf('10.1.2.3', '198.51.100.1');
    clientOf('10.1.2.4', '198.51.100.1');
    expect(told).toEqual([{ peer: '10.1.2.3' }]);
  });

  it('knows addresses and blocks from other text', () => {
    expect(['10.0.0.0/8', '::1', '10.0.0.1', 'fd00::/8'].filter((text) => blockOf(text) !== null)).toHaveLength(4);
    expect(['10.0.0.0/33', 'proxy', '', '1.2.3', '10.0.0.0/'].filter((text) => blockOf(text) !== null)).toEqual([]);
  });
});
