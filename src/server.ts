// Puts a server together from its parts, starts it, and takes it down in order.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type SetupResult, setUp } from './auth/setup.ts';
import type { Config } from './config.ts';
import { scriptedOnly, startDemoRun } from './groups/agent/runs/demo-run.ts';
import { createDocumentBy } from './groups/docs/delivered.ts';
import { parts } from './groups/parts.ts';
import { reportNode } from './groups/system/node-report.ts';
import { createWorkspaceRecords } from './groups/workspaces/records.ts';
import { createClientAddress } from './kernel/client-address.ts';
import { type Clock, systemClock } from './kernel/clock.ts';
import { localUrl } from './kernel/local-url.ts';
import type { Logger } from './kernel/logger.ts';
import { createRounds } from './kernel/rounds.ts';
import type { Indexes } from './memory/ports.ts';
import type { Publisher } from './ports/stream.ts';
import { createPolicies } from './ports/tenant-policy.ts';
import { createProjectAccess } from './projects/access.ts';
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
import { auditSubjects } from './wiring/audit-subjects.ts';
import { type OpenChat, openChat } from './wiring/chat.ts';
import { openMail } from './wiring/mail.ts';
import { openMemory } from './wiring/memory.ts';
import { type OpenModels, openModels } from './wiring/models.ts';
import { openPeople, type People } from './wiring/people.ts';
import { repairOfProjects } from './wiring/projects.ts';
import { startRetention } from './wiring/retention.ts';
import { type OpenRoutines, openRoutines } from './wiring/routines.ts';
import { type OpenRuntime, openRuntime } from './wiring/runtime.ts';
import { openSandboxes } from './wiring/sandboxes.ts';
import { createServices } from './wiring/services.ts';
import { openSites } from './wiring/sites.ts';
import { openSocketLife, type SocketLife } from './wiring/socket-life.ts';
import { openStorage, type Storage } from './wiring/storage.ts';
import { type OpenStreams, openStreams } from './wiring/streams.ts';
import { openWeb } from './wiring/web.ts';
import { type OpenWebhooks, openWebhooks } from './wiring/webhooks.ts';
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
  const node = await startNode({ config, log, clock }, keep);
  const storage = keep(await openStorage({ config, clock, log }));
  // What the store has just made.
  closeDataFolder(config.dataDir, log, 'debug');
  const mailer = keep(await openMail({ config, clock }));
  const state = { port: config.port, shuttingDown: () => false };
  const url = () => localUrl(config.host, state.port);
  const policies = createPolicies({ db: storage.db, clock });
  const people = openPeople({
    ...{ config, storage, mailer, policies, clock, log, projectRights: createProjectAccess(storage).rightsOf },
    publicUrl: () => config.publicUrl ?? url(),
    recheck: () => streams.recheck({}),
    seed: async (tenantId) => {
      await runtime.roles.seed(tenantId);
      await runtime.profiles.seed(tenantId, runtime.roles);
    },
  });
  const setup = await setUp({ ...storage, ...people, clock, secret: config.secret }, { adminKey: config.adminKey });
  const ears: Ears = {};
  const streams = keep(
    await openStreams({
      ...{ ...config, ...node, storage, authenticator: people.authenticator, checkEvents: config.checkResponses },
      // No socket opens before everything that it may reach is there.
      sockets: {
        onPublish: (caller, event) => socketLife.onPublish(caller, event),
        onPresence: (change) => socketLife.onPresence(change),
        isToolName: (name) => socketLife.isToolName(name),
      },
      ...hearing(ears),
    }),
  );
  const [{ tenantId }, { publisher }] = [setup, streams];
  const opened = keep(openModels({ ...node, operatorTenantId: tenantId, storage, policies, publisher }));
  const models = { ...opened, router: traceEmbeddings(opened.router), model: traceModel(opened.model, node.metrics) };
  const { indexes } = keep(await openMemory({ config, storage, router: models.router, clock }));
  const places = await openRunPlaces({ ...node, storage, streams }, keep);
  const runtime = keep(
    await openRuntime({
      ...{ ...node, ...models, storage, streams, policies, indexes, sandboxes: places.sandboxes },
      chatDecisions: (told) => chats.takeDecision(told),
      ...(config.otlpEndpoint ? { tracing: traceRuns() } : {}),
    }),
  );
  const chats: OpenChat = keep(openChat({ ...node, ...models, storage, streams, policies, runtime }));
  const routines = keep(openRoutines({ ...node, storage, streams, runtime }));
  const webhooks = keep(openWebhooks({ ...node, storage, streams, runtime, policies, tenantId }));
  Object.assign(ears, { routines, webhooks });
  const socketLife: SocketLife = keep(await openSocketLife({ ...node, storage, streams, runtime, tenantId }));
  const findRuns = (runIds: readonly number[]) => storage.runs.runs.many(runIds);
  keep(keepFilesTidy({ ...places.sandboxes, findRuns, keptMs: config.filesKeptMs, clock, log }));
  await people.tenants.refreshAll();
  const server = { ...node, ...places, storage, streams, people, models, indexes, runtime, chats, tenantId, url };
  const web = await openDoors({ ...server, routines, webhooks }, state, keep);
  await storage.startRepairs();
  for (const part of [runtime.engine, chats, routines, webhooks]) await part.run();
  keep(startRetention({ ...node, storage, policies, engine: runtime.engine }));
  await startDemoRun({ ...runtime, setup, defaultModelId: models.model.defaultModelId(), log });
  return {
    url: url(),
    port: web.port,
    transport: web.transport,
    firstBoot: credentials(setup, url()),
    credentialsShown: setup.complete,
    facts: { store: storage.kind, model: models.model.defaultModelId(), mail: mailer.where },
    publisher,
  };
}

