// Proxies that calls to other servers go through, as HTTP_PROXY, HTTPS_PROXY and NO_PROXY name them. They are those of the
// process, as the variables are.
import * as http from 'node:http';
import * as https from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import * as tls from 'node:tls';
import ipaddr from 'ipaddr.js';
import { blockOf, liesIn } from './client-address.ts';
import { decoded } from './decoded.ts';
import { Fault } from './fault.ts';

export interface OutboundProxies {
  /** For calls by http. */
  http: URL | null;
  /** For calls by https, and for all other connections that go through a proxy. */
  https: URL | null;
  /** Whom to call directly: hosts with all below them, addresses, blocks, each with a port or not; `*` for all. */
  direct: readonly string[];
}

const none: OutboundProxies = { http: null, https: null, direct: [] };
/** A proxy that says nothing for so long answers no more. */
const silenceMs = 30_000;

type Names = (host: string, port: number) => boolean;

let proxies = none;
let direct: Names[] = [];

/** Sends the calls of this process through proxies from now on; through none without an argument. */
export function goThroughProxies(named: OutboundProxies = none): void {
  proxies = named;
  direct = named.direct.map(namedBy);
}

/** The proxy for calls to a URL; null where they go directly, as those to this machine always do. */
export function outboundProxy({ protocol, hostname, port }: Pick<URL, 'protocol' | 'hostname' | 'port'>): URL | null {
  const isPlain = protocol === 'http:';
  const proxy = isPlain ? proxies.http : proxies.https;
  if (proxy === null) return null;
  const host = nameOf(hostname);
  if (isThisMachine(host)) return null;
  const number = Number(port || (isPlain ? 80 : 443));
  return direct.some((names) => names(host, number)) ? null : proxy;
}

const nameOf = (hostname: string) => hostname.toLowerCase().replace(/^\[|\]$|\.$/g, '');

const isThisMachine = (host: string) =>
  host === 'localhost' ||
  host.endsWith('.localhost') ||
  (ipaddr.isValid(host) && ['loopback', 'unspecified'].includes(ipaddr.process(host).range()));

/** Tells whether an entry of NO_PROXY names a host. As with curl and Go, a name stands for all names below it, too. */
function namedBy(entry: string): Names {
  if (entry === '*') return () => true;
  // The colons of an address begin no port.
  const bare = blockOf(entry);
  const [, bracketed, plain, wanted] = bare
    ? []
    : (/^(?:\[([^\]]+)\]|(.*?))(?::(\d+))?$/.exec(entry.toLowerCase()) ?? []);
  const name = bracketed ?? plain ?? '';
  const block = bare ?? blockOf(name);
  const suffix = name.replace(/^\*?\./, '').replace(/\.$/, '');
  return (host, port) => {
    if (wanted !== undefined && Number(wanted) !== port) return false;
    if (ipaddr.isValid(host)) return block !== null && liesIn(host, [block]);
    return suffix !== '' && (host === suffix || host.endsWith(`.${suffix}`));
  };
}

/** How requests that go through a proxy are sent: what they say to it, besides what they say to the server. */
export interface Through {
  agent: http.Agent;
  /** Options of the request that differ. */
  options: Pick<https.RequestOptions, 'protocol' | 'hostname' | 'port' | 'servername' | 'path' | 'headers'>;
}

/** Keeps connections to and through proxies. `keeping` is what agents of direct connections have. */
export function createThrough(keeping: http.AgentOptions): (proxy: URL, url: URL) => Through {
  const agents = new Map<string, http.Agent>();
  const agentOf = (proxy: URL, isTunnel: boolean) => {
    const key = `${isTunnel} ${proxy.href}`;
    const agent =
      agents.get(key) ??
      (isTunnel
        ? new TunnelAgent(proxy, keeping)
        : proxy.protocol === 'https:'
          ? new https.Agent(keeping)
          : new http.Agent(keeping));
    agents.set(key, agent);
    return agent;
  };
  return (proxy, url) => {
    if (url.protocol === 'https:') return { agent: agentOf(proxy, true), options: {} };
    return { agent: agentOf(proxy, false), options: askingFor(proxy, url) };
  };
}

/** Options of a request that asks a proxy for an http URL. */
export const askingFor = (proxy: URL, url: URL): Through['options'] => ({
  ...addressOf(proxy),
  path: `http://${url.host}${url.pathname}${url.search}`,
  headers: { host: url.host, ...authorizationOf(proxy) },
});

/** Opens TLS connections through a proxy. */
class TunnelAgent extends https.Agent {
  readonly #proxy: URL;

  constructor(proxy: URL, options: https.AgentOptions) {
    super(options);
    this.#proxy = proxy;
  }

  override createConnection(
    options: https.RequestOptions,
    done?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    openTunnel(this.#proxy, options.host ?? '', Number(options.port)).then(
      (socket) => done?.(null, tls.connect({ ...(options as tls.ConnectionOptions), socket })),
      (error: Error) => done?.(error, undefined as never),
    );
  }
}

/**
 * A connection to a host, through a proxy.
 *
 * @throws Fault NOT_CONFIGURED where the proxy wants other credentials, otherwise an Error that names the proxy
 */
export function openTunnel(proxy: URL, host: string, port: number): Promise<Socket> {
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return new Promise((resolve, reject) => {
    const asked = (proxy.protocol === 'https:' ? https : http).request({
      ...addressOf(proxy),
      ...{ method: 'CONNECT', path: authority, agent: false, timeout: silenceMs },
      headers: { host: authority, ...authorizationOf(proxy) },
    });
    asked.once('connect', ({ statusCode = 0 }, socket: Socket, first: Buffer) => {
      if (statusCode >= 200 && statusCode < 300) {
        socket.setTimeout(0);
        if (first.length > 0) socket.unshift(first);
        return resolve(socket);
      }
      socket.destroy();
      reject(refusal(proxy, statusCode, host));
    });
    asked.once('timeout', () => asked.destroy(new Error('it says nothing')));
    asked.on('error', ({ message }) => reject(new Error(`The proxy ${proxy.host} cannot be reached: ${message}`)));
    asked.end();
  });
}

/** What it means that a proxy, not the server, answered with a status. */
export const refusal = (proxy: URL, status: number, host: string): Error =>
  status === 407
    ? new Fault('NOT_CONFIGURED', `The proxy ${proxy.host} wants a name and a password, or others.`, {
        hint: 'Give them in HTTP_PROXY and HTTPS_PROXY: http://name:password@host:port.',
        isFinal: true,
      })
    : new Error(`The proxy ${proxy.host} answered ${status} for ${host}.`);

function addressOf(proxy: URL) {
  const { protocol, port } = proxy;
  const hostname = proxy.hostname.replace(/^\[|\]$/g, '');
  // TLS with the proxy is about its name, which Node would take from the header `host`.
  const servername = ipaddr.isValid(hostname) ? '' : hostname;
  return { protocol, hostname, port: Number(port || (protocol === 'https:' ? 443 : 80)), servername };
}

function authorizationOf({ username, password }: URL): { 'proxy-authorization'?: string } {
  if (username === '' && password === '') return {};
  const text = `${decoded(username)}:${decoded(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(text).toString('base64')}` };
}
