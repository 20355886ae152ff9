// The door through which connectors and what is built on them call other servers: guarded, limited and quiet.
import type { LookupFunction } from 'node:net';
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import {
  type Answer,
  type ClientTls,
  headerOf,
  isRedirect,
  type Send,
  signalOf,
  toResponse,
} from '../kernel/http-send.ts';
import type { Logger } from '../kernel/logger.ts';
import { guardedSend, type Reach, reachableAddress } from '../kernel/reach.ts';
import type { Policies } from '../ports/tenant-policy.ts';
import { limited, readBytes } from './bytes.ts';
import { portOf, requireAllowedHost } from './hosts.ts';

export interface Going {
  tenantId: number;
  url: URL;
  /** GET unless given. */
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer | null;
  tls?: ClientTls | undefined;
  /** Milliseconds until the whole answer is there; 30 s unless given. */
  timeoutMs?: number;
  /** Bytes of the answer that are read; 1 MiB unless given. */
  maxBytes?: number;
  /** Redirects that are followed, each judged like the first address; 3 unless given. */
  redirects?: number;
  signal?: AbortSignal | undefined;
}

export interface Came {
  status: number;
  /** By lower-case name; values of repeated headers are joined with commas. */
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** True where the answer was longer than `maxBytes`. */
  truncated: boolean;
}

export interface FetchLimits {
  /** Milliseconds until the head of an answer is there; 30 s unless given. */
  timeoutMs?: number;
  /** Bytes of an answer, after which reading fails; no limit unless given, since streams have no end. */
  maxBytes?: number;
  tls?: ClientTls | undefined;
}

export interface Door {
  /**
   * Sends a request and reads its answer, whatever its status.
   *
   * @throws Fault NOT_CONFIGURED for an address out of reach, FORBIDDEN for a host that the tenant's policy does not
   *   list, CONNECTOR_TIMEOUT, CONNECTOR_ERROR when no answer came; the signal's reason when aborted. No message holds
   *   more of the URL than its host.
   */
  request(going: Going): Promise<Came>;
  /** A `fetch` for libraries, guarded in the same way; it follows no redirect and its bodies are streams. */
  fetch(tenantId: number, limits?: FetchLimits): typeof fetch;
  /**
   * The address of a host for protocols beside HTTP: connect to it and show the host's name in TLS.
   *
   * @throws Fault as `request`
   */
  addressOf(tenantId: number, host: string, port: number): Promise<string>;
}

export interface DoorDeps {
  reachOf(tenantId: number): Reach;
  policies: Pick<Policies, 'of'>;
  clock: Clock;
  log: Logger;
  /** How names are looked up; the system's way unless given. */
  lookup?: LookupFunction;
}