/** What hears of events, from when it is open. */
interface Ears {
  routines?: OpenRoutines;
  webhooks?: OpenWebhooks;
}

const hearing = (ears: Ears): Pick<Parameters<typeof openStreams>[0], 'hear' | 'hearAgain'> => ({
  hear: (event) => {
    const [woken, sent] = [ears.routines?.hear(event) ?? null, ears.webhooks?.hear(event) ?? null];
    return woken && sent ? Promise.all([woken, sent]).then(() => {}) : (woken ?? sent);
  },
  hearAgain: (event) => ears.webhooks?.hear(event) ?? null,
});

/** What stands before anything is opened: the node's name, metrics and traces, and a data folder that is closed to others. */
async function startNode({ config, log, clock }: Required<StartOptions>, keep: Keep) {
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
  return { config, log, clock, nodeId, metrics, clientAddress: createClientAddress(config.trustedProxies) };
}
type Node = Awaited<ReturnType<typeof startNode>>;

/** Where runs work: sandboxes and workspaces. */
async function openRunPlaces(
  { config, clock, log, storage, streams }: Node & { storage: Storage; streams: OpenStreams },
  keep: Keep,
) {
  const { db, ids, runs } = storage;
  const records = createWorkspaceRecords({ db, ids, clock });
  const sandboxes = keep(
    await openSandboxes({
      ...{ config, clock, log, publisher: streams.publisher },
      findRun: (id) => runs.runs.get(id),
      eventsOf: runs.runs.events,
      sharedPlaceOf: createSharedPlaces(records),
      documentBy: createDocumentBy({ db }),
      repositoryOf: createProjectAccess({ db }).repositoryOf,
    }),
  );
  const folder =
    storage.kind === 'MongoDB' ? await checkWorkspaceFolder({ db, directory: sandboxes.folder, log }) : null;
  const workspaces = keep(openWorkspaces({ storage, records, workspaces: sandboxes.workspaces, clock, log }));
  return { sandboxes, workspaces, placeChecks: [sandboxes.health, ...(folder ? [folder] : [])] };
}

interface Inside extends Node, Awaited<ReturnType<typeof openRunPlaces>> {
  storage: Storage;
  streams: OpenStreams;
  people: People;
  models: OpenModels;
  indexes: Indexes;
  runtime: OpenRuntime;
  chats: OpenChat;
  routines: OpenRoutines;
  webhooks: OpenWebhooks;
  tenantId: number;
  url: () => string;
}

/** What the server is to the outside: services over HTTP and sockets, what parts do in the background, the node's report. */
async function openDoors(inside: Inside, state: { port: number; shuttingDown: () => boolean }, keep: Keep) {
  const { clock, log, nodeId, storage, streams, people, runtime, indexes, tenantId } = inside;
  const { authenticator } = people;
  const findRun = storage.runs.runs.get;
  const { db, ids, signer, versions } = storage;
  const base = { ...{ db, ids, signer, versions, clock, indexes, findRun }, publisher: streams.publisher };
  const rounds = keep(createRounds({ clock, log }));
  for (const round of parts.flatMap((part) => part.rounds?.(base) ?? [])) rounds.start(round);
  rounds.start(repairOfProjects(base));
  const shuttingDown = () => state.shuttingDown();
  const system = systemOf(inside, shuttingDown);
  const services = createServices({ ...inside, system });
  const audits = parts.flatMap((part) => part.audit?.(base) ?? []);
  const auditSubjectOf = auditSubjects(storage.db, storage.auth);
  const sites = keep(await openSites({ ...inside, publisher: streams.publisher }));
  const opened = { ...inside, sites, services, authenticator, inbox: runtime.inbox, audits, auditSubjectOf };
  const web = keep(await openWeb(opened));
  state.port = web.port;
  state.shuttingDown = () => web.shuttingDown;
  keep(
    reportNode({
      ...{ streams, clock, nodeId, tenantId, version, checks: system.checks, shuttingDown },
      activeRuns: () => runtime.engine.stats().running,
      requests: () => web.requests,
    }),
  );
  return web;
}

/** What the server tells of itself. */
const systemOf = (inside: Inside, shuttingDown: () => boolean) => ({
  clock: inside.clock,
  registrationMode: async () => (await inside.people.policies.of(inside.tenantId)).registrationMode,
  metrics: inside.metrics,
  operatorTenantId: inside.tenantId,
  version,
  commit: null,
  features: () => [
    'runs',
    'streams',
    'openapi',
    'workspaces',
    ...(inside.sandboxes.driver.driver ? ['sandbox'] : []),
    ...(scriptedOnly(inside.models.model.defaultModelId()) ? ['scripted-only'] : []),
  ],
  publicUrl: inside.url,
  checks: [
    { name: `store (${inside.storage.kind})`, required: true, check: () => inside.storage.db.ping().then(() => null) },
    ...inside.placeChecks,
  ],
  shuttingDown,
});

function credentials({ firstBoot }: SetupResult, url: string): RivuletServer['firstBoot'] {
  return firstBoot && { adminKey: firstBoot.adminKey, signInUrl: `${url}/#/signin?token=${firstBoot.signInToken}` };
}
