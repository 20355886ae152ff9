import { describe, expect, it } from 'vitest';
import { addressBlock, isPublicAddress, isServerAddress } from './addresses.ts';

// A network without IPv4 reaches IPv4 servers so: its name server gives them such addresses (RFC 6147).
describe('the address of an IPv4 server behind NAT64', () => {
  it.each([
    ['64:ff9b::8.8.8.8', true, true],
    ['64:ff9b::808:808', true, true],
    ['64:ff9b::10.0.0.1', false, true],
    ['64:ff9b::127.0.0.1', false, true],
    ['64:ff9b::169.254.169.254', false, false],
    // Of these prefixes each network says itself where in an address the other one is.
    ['64:ff9b:1::808:808', false, false],
  ])('is judged as that of the server: %s', (address, isPublic, isServer) => {
    expect([isPublicAddress(address), isServerAddress(address)]).toEqual([isPublic, isServer]);
  });
});

describe('one client', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['2001:db8:0:1:ffff::9', addressBlock('2001:db8:0:1::1')],
  ])('has %s', (address, block) => {
    expect(addressBlock(address)).toBe(block);
  });

  it('has no address of another network', () => {
    expect(addressBlock('2001:db8:0:2::1')).not.toBe(addressBlock('2001:db8:0:1::1'));
  });
});
