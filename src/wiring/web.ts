// The HTTP server: adapter, pipeline, pages and sockets on one port, and how it goes down.
import { fileURLToPath } from 'node:url';
import type { Authenticator } from '../auth/authenticator.ts';
import { mcpPath } from '../auth/oauth/resources.ts';
import type { Config } from '../config.ts';
import { buildAsyncApi } from '../contract/asyncapi/document.ts';
import { buildOpenApi } from '../contract/openapi/document.ts';
import type { AnyService } from '../contract/operation.ts';
import { addressOf, type OwnAddress, reachedAt } from '../groups/base-url.ts';
import { eventTypes } from '../groups/events.ts';
import { portableJsonSchema, portableSchemaPath } from '../groups/export/portable.ts';
import type { Inbox } from '../groups/messages/inbox.ts';
import { RealtimeEventDto } from '../groups/realtime/dto.ts';
import type { Exchange } from '../http/adapter.ts';
import { chooseAdapter } from '../http/adapters/choose.ts';
import { createHttpApp } from '../http/app.ts';
import type { A2aOptions, HttpAppOptions } from '../http/options.ts';
import { createBotPages, type ShownBots } from '../http/pages/bots.ts';
import { createDashboardPages, type Framers } from '../http/pages/dashboard.ts';
import { createDocsPage } from '../http/pages/docs.ts';
import { createDocumentPages } from '../http/pages/documents.ts';
import { createSitePages, type ShownSites } from '../http/pages/sites.ts';
import { byAddress, createRateLimiter } from '../http/rate-limit.ts';
import { trustedHeader } from '../http/request-info.ts';
import { shareLimiter } from '../http/shared-limiter.ts';
import type { ClientAddress } from '../kernel/client-address.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import { admitConnections, systemOpenFiles } from '../kernel/open-files.ts';
import { packageRoot } from '../kernel/package-root.ts';
import type { Audit, SubjectOf } from '../ports/audit.ts';
import { topicPatterns } from '../stream/log/topics.ts';
import { admit } from '../stream/transports/entrance.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { beginSpan } from '../telemetry/tracing.ts';
import { version } from '../version.ts';
import type { People } from './people.ts';
import type { Storage } from './storage.ts';
import type { OpenStreams } from './streams.ts';

interface Deps {
  config: Config;
  address: OwnAddress;
  services: AnyService[];
  sites: ShownSites;
  chats: { bots: ShownBots };
  framers: Framers;
  a2a: { agents: Pick<A2aOptions, 'byName'> };
  storage: Storage;
  streams: OpenStreams;
  authenticator: Authenticator;
  inbox: Inbox;
  people: Pick<People, 'policies'>;
  /** Who hears of writes and denied attempts. */
  audits: readonly Audit[];
  auditSubjectOf: SubjectOf;
  /** Throws where the server takes no such request for now. */
  closed: NonNullable<HttpAppOptions['closed']>;
  clientAddress: ClientAddress;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
}

/** Seconds' worth of requests that a caller may make at once: limits stop a loop gone wild, not a busy client. */
const burstSeconds = 3;
/** Wrong keys that an address may try. */
const failedSignInLimit = { perSecond: 1, burst: 30 };
/** A node keeps counts below this part of a burst to itself. */
const untoldShare = 300;
/** Milliseconds that requests under way get to finish at shutdown, and the interval of polling for their end. */
const drainMs = 10_000;
const lookMs = 25;

/** Where MCP clients read how to sign in (RFC 9728). */
const mcpMetadata = (base: string) => `${base}/.well-known/oauth-protected-resource${mcpPath}`;

export async function openWeb(deps: Deps) {
  const { config, address, storage, streams, authenticator, inbox, audits, clock, metrics } = deps;
  const log = deps.log.child({ domain: 'Http' });
  const { name, adapter, reason } = await chooseAdapter(config.transport);
  const observe = observer(metrics);
  let requests = 0;
  const limiters = openLimiters(deps);
  const publicUrl = () => addressOf(address);
  const baseOf = (exchange: Exchange) => reachedAt({ header: trustedHeader(exchange) }, address);
  const app = createHttpApp({
    services: deps.services,
    clock,
    log,
    authenticate: authenticator.authenticate,
    redeemTicket: (ticket) => admit(authenticator, streams.tickets, { ticket, ip: '' }),
    unreadMessages: (caller) => (caller.identityId === null ? 0 : inbox.unread(caller.tenantId, caller.identityId)),
    idempotency: storage.idempotency,
    ...(audits.length > 0 && {
      audit: async (operation) => void (await Promise.all(audits.map((one) => one(operation)))),
      auditSubjectOf: deps.auditSubjectOf,
    }),
    openStream: streams.respond,
    pages: pages(deps),
    mcp: { version, publicUrl, resourceMetadata: (exchange) => mcpMetadata(baseOf(exchange)) },
    a2a: { byName: deps.a2a.agents.byName, baseOf },
    alwaysOpen: new Set(['System_health', 'System_ready', 'System_info']),
    limits: limiters.limits,
    closed: deps.closed,
    corsOrigins: config.corsOrigins,
    checkResponses: config.checkResponses,
    observe: (answered) => {
      requests++;
      observe(answered);
    },
    ...(config.otlpEndpoint ? { trace: traceRequest } : {}),
  });
  const server = await adapter({
    host: config.host,
    port: config.port,
    handle: app.handle,
    webSocket: streams.webSocket,
    socketIo: streams.socketIo,
    clock,
    clientAddress: deps.clientAddress,
    waitingBytes: config.waitingBytes,
    admission: admitConnections(systemOpenFiles(), { clock, log }),
  });
  metrics.gauge('http_waiting_bytes', 'Bytes that wait for clients to take them.', () => server.waitingBytes);
  metrics.gauge('http_in_flight', 'Requests whose answers are not complete.', () => server.inFlight);

  return {
    port: server.port,
    transport: { name, reason },
    /** Requests answered since the start. */
    get requests() {
      return requests;
    },
    get shuttingDown() {
      return app.shuttingDown;
    },
    close: async () => {
      app.shutDown();
      server.stopListening();
      streams.drain();
      for (let waited = 0; server.inFlight > 0 && waited < drainMs; waited += lookMs) await clock.sleep(lookMs);
      await server.close();
      limiters.stop();
    },
  };
}

