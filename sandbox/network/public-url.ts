// Guard of requests that the server makes for users: https only, and never into the operator's own network.
import ipaddr from 'ipaddr.js';
import { isPublicAddress } from '../../src/kernel/addresses.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { type Resolve, resolveHost } from './allow-list.ts';

export interface PublicUrl {
  url: string;
  host: string;
  port: number;
  /** Checked address; connect to it, so that a second look-up cannot lead elsewhere. */
  address: string;
}

interface Policy {
  /** True when the operator lets the server reach private addresses, and by plain http too. */
  allowsPrivate?: boolean;
}

/**
 * Checks a URL from a user. Throws Fault VALIDATION_FAILED for anything but https without credentials, FORBIDDEN
 * when any of its addresses is not public.
 */
export async function requirePublicHttps(
  text: string,
  resolve: Resolve = resolveHost,
  { allowsPrivate = false }: Policy = {},
): Promise<PublicUrl> {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url?.protocol === 'http:' && allowsPrivate;
  if (!url || (url.protocol !== 'https:' && !isPlain) || url.username !== '' || url.password !== '') {
    throw new Fault('VALIDATION_FAILED', 'Only https URLs without credentials can be used.', {
      hint: 'Give a URL such as https://host/owner/repository.git.',
    });
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = ipaddr.isValid(host) ? [host] : await resolve(host).catch(() => []);
  const [address] = addresses;
  if (address === undefined) {
    throw new Fault('VALIDATION_FAILED', `${host} has no address.`, { hint: 'Check the name of the host.' });
  }
  if (!allowsPrivate && !addresses.every(isPublicAddress)) {
    throw new Fault('FORBIDDEN', `${host} leads to a private address.`, { hint: 'Use a host on the public internet.' });
  }
  return { url: url.href, host, port: Number(url.port || (isPlain ? 80 : 443)), address };
}