const usual = { timeoutMs: 30_000, maxBytes: 1024 * 1024, redirects: 3 };
/** Headers that go to another origin, too; all others may be credentials. */
const harmless = new Set(['accept', 'accept-language', 'content-type', 'user-agent']);

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small functions over the same connections.
export function createDoor({ reachOf, policies, clock, log, lookup }: DoorDeps): Door {
  const sends: Record<Reach, Send> = { public: guardedSend('public', lookup), private: guardedSend('private', lookup) };

  /** The send that goes as far as the tenant may, for one URL. */
  const judged = async (tenantId: number, url: URL): Promise<Send> => {
    if (url.protocol !== 'http:' && url.protocol !== 'https:')
      throw new Fault('NOT_CONFIGURED', 'Only http and https addresses can be called.', { isFinal: true });
    const { allowedConnectorHosts } = await policies.of(tenantId);
    requireAllowedHost(allowedConnectorHosts, url.hostname, portOf(url));
    return sends[reachOf(tenantId)];
  };

  const follow = async (going: Going, signal: AbortSignal): Promise<Answer> => {
    let { url, method = 'GET', headers = {}, body = null, tls } = going;
    for (let left = going.redirects ?? usual.redirects; ; left--) {
      const send = await judged(going.tenantId, url);
      const answer = await send(url, { method, headers, body, signal, tls });
      const location = headerOf(answer, 'location');
      if (!isRedirect(answer) || location === null) return answer;
      answer.destroy();
      if (left <= 0) throw failed(url, 'answered with too many redirects');
      const next = targetOf(url, location);
      if (next.origin !== url.origin) {
        headers = Object.fromEntries(Object.entries(headers).filter(([name]) => harmless.has(name.toLowerCase())));
        tls = undefined;
      }
      if (answer.statusCode === 303 || (method === 'POST' && (answer.statusCode ?? 0) < 303)) {
        method = method === 'HEAD' ? 'HEAD' : 'GET';
        body = null;
      }
      // What a request carries is for the server that it was written for.
      if (body !== null && next.origin !== url.origin) throw failed(url, 'sent a body on to another server');
      url = next;
    }
  };

  const request = async (going: Going): Promise<Came> => {
    const { tenantId, url, timeoutMs = usual.timeoutMs, maxBytes = usual.maxBytes } = going;
    const start = clock.steady();
    const late = timeLimit(clock, timeoutMs, going.signal);
    let status: number | null = null;
    try {
      const answer = await follow(going, late.signal);
      status = answer.statusCode ?? 0;
      const bytes = await readBytes(answer, maxBytes, late.signal);
      return { status, headers: headersOf(answer), ...bytes };
    } catch (error) {
      going.signal?.throwIfAborted();
      if (late.signal.aborted) throw tooLate(url, timeoutMs);
      if (error instanceof Fault) throw error;
      if (going.tls && refusesCertificate.test(reasonOf(error))) throw notLetIn(url, error);
      if (reasonOf(error) === 'ERR_INVALID_CHAR') throw failed(url, notSent, error);
      throw failed(url, `could not be reached: ${reasonOf(error)}`, error);
    } finally {
      late.cancel();
      const durationMs = Math.round(clock.steady() - start);
      log.debug({ tenantId, host: url.hostname, method: going.method ?? 'GET', status, durationMs }, 'called outside');
    }
  };

  return {
    request,
    fetch:
      (tenantId, { timeoutMs = usual.timeoutMs, maxBytes, tls } = {}) =>
      async (input, init) => {
        const asked = new Request(input as string, init);
        const signal = signalOf(input, init);
        const url = new URL(asked.url);
        const body = asked.body === null ? null : Buffer.from(await asked.arrayBuffer());
        const late = timeLimit(clock, timeoutMs, signal);
        try {
          const send = await judged(tenantId, url);
          const sending = { method: asked.method, headers: Object.fromEntries(asked.headers), body, tls };
          const answer = await send(url, { ...sending, signal: late.signal });
          return toResponse(answer, maxBytes === undefined ? answer : limited(answer, maxBytes));
        } catch (error) {
          signal?.throwIfAborted();
          throw late.signal.aborted ? tooLate(url, timeoutMs) : error;
        } finally {
          late.cancel();
        }
      },
    addressOf: async (tenantId, host, port) => {
      const { allowedConnectorHosts } = await policies.of(tenantId);
      requireAllowedHost(allowedConnectorHosts, host, port);
      try {
        return await reachableAddress(host, reachOf(tenantId), lookup);
      } catch (error) {
        throw error instanceof Fault
          ? error
          : new Fault('CONNECTOR_ERROR', `${host} could not be found: ${reasonOf(error)}.`, { cause: error });
      }
    },
  };
}

/** A signal that is aborted after a time or with another signal, until it is cancelled. */
function timeLimit(clock: Clock, ms: number, signal: AbortSignal | null | undefined) {
  const late = new AbortController();
  const cancel = clock.after(ms, () => late.abort(new Error('late')));
  return { signal: signal ? AbortSignal.any([late.signal, signal]) : late.signal, cancel };
}

/** Where a redirect leads. @throws Fault for a URL that is none, or that leaves TLS */
function targetOf(from: URL, location: string): URL {
  const next = URL.canParse(location, from.href) ? new URL(location, from) : null;
  if (!next || (from.protocol === 'https:' && next.protocol !== 'https:'))
    throw failed(from, 'answered with a redirect that is not followed');
  next.username = '';
  next.password = '';
  return next;
}

function headersOf({ rawHeaders }: Answer): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] as string).toLowerCase();
    headers[name] =
      headers[name] === undefined ? (rawHeaders[at + 1] ?? '') : `${headers[name]}, ${rawHeaders[at + 1]}`;
  }
  return headers;
}

const failed = (url: URL, what: string, cause?: unknown) =>
  new Fault('CONNECTOR_ERROR', `${url.hostname} ${what}.`, { cause });

const notSent = 'was not asked: a credential or header holds a letter that no header may have, such as "…"';

/** How servers refuse a certificate: by an alert of TLS, or by ending the connection after its handshake. */
const refusesCertificate = /_ALERT_|^ECONNRESET$|^EPIPE$/;

const notLetIn = (url: URL, cause: unknown) =>
  new Fault('CONNECTOR_ERROR', `${url.hostname} does not take the certificate it was shown: ${reasonOf(cause)}.`, {
    field: 'credentials',
    hint: 'See that it has not expired, and that the server knows the CA that has signed it.',
    cause,
  });

const tooLate = (url: URL, ms: number) =>
  new Fault('CONNECTOR_TIMEOUT', `${url.hostname} gave no whole answer within ${ms} ms.`, {
    hint: 'Try again later, or give it more time.',
  });

/** The connection's own word for what went wrong, e.g. `ECONNREFUSED`. */
function reasonOf(error: unknown): string {
  const { code, cause } = error as { code?: string; cause?: { code?: string } };
  return cause?.code ?? code ?? 'no connection';
}
