// Allow list of a sandbox: the hosts that it may reach, and at which addresses.
import { lookup } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';
import { isPublicAddress } from '../../src/kernel/addresses.ts';

/** Pattern `host`, `host:port` or `*.host`; without a port it means 80 and 443. */
export type HostPattern = string;

export type Decision = { address: string } | { refusal: string };

/** Looks up the addresses of a host name. */
export type Resolve = (host: string) => Promise<string[]>;

export const resolveHost: Resolve = async (host) => (await lookup(host, { all: true })).map(({ address }) => address);

export interface Judging {
  patterns: readonly HostPattern[];
  allowsPrivate: boolean;
  resolve: Resolve;
  /** Whether a proxy makes the connection, which may know names that are not known here. */
  isProxied?: boolean;
}

/**
 * Decides on a connection. Unless the operator allows otherwise, a listed host must also have only public addresses:
 * a name under foreign control must not lead into the operator's network.
 */
export async function decide(
  host: string,
  port: number,
  { patterns, allowsPrivate, resolve, isProxied = false }: Judging,
): Promise<Decision> {
  const name = host.toLowerCase().replace(/\.$/, '');
  if (!patterns.some((pattern) => matches(name, port, pattern.toLowerCase()))) {
    return { refusal: `${name}:${port} is not on the sandbox's list of hosts.` };
  }
  const addresses = ipaddr.isValid(name) ? [name] : await resolve(name).catch(() => []);
  const [address] = addresses;
  if (address === undefined) return isProxied ? { address: name } : { refusal: `${name} has no address.` };
  if (!allowsPrivate && !addresses.every(isPublicAddress)) return { refusal: `${name} leads to a private address.` };
  return { address };
}

function matches(host: string, port: number, pattern: string): boolean {
  const [, name = pattern, wantedPort] = /^(.*?)(?::(\d+))?$/.exec(pattern) ?? [];
  if (wantedPort ? port !== Number(wantedPort) : port !== 80 && port !== 443) return false;
  return name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name;
}
