// The client's address of a request: the peer's, or, behind proxies that the operator trusts, the forwarded one.
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Logger } from './logger.ts';

/** Address of the client, by the peer of the connection and its `X-Forwarded-For`. */
export interface ClientAddress {
  (peer: string, forwardedFor: string | undefined): string;
  /** Whether a peer is a trusted proxy, whose `X-Forwarded-For` counts. */
  trusts(peer: string): boolean;
}

/** Trusts no proxy. */
export const directClients: ClientAddress = Object.assign((peer: string) => peer, { trusts: () => false });

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

/**
 * Trusts `X-Forwarded-For` from these addresses and blocks only. What each proxy appended is read from the right, as
 * long as a trusted one said it: what stands further left was written by the client. The log is told once of a peer that
 * says it without being trusted: an operator who forgot to name a proxy would see nothing but its address everywhere.
 */
export function createClientAddress(trusted: readonly string[], log?: Pick<Logger, 'info'>): ClientAddress {
  let isTold = log === undefined;
  const tell = (peer: string) => {
    if (isTold) return;
    isTold = true;
    log?.info({ peer }, notNamed);
  };
  const blocks = trusted.map(blockOf).filter((block) => block !== null);
  const trusts = (peer: string) => blocks.length > 0 && isIP(peer) > 0 && liesIn(peer, blocks);
  const clientOf = (peer: string, forwardedFor: string | undefined) => {
    if (!forwardedFor) return peer;
    if (!trusts(peer)) {
      tell(peer);
      return peer;
    }
    const said = forwardedFor.split(',');
    let client = peer;
    do {
      const next = withoutPort(said.pop()?.trim() ?? '');
      if (!isIP(next)) break;
      client = ipaddr.process(next).toString();
    } while (said.length > 0 && trusts(client));
    return client;
  };
  return Object.assign(clientOf, { trusts });
}

/** The address of `[2001:db8::1]:443` and `192.0.2.1:443`, as some proxies write it (RFC 7239, 6). */
const withoutPort = (text: string) => /^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text)?.slice(1).join('') ?? text;

const notNamed =
  'a request came with X-Forwarded-For, which is not believed: if a proxy of yours sent it, name it in RIVULET_TRUSTED_PROXIES (docs/proxy.md)';
