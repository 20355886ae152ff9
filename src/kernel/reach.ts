// Calls to addresses that a user gave: never to a cloud's metadata, and to private networks only where a tenant may.
import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isPublicAddress, isServerAddress, literalAddress } from './addresses.ts';
import { Fault } from './fault.ts';
import { createSend, isRedirect, type Send, signalOf, toResponse } from './http-send.ts';

/** How far calls go. */
export type Reach = 'private' | 'public';

const mayOf = (reach: Reach) => (reach === 'public' ? isPublicAddress : isServerAddress);

/** Whether a URL names an address that is out of reach; names are judged when they are called. */
export function namesOutOfReach(url: URL, reach: Reach): boolean {
  const literal = literalAddress(url);
  return literal !== null && !mayOf(reach)(literal);
}

/**
 * A `send` to an address that a user gave. Addresses are judged when the connection is made, so that a name cannot lead
 * elsewhere at its second look-up; redirects are answers like others, and not followed. Rejects as `send` does, with a
 * Fault for what is refused.
 */
export function guardedSend(reach: Reach, lookup: LookupFunction = systemLookup as LookupFunction): Send {
  const may = mayOf(reach);
  // Each reach has its own connection pool, so that a connection to a private network is not shared.
  const send = createSend(guardedLookup(may, lookup));
  return async (url, sending) => {
    if (namesOutOfReach(url, reach)) throw outOfReach(url.hostname);
    return send(url, sending);
  };
}

/** For each tenant the `send` that goes as far as the tenant may. */
export function guardedSends(reachOf: (tenantId: number) => Reach): (tenantId: number) => Send {
  const sends: Record<Reach, Send> = { public: guardedSend('public'), private: guardedSend('private') };
  return (tenantId) => sends[reachOf(tenantId)];
}

/** The same to a provider, of which a redirect is refused. */
export function reachingSend(reach: Reach, lookup?: LookupFunction): Send {
  const send = guardedSend(reach, lookup);
  return async (url, sending) => {
    const answer = await send(url, sending);
    if (!isRedirect(answer)) return answer;
    answer.destroy();
    throw new Fault('NOT_CONFIGURED', 'The provider answered with a redirect.', {
      hint: 'Give the base URL at which the provider itself answers.',
    });
  };
}

/** The same as a `fetch`. */
export function reachingFetch(reach: Reach, lookup?: LookupFunction): typeof fetch {
  const send = reachingSend(reach, lookup);
  return async (input, init) => {
    const request = new Request(input, init);
    const { url, method, headers } = request;
    const signal = signalOf(input, init);
    const body = request.body === null ? null : Buffer.from(await request.arrayBuffer());
    return toResponse(await send(new URL(url), { method, headers: Object.fromEntries(headers), body, signal }));
  };
}

/**
 * The address of a host that may be reached, for protocols beside HTTP: connect to it, not to the name. Rejects with a
 * Fault for what is refused, with the error of the look-up otherwise.
 */
export function reachableAddress(
  host: string,
  reach: Reach,
  lookup: LookupFunction = systemLookup as LookupFunction,
): Promise<string> {
  const may = mayOf(reach);
  const literal = literalAddress({ hostname: host });
  if (literal !== null) return may(literal) ? Promise.resolve(literal) : Promise.reject(outOfReach(host));
  return new Promise((resolve, reject) =>
    guardedLookup(may, lookup)(host, { all: false }, (error, found) =>
      error ? reject(error) : resolve(Array.isArray(found) ? (found[0]?.address ?? '') : found),
    ),
  );
}

/** A look-up that fails for names which lead to an address out of reach. */
function guardedLookup(may: (address: string) => boolean, lookup: LookupFunction): LookupFunction {
  return (hostname, options, done) =>
    lookup(hostname, options, (error, found, family) => {
      const addresses = error ? [] : Array.isArray(found) ? found.map(({ address }) => address) : [found];
      if (addresses.every(may)) done(error, found, family);
      else done(outOfReach(hostname), found, family);
    });
}

function outOfReach(host: string): Fault {
  return new Fault('NOT_CONFIGURED', `${host} leads to an address that may not be reached from here.`, {
    hint: 'Use a host on the public internet, or ask the operator to set RIVULET_PRIVATE_PROVIDERS, for connectors RIVULET_PRIVATE_CONNECTORS.',
  });
}
