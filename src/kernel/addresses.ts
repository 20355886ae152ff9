// Kinds of network addresses, for connections to targets that users name.
import ipaddr from 'ipaddr.js';

/** Addresses by which clouds hand credentials to whatever runs there, beside the link-local ones. */
const metadata = new Set(['fd00:ec2::254', 'fd20:ce::254', 'fd00:c1::a9fe:a9fe', '100.100.100.200', '168.63.129.16']);
/** Ranges that no server uses, or that embed another address. */
const strange: ReadonlySet<string> = new Set([
  'linkLocal',
  'multicast',
  'broadcast',
  'reserved',
  'rfc6052',
  'rfc6145',
  '6to4',
  'teredo',
]);

/** NAT64's own prefix (RFC 6052): the last four bytes are the IPv4 address that a connection goes to. */
const nat64 = ipaddr.IPv6.parse('64:ff9b::');

/** The address that a connection ends at: without a zone, which counts for link-local ones alone, and in IPv4 where it is. */
function targetOf(address: string): ipaddr.IPv4 | ipaddr.IPv6 {
  const parsed = ipaddr.process(address.replace(/%.*/, ''));
  const isInside = parsed.kind() === 'ipv6' && parsed.match(nat64, 96);
  return isInside ? new ipaddr.IPv4(parsed.toByteArray().slice(12)) : parsed;
}

/** Whether an address is on the public internet. */
export const isPublicAddress = (address: string): boolean => {
  const parsed = targetOf(address);
  return parsed.range() === 'unicast' && !metadata.has(parsed.toString());
};

/** Whether a server may stand at this address, on the internet or on a private network; false for a cloud's metadata. */
export function isServerAddress(address: string): boolean {
  const parsed = targetOf(address);
  return !strange.has(parsed.range()) && !metadata.has(parsed.toString());
}

/** The address that a URL names itself, without a look-up; null for a name. */
export function literalAddress({ hostname }: Pick<URL, 'hostname'>): string | null {
  const host = hostname.replace(/^\[|\]$/g, '');
  return ipaddr.isValid(host) ? host : null;
}

/** The address of a peer as people write it, an IPv4 one that arrives over an IPv6 socket in its own form. */
export const plainAddress = (address: string): string =>
  ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;

/** What stands for one client: an IPv4 address, or the /64 of an IPv6 one, all of whose addresses are one's own. */
export function addressBlock(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : `${parsed.toByteArray().slice(0, 8).join('.')}/64`;
}
