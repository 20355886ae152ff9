// Puts a server together from its parts, starts it, and takes it down in order.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type SetupResult, setUp } from './auth/setup.ts';
import type { Config } from './config.ts';
import { scriptedOnly, startDemoRun } from './groups/agent/runs/demo-run.ts';
import { parts } from './groups/parts.ts';
import { reportNode } from './groups/system/node-report.ts';
import { createWorkspaceRecords } from './groups/workspaces/records.ts';
import { createClientAddress } from './kernel/client-address.ts';
import { type Clock, systemClock } from './kernel/clock.ts';
import { localUrl } from './kernel/local-url.ts';
import type { Logger } from './kernel/logger.ts';
import { createRounds } from './kernel/rounds.ts';
import type { Publisher } from './ports/stream.ts';
import { openRetention } from './retention/rules.ts';
import { keepFilesTidy } from './run-places/file-retention.ts';
import { createSharedPlaces } from './run-places/workspace-files.ts';
import { checkWorkspaceFolder } from './run-places/workspace-folder.ts';
import { closeDataFolder } from './stores/data-folder.ts';
import { createMetrics } from './telemetry/metrics.ts';
import { exportMetrics } from './telemetry/otlp-metrics.ts';
import { traceEmbeddings, traceModel } from './telemetry/trace-model.ts';
import { traceRuns } from './telemetry/trace-runs.ts';
import { startTracing } from './telemetry/tracing.ts';
import { version } from './version.ts';
import { type OpenChat, openChat } from './wiring/chat.ts';
import { openEngine } from './wiring/engine.ts';
import { openMail } from './wiring/mail.ts';
import { openModels } from './wiring/models.ts';
import { openPeople } from './wiring/people.ts';
import { openSandboxes } from './wiring/sandboxes.ts';
import { createServices } from './wiring/services.ts';
import { openSocketLife, type SocketLife } from './wiring/socket-life.ts';
import { openStorage } from './wiring/storage.ts';
import { openStreams } from './wiring/streams.ts';
import { openWeb } from './wiring/web.ts';
import { openWorkspaces } from './wiring/workspaces.ts';

export interface RivuletServer {
  /** Base URL to reach it by from this machine. */
  url: string;
  port: number;
  /** Which HTTP adapter is on, and why. */
  transport: { name: 'uws' | 'node'; reason: string };
  /** Credentials to show, on the first boot only. */
  firstBoot: { adminKey: string | null; signInUrl: string } | null;
  /** Says that the credentials were shown; until then each boot makes new ones. */
  credentialsShown(): Promise<void>;
  /** Facts for the boot message. */
  facts: { store: string; model: string; mail: string };
  /** Publishes to the server's topics from within its process, for programs that embed it. */
  publisher: Publisher;
  /** Stops taking work, lets requests and turns finish, sends streams away, closes the stores. */
  close(): Promise<void>;
}

interface StartOptions {
  config: Config;
  log: Logger;
  clock?: Clock;
}

/** Registers how a part ends; parts end in reverse order. */
type Keep = <T extends { close(): Promise<unknown> }>(part: T) => T;

/**
 * Starts a server.
 *
 * @throws Fault or Error with a message for the operator when a part cannot start; what had started is stopped again
 */
