// Calls to addresses that a user gave: never to a cloud's metadata, and to private networks only where a tenant may.
import { lookup as systemLookup } from 'node:dns';
import * as http from 'node:http';
import * as https from 'node:https';
import type { LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { isPublicAddress, isServerAddress, literalAddress } from '../kernel/addresses.ts';
import { Fault } from '../kernel/fault.ts';

/** How far the calls of a provider go. */
export type Reach = 'private' | 'public';

/** As Node's own, by which a connection is kept for the next call. */
const keeping = { keepAlive: true, timeout: 5000 };
/** Statuses whose responses may have no body. */
const bodiless = new Set([204, 205, 304]);

/**
 * `fetch` for a provider that a user has set up. Addresses are judged when the connection is made, so that a name cannot
 * lead elsewhere at its second look-up; redirects are refused. Rejects as fetch does, with a Fault for what is refused.
 */
export function reachingFetch(reach: Reach, lookup: LookupFunction = systemLookup as LookupFunction): typeof fetch {
  const may = reach === 'public' ? isPublicAddress : isServerAddress;
  const guarded = guardedLookup(may, lookup);
  // Their own: a connection that reached further is not for everybody.
  const agents = { 'http:': new http.Agent(keeping), 'https:': new https.Agent(keeping) };
  return async (input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    const literal = literalAddress(url);
    if (literal !== null && !may(literal)) throw outOfReach(url.hostname);
    const body = request.body === null ? null : Buffer.from(await request.arrayBuffer());
    const response = await send(url, request, body, {
      lookup: guarded,
      agent: agents[url.protocol as keyof typeof agents],
    });
    const { statusCode: status = 0, statusMessage: statusText = '' } = response;
    if (status >= 300 && status < 400 && status !== 304) {
      response.destroy();
      throw new Fault('NOT_CONFIGURED', 'The provider answered with a redirect.', {
        hint: 'Give the base URL at which the provider itself answers.',
      });
    }
    const headers = new Headers();
    for (let at = 0; at < response.rawHeaders.length; at += 2)
      headers.append(response.rawHeaders[at] as string, response.rawHeaders[at + 1] as string);
    if (bodiless.has(status)) response.resume();
    const stream = bodiless.has(status) ? null : (Readable.toWeb(response) as ReadableStream<Uint8Array>);
    return new Response(stream, { status, statusText, headers });
  };
}

function send(
  url: URL,
  { method, headers, signal }: Request,
  body: Buffer | null,
  options: { lookup: LookupFunction; agent: http.Agent },
): Promise<http.IncomingMessage> {
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: Object.fromEntries(headers), signal, ...options }, resolve);
    sent.once('error', (error: Error) => {
      if (signal.aborted) reject(signal.reason);
      else reject(error instanceof Fault ? error : new TypeError('fetch failed', { cause: error }));
    });
    sent.end(body ?? undefined);
  });
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
  return new Fault('NOT_CONFIGURED', `${host} leads to an address that this provider may not reach.`, {
    hint: 'Use a host on the public internet, or ask the operator to set RIVULET_PRIVATE_PROVIDERS.',
  });
}