/** Rate limits of callers and of failed sign-ins, shared by all nodes. */
function openLimiters({ config, streams, people, clock }: Deps) {
  const open = (name: string, options: Omit<Parameters<typeof createRateLimiter>[0], 'clock'>) => {
    const { limit } = options;
    const limitOf = typeof limit === 'function' ? limit : () => limit;
    return shareLimiter({
      name,
      limiter: createRateLimiter({ ...options, clock }),
      signals: streams.limitSignals,
      clock,
      floor: (key) => Math.ceil(limitOf(key).burst / untoldShare),
    });
  };
  const mostOf = (name: string) => people.policies.last(Number.parseInt(name, 10)).requestsPerMinutePerKey;
  const ofTenant = open('requests of tenants', {
    limit: (name) => ({ perSecond: mostOf(name) / 60, burst: mostOf(name) }),
    refusal: (name, seconds) => ({
      message: `The tenant allows ${mostOf(name)} requests a minute of each key.`,
      hint: `Try again in ${seconds} s, or change requestsPerMinutePerKey with PUT /api/tenant-policy.`,
    }),
  });
  const perCaller = open('requests', {
    limit: () => ({ perSecond: config.requestsPerKey, burst: burstSeconds * config.requestsPerKey }),
  });
  const failedSignIns = open('failed sign-ins', { limit: failedSignInLimit });
  return {
    limits: {
      perCaller: perCaller.limiter,
      failedSignIns: byAddress(failedSignIns.limiter),
      ofTenant: ofTenant.limiter,
    },
    stop: () => {
      perCaller.stop();
      failedSignIns.stop();
      ofTenant.stop();
    },
  };
}

/** Where the operations are, for who reads of them: on the server that was asked, unless they are below a path. */
const serverOf = (publicUrl: string | null) =>
  publicUrl === null || new URL(publicUrl).pathname === '/' ? {} : { serverUrl: publicUrl };

/** The OpenAPI document of what is really served, its reference, and the dashboard where it was built. */
function pages({
  config,
  services,
  sites,
  chats,
  framers,
}: Pick<Deps, 'config' | 'services' | 'sites' | 'chats' | 'framers'>): Pages {
  const served = services.map(({ group }) => group);
  return firstOf(
    createDocumentPages(
      {
        '/openapi/v1.json': (publicUrl) => buildOpenApi(served, { version, ...serverOf(publicUrl) }),
        '/asyncapi/v1.json': (publicUrl) =>
          buildAsyncApi(eventTypes, topicPatterns.values(), {
            ...{ version, frame: RealtimeEventDto },
            ...serverOf(publicUrl),
          }),
        [portableSchemaPath]: portableJsonSchema,
      },
      () => config.publicUrl,
    ),
    createDocsPage(served, version),
    createSitePages(sites),
    createBotPages(chats.bots),
    createDashboardPages(fileURLToPath(new URL('dist/web', packageRoot)), framers),
  );
}

type Pages = (exchange: Exchange) => boolean | Promise<true>;

/** The first of several page servers that takes a request. */
function firstOf(...pages: Pages[]): Pages {
  return (exchange) => {
    for (const page of pages) {
      const taken = page(exchange);
      if (taken) return taken;
    }
    return false;
  };
}

function observer(metrics: Metrics) {
  const labels = ['route', 'method', 'status'];
  const seconds = metrics.histogram(
    'http_request_seconds',
    'Duration of requests.',
    labels,
    [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
  );
  return ({
    route,
    method,
    status,
    seconds: taken,
  }: {
    route: string;
    method: string;
    status: number;
    seconds: number;
  }) => seconds({ route, method, status: String(status) }, taken);
}

type Traced = Parameters<NonNullable<HttpAppOptions['trace']>>[0];

function traceRequest({ route, method, requestId, header }: Traced) {
  const span = beginSpan(
    `${method} ${route}`,
    { 'http.request.method': method, 'http.route': route, 'rivulet.request.id': requestId },
    'server',
    { traceparent: header('traceparent'), tracestate: header('tracestate') },
  );
  return {
    within: span.within,
    end: (status: number, error?: unknown) => {
      span.set({ 'http.response.status_code': status });
      span.end(status >= 500 ? error : undefined);
    },
  };
}