export async function startServer({ config, log, clock = systemClock }: StartOptions): Promise<RivuletServer> {
  const parts: { close(): Promise<unknown> }[] = [];
  const closeAll = async () => {
    for (const part of parts.splice(0).reverse())
      await part.close().catch((error: unknown) => log.error({ err: error }, 'a part did not stop cleanly'));
  };
  const keep: Keep = (part) => {
    parts.push(part);
    return part;
  };
  try {
    return { ...(await open({ config, log, clock }, keep)), close: closeAll };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

async function open({ config, log, clock }: Required<StartOptions>, keep: Keep): Promise<Omit<RivuletServer, 'close'>> {
  if (config.qdrant)
    log.warn('QDRANT_URL is set, but nothing uses it yet: vectors come with memories, which this version has not');
  const nodeId = `${hostname()}-${randomUUID().slice(0, 8)}`;
  const metrics = createMetrics();
  const exporting = {
    endpoint: config.otlpEndpoint,
    resource: { 'service.name': 'rivulet', 'service.version': version, 'service.instance.id': nodeId },
    logger: log,
  };
  keep({ close: await startTracing(exporting) });
  keep({ close: await exportMetrics({ ...exporting, metrics }) });
  closeDataFolder(config.dataDir, log);
  const storage = keep(await openStorage({ config, clock, log }));
  // What the store has just made.
  closeDataFolder(config.dataDir, log, 'debug');
  const { auth, ids } = storage;
  const mailer = keep(await openMail({ config, clock }));
  const people = openPeople({
    config,
    storage,
    mailer,
    clock,
    log,
    publicUrl: () => config.publicUrl ?? url(),
    recheck: () => streams.recheck({}),
    seed: async (tenantId) => {
      await agents.roles.seed(tenantId);
      await agents.profiles.seed(tenantId, agents.roles);
    },
  });
  const { sessions, authenticator } = people;
  const setup = await setUp({ auth, ids, sessions, clock, secret: config.secret }, { adminKey: config.adminKey });
  const clientAddress = createClientAddress(config.trustedProxies);
  const streams = keep(
    await openStreams({
      storage,
      authenticator,
      clock,
      log,
      nodeId,
      metrics,
      redisUrl: config.redisUrl,
      clientAddress,
      connectionsPerKey: config.connectionsPerKey,
      corsOrigins: config.corsOrigins,
      subscriptionsPerKey: config.subscriptionsPerKey,
      topicsPerKey: config.topicsPerKey,
      streamBytes: config.streamBytes,
      checkEvents: config.checkResponses,
      // No socket opens before everything that it may reach is there.
      sockets: {
        onPublish: (caller, event) => socketLife.onPublish(caller, event),
        onPresence: (change) => socketLife.onPresence(change),
        isToolName: (name) => socketLife.isToolName(name),
      },
    }),
  );
  const models = keep(
    openModels({ config, operatorTenantId: setup.tenantId, storage, publisher: streams.publisher, clock, log }),
  );
  const router = traceEmbeddings(models.router);
  const model = traceModel(models.model, metrics);
  const workspaceRecords = createWorkspaceRecords({ db: storage.db, ids, clock });
  const sandboxes = keep(
    await openSandboxes({
      config,
      clock,
      log,
      publisher: streams.publisher,
      findRun: (id) => storage.runs.runs.get(id),
      eventsOf: storage.runs.runs.events,
      sharedPlaceOf: createSharedPlaces(workspaceRecords),
    }),
  );
  const workspaceFolder =
    storage.kind === 'MongoDB' && (await checkWorkspaceFolder({ db: storage.db, directory: sandboxes.folder, log }));
  const workspaces = keep(
    openWorkspaces({ storage, records: workspaceRecords, workspaces: sandboxes.workspaces, clock, log }),
  );
  const agents = keep(
    await openEngine({
      storage,
      streams,
      model,
      router,
      clock,
      log,
      metrics,
      sandboxes,
      chatDecisions: (told) => chats.takeDecision(told),
      ...(config.otlpEndpoint ? { tracing: traceRuns() } : {}),
    }),
  );
  const { tenantId } = setup;
  const chats: OpenChat = keep(openChat({ storage, streams, agents, model, router, clock, log, metrics }));
  const socketLife: SocketLife = keep(await openSocketLife({ storage, streams, agents, clock, log, nodeId, tenantId }));
  keep(
    keepFilesTidy({
      ...sandboxes,
      findRuns: (ids) => storage.runs.runs.many(ids),
      keptMs: config.filesKeptMs,
      clock,
      log,
    }),
  );
  await people.tenants.refreshAll();
  await storage.startRepairs();
  const rounds = keep(createRounds({ clock, log }));
  const base = { db: storage.db, ids, clock, publisher: streams.publisher };
  for (const round of parts.flatMap((part) => part.rounds?.(base) ?? [])) rounds.start(round);

  const state = { port: config.port, shuttingDown: () => false };
  const url = () => localUrl(config.host, state.port);
  const system = {
    clock,
    registrationMode: async () => (await people.policies.of(setup.tenantId)).registrationMode,
    metrics,
    operatorTenantId: setup.tenantId,
    version,
    commit: null,
    features: () => [
      'runs',
      'streams',
      'openapi',
      'workspaces',
      ...(sandboxes.driver.driver ? ['sandbox'] : []),
      ...(scriptedOnly(model.defaultModelId()) ? ['scripted-only'] : []),
    ],
    publicUrl: url,
    checks: [
      { name: `store (${storage.kind})`, required: true, check: () => storage.db.ping().then(() => null) },
      sandboxes.health,
      ...(workspaceFolder ? [workspaceFolder] : []),
    ],
    shuttingDown: () => state.shuttingDown(),
  };
  const services = createServices({
    storage,
    streams,
    agents,
    models: { ...models, router, model },
    sandboxes,
    workspaces,
    chats,
    people,
    tenantId: setup.tenantId,
    system,
    clock,
  });
  const web = keep(
    await openWeb({
      config,
      services,
      storage,
      streams,
      authenticator,
      inbox: agents.inbox,
      audits: parts.flatMap((part) => part.audit?.(base) ?? []),
      clientAddress,
      clock,
      log,
      metrics,
    }),
  );
  state.port = web.port;
  state.shuttingDown = () => web.shuttingDown;
  keep(
    reportNode({
      streams,
      clock,
      nodeId,
      tenantId,
      version,
      activeRuns: () => agents.engine.stats().running,
      requests: () => web.requests,
      checks: system.checks,
      shuttingDown: state.shuttingDown,
    }),
  );
  await agents.engine.run();
  await chats.run();
  keep(openRetention({ db: storage.db, engine: agents.engine, config, clock, log, nodeId }));
  await startDemoRun({ ...agents, setup, defaultModelId: model.defaultModelId(), log });
  return {
    url: url(),
    port: web.port,
    transport: web.transport,
    firstBoot: credentials(setup, url()),
    credentialsShown: setup.complete,
    facts: { store: storage.kind, model: model.defaultModelId(), mail: mailer.where },
    publisher: streams.publisher,
  };
}

function credentials({ firstBoot }: SetupResult, url: string): RivuletServer['firstBoot'] {
  return firstBoot && { adminKey: firstBoot.adminKey, signInUrl: `${url}/#/signin?token=${firstBoot.signInToken}` };
}
