// Which hosts a tenant's policy lets connectors call.
import { Fault } from '../kernel/fault.ts';

const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/**
 * Whether patterns allow a host; an empty list allows every one. A pattern is a host (`api.example.com`), the hosts below
 * one (`*.example.com`), or either with a port (`db.example.com:5432`).
 */
export function isAllowedHost(patterns: readonly string[], host: string, port: number | null): boolean {
  const bare = (text: string) =>
    text
      .trim()
      .toLowerCase()
      .replace(/^\[|\]$/g, '')
      .replace(/\.$/, '');
  const name = bare(host);
  return (
    patterns.length === 0 ||
    patterns.some((pattern) => {
      // What follows the last colon is a port, unless there are several: an address of version 6.
      const [, hosts = '', own] = /^(\[[^\]]*\]|[^:]*|.*:.*:[^\]]*?)(?::(\d+))?$/.exec(pattern.trim()) ?? [];
      if (own !== undefined && Number(own) !== port) return false;
      const wanted = bare(hosts);
      return wanted.startsWith('*.') ? name.endsWith(wanted.slice(1)) : wanted !== '' && name === wanted;
    })
  );
}

/** The port that a URL names, or the usual one of its protocol. */
export const portOf = (url: URL): number | null => (url.port ? Number(url.port) : (defaultPorts[url.protocol] ?? null));

/** @throws Fault FORBIDDEN for a host that the tenant's policy does not list */
export function requireAllowedHost(patterns: readonly string[], host: string, port: number | null): void {
  if (isAllowedHost(patterns, host, port)) return;
  throw new Fault('FORBIDDEN', `The policy of this tenant does not allow connectors to call ${host}.`, {
    hint: 'Add the host to allowedConnectorHosts with PUT /api/tenant-policy.',
    isFinal: true,
  });
}
