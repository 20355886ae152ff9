// Kinds of network addresses, for connections to targets that users name.
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
