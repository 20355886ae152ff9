// Kinds of network addresses, for connections to targets that users name.
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Addresses by which clouds hand credentials to whatever runs there, beside the link-local ones. */
const metadata = new Set(['fd00:ec2::254', '100.100.100.200', '168.63.129.16']);
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

/** Whether an address is on the public internet. */
export const isPublicAddress = (address: string): boolean => {
  const parsed = ipaddr.process(address);
  return parsed.range() === 'unicast' && !metadata.has(parsed.toString());
};

/** Whether a server may stand at this address, on the internet or on a private network; false for a cloud's metadata. */
export function isServerAddress(address: string): boolean {
  const parsed = ipaddr.process(address);
  return !strange.has(parsed.range()) && !metadata.has(parsed.toString());
}

/** Addresses that begin alike: the first, and how many bits they share. */
type AddressBlock = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** The block that a text names, e.g. `10.0.0.0/8`, or the one address, e.g. `fd00::1`; null for any other text. */
export function blockOf(text: string): AddressBlock | null {
  if (isIP(text.replace(/\/.*/, '')) === 0) return null;
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  if (isIP(text) === 0) return null;
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** Whether an address lies in one of these blocks. */
export function liesIn(address: string, blocks: readonly AddressBlock[]): boolean {
  const parsed = ipaddr.process(address);
  return blocks.some(([first, bits]) => parsed.kind() === first.kind() && parsed.match(first, bits));
}

/** The address that a URL names itself, without a look-up; null for a name. */
export function literalAddress({ hostname }: Pick<URL, 'hostname'>): string | null {
  const host = hostname.replace(/^\[|\]$/g, '');
  return ipaddr.isValid(host) ? host : null;
}

/** What stands for one client: an IPv4 address, or the /64 of an IPv6 one, all of whose addresses are one's own. */
export function addressBlock(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : `${parsed.toByteArray().slice(0, 8).join('.')}/64`;
}
