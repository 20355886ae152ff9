// Puts a server together from its parts, starts it, and takes it down in order.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type SetupResult, setUp } from './auth/setup.ts';
import type { Config } from './config.ts';
import { addressOf, type OwnAddress } from './groups/base-url.ts';
import { startDemoRun } from './groups/demo/first-run.ts';
import { createDocumentBy } from './groups/docs/delivered.ts';
import type { PartBase } from './groups/part.ts';
import { parts } from './groups/parts.ts';
import { reportNode } from './groups/system/node-report.ts';
import { createWorkspaceRecords } from './groups/workspaces/records.ts';
import { createClientAddress } from './kernel/client-address.ts';
import { type Clock, systemClock } from './kernel/clock.ts';
import { localUrl } from './kernel/local-url.ts';
import { createLogTap, type LogTap } from './kernel/log-tap.ts';
import type { Logger } from './kernel/logger.ts';
import { heapAdvice } from './kernel/memory-limit.ts';
import { createRounds } from './kernel/rounds.ts';
import { createVault } from './kernel/vault.ts';
import type { Indexes } from './memory/ports.ts';
import type { Outside } from './outside/outside.ts';
import type { Mailer } from './ports/mail.ts';
import { gateOf } from './ports/queues.ts';
import { openServerState } from './ports/server-state.ts';
import type { Publisher } from './ports/stream.ts';
import { createPolicies } from './ports/tenant-policy.ts';
import { createProjectAccess } from './projects/access.ts';
import { keepFilesTidy } from './run-places/file-retention.ts';
import { checkSharedFolders } from './run-places/shared-folders.ts';
import { createSharedPlaces } from './run-places/workspace-files.ts';
import { closeDataFolder } from './stores/data-folder.ts';
import { createMetrics } from './telemetry/metrics.ts';
import { exportMetrics } from './telemetry/otlp-metrics.ts';
import { traceEmbeddings, traceModel } from './telemetry/trace-model.ts';
import { traceRuns } from './telemetry/trace-runs.ts';
import { startTracing } from './telemetry/tracing.ts';
import { version } from './version.ts';
import { auditSubjects } from './wiring/audit-subjects.ts';
import { openBilling } from './wiring/billing.ts';
import { type OpenChat, openChat } from './wiring/chat.ts';
import { openHearing } from './wiring/hearing.ts';
import { type OpenLogs, openLogDigests, openLogs } from './wiring/logs.ts';
import { openMail } from './wiring/mail.ts';
import { closedBy } from './wiring/maintenance/closed.ts';
import { type OpenMaintenance, openMaintenance } from './wiring/maintenance/open.ts';
import { openMemory } from './wiring/memory.ts';
import { type OpenModels, openModels } from './wiring/models.ts';
import { createNodeBook, type NodeBook } from './wiring/nodes.ts';
import { openOutside } from './wiring/outside.ts';
import { openPeople, type People } from './wiring/people.ts';
import { repairOfProjects } from './wiring/projects.ts';
import { createQueues } from './wiring/queues.ts';
import { ofStorage, startRetention } from './wiring/retention.ts';
import { openRunDetails } from './wiring/run-details.ts';
import { type OpenRuntime, openRuntime } from './wiring/runtime.ts';
import { openSandboxes } from './wiring/sandboxes.ts';
import { type OpenSending, openSending } from './wiring/sending.ts';
import { createServices } from './wiring/services.ts';
import { openSettings } from './wiring/settings.ts';
import { framersOfShares } from './wiring/shares.ts';
import { openSignInProviders } from './wiring/sign-in-providers.ts';
import { createSigningKeys } from './wiring/signing-keys.ts';
import { openSites } from './wiring/sites.ts';
import { openSocketLife, type SocketLife } from './wiring/socket-life.ts';
import { keepStampsRight } from './wiring/stamps.ts';
import { type OpenStarting, openStarting } from './wiring/starting.ts';
import { openStorage, type Storage } from './wiring/storage.ts';
import { createStores } from './wiring/stores.ts';
import { type OpenStreams, openStreams } from './wiring/streams.ts';
import { systemOf } from './wiring/system.ts';
import { openTraining } from './wiring/training.ts';
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
  /** Where the logger puts its lines, so that they are kept; none are without it. */
  tap?: LogTap;
  clock?: Clock;
  /** False for tests only: what an embedded store acknowledges is then lost with the machine's power, not the process. */
  durable?: boolean;
}

/** Registers how a part ends; parts end in reverse order. */
type Keep = <T extends { close(): Promise<unknown> }>(part: T) => T;

/**
 * Starts a server.
 *
 * @throws Fault or Error with a message for the operator when a part cannot start; what had started is stopped again
 */
export async function startServer({
  tap = createLogTap(),
  clock = systemClock,
  durable = true,
  ...given
}: StartOptions): Promise<RivuletServer> {
  const parts: { close(): Promise<unknown> }[] = [];
  const closeAll = async () => {
    for (const part of parts.splice(0).reverse())
      await part.close().catch((error: unknown) => given.log.error({ err: error }, 'a part did not stop cleanly'));
  };
  const keep: Keep = (part) => {
    parts.push(part);
    return part;
  };
  try {
    return { ...(await open({ ...given, tap, clock, durable }, keep)), close: closeAll };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

type Opened = Omit<RivuletServer, 'close'>;

async function open(options: Required<StartOptions>, keep: Keep): Promise<Opened> {
  const node = await openCore(options, keep);
  const { config, log, clock, storage, state, policies } = node;
  const mailer = keep(await openMail(node));
  const door = { port: config.port, shuttingDown: () => false };
  const address: OwnAddress = { publicUrl: () => config.publicUrl, localUrl: () => localUrl(config.host, door.port) };
  const projectRights = createProjectAccess({ ...storage, clock }).rightsOf;
  const people = openPeople({
    ...{ config, storage, mailer, policies, clock, log, projectRights },
    ...{ publicUrl: () => addressOf(address), tokenKeys: node.signingKeys, recheck: () => streams.recheck({}) },
    providers: await openSignInProviders(config.signInProviders, clock),
    seed: (tenantId) => seedRoles(runtime, tenantId),
  });
  const setup = await setUp({ ...storage, ...people, ...config, clock }, { adminKey: config.adminKey });
  const logs = keep(await openLogs({ ...node, tap: options.tap, storage, policies, tenantId: setup.tenantId }));
  const hearing = openHearing({ storage, clock, log });
  const streams = keep(
    await openStreams({
      ...{ ...config, ...node, storage, authenticator: people.authenticator, checkEvents: config.checkResponses },
      // No socket opens before everything that it may reach is there.
      sockets: hooksOf(() => socketLife),
      hear: hearing.hear,
    }),
  );
  const [{ tenantId }, { publisher, routerSignals: signals }] = [setup, streams];
  const opened = keep(openModels({ ...node, operatorTenantId: tenantId, storage, policies, publisher, signals }));
  const models = { ...opened, router: traceEmbeddings(opened.router), model: traceModel(opened.model, node.metrics) };
  const { indexes } = keep(await openMemory({ config, storage, router: models.router, clock }));
  const places = await openRunPlaces({ ...node, storage, streams }, keep);
  const outside = openOutside({ ...node, operatorTenantId: tenantId, policies, localUrl: address.localUrl, places });
  const ground = { storage, streams, indexes, outside };
  const runtime = keep(
    await openRuntime({
      ...{ ...node, ...models, ...ground, policies, sandboxes: places.sandboxes },
      gate: gateOf(state, 'runs'),
      chatDecisions: (told) => chats.takeDecision(told),
      ...(config.otlpEndpoint ? { tracing: traceRuns() } : {}),
    }),
  );
  const chats: OpenChat = keep(openChat({ ...node, ...models, storage, streams, policies, runtime }));
  const starting = keep(openStarting({ ...ground, ...node, runtime, models, gate: gateOf(state, 'routines') }));
  const work = { ...node, ...ground, runtime, chats, policies, routines: starting.routines, mailer, tenantId };
  const sending = openSending({ ...work, ...places, hearing, publicUrl: () => addressOf(address) }, keep);
  const training = keep(openTraining({ ...node, ...places, storage, streams, models, policies, tenantId, address }));
  const socketLife: SocketLife = keep(await openSocketLife({ ...node, storage, streams, runtime, tenantId }));
  await people.tenants.refreshAll();
  const server = { ...node, ...places, ...ground, people, models, runtime, chats, tenantId, address, starting };
  const base = partBase({ ...ground, clock });
  const maintenance = openUpkeep({ ...server, base, policies, logs, accessChanged: people.accessChanged }, keep);
  const web = await openDoors({ ...server, base, mailer, ...sending, logs, maintenance, hearing }, door, keep);
  await storage.startRepairs();
  keep(await keepStampsRight({ ...node, db: storage.db }));
  const working = [runtime.engine, chats, starting, ...Object.values(sending), hearing, training, maintenance];
  for (const part of working) await part.run();
  keep(startRetention({ ...node, storage, policies, engine: runtime.engine }));
  await startDemoRun({ ...runtime, setup, defaultModelId: models.model.defaultModelId(), log });
  return {
    url: address.localUrl(),
    port: web.port,
    transport: web.transport,
    firstBoot: credentials(setup, addressOf(address)),
    credentialsShown: setup.complete,
    facts: { store: storage.kind, model: models.model.defaultModelId(), mail: mailer.where },
    publisher,
  };
}

/** Maintenance, by request and by itself. */
function openUpkeep(upkeep: Omit<Parameters<typeof openMaintenance>[0], 'findRuns'>, keep: Keep) {
  const findRuns = (runIds: readonly number[]) => upkeep.storage.runs.runs.many(runIds);
  return keep(openMaintenance({ ...upkeep, findRuns }));
}

/** The roles and tool profiles that a tenant begins with. */
async function seedRoles({ roles, profiles }: OpenRuntime, tenantId: number): Promise<void> {
  await roles.seed(tenantId);
  await profiles.seed(tenantId, roles);
}

const hooksOf = (life: () => SocketLife): Parameters<typeof openStreams>[0]['sockets'] => ({
  onPublish: (caller, event) => life().onPublish(caller, event),
  onPresence: (change) => life().onPresence(change),
  isToolName: (name) => life().isToolName(name),
});

/** What stands before anything is opened: the node's name, metrics and traces, and a data folder that is closed to others. */
async function startNode({ config, log, clock }: Required<Omit<StartOptions, 'tap'>>, keep: Keep) {
  const nodeId = `${hostname()}-${randomUUID().slice(0, 8)}`;
  const metrics = createMetrics();
  const exporting = {
    endpoint: config.otlpEndpoint,
    resource: { 'service.name': 'rivulet', 'service.version': version, 'service.instance.id': nodeId },
    logger: log,
  };
  keep({ close: await startTracing(exporting) });
  keep({ close: await exportMetrics({ ...exporting, metrics }) });
  const advice = heapAdvice();
  if (advice) log.warn(advice);
  closeDataFolder(config.dataDir, log);
  return { config, log, clock, nodeId, metrics, clientAddress: createClientAddress(config.trustedProxies, log) };
}

/** The store, and what operators have set in it: the rest of the server is made by these settings. */
async function openCore(options: Required<StartOptions>, keep: Keep) {
  const { log, clock } = options;
  const started = await startNode(options, keep);
  const storage = keep(await openStorage(options));
  // What the store has just made.
  closeDataFolder(options.config.dataDir, log, { level: 'debug' });
  const alone = { alone: storage.kind === 'embedded' };
  const state = keep(await openServerState({ ...storage, clock, log, ...alone }));
  const settings = openSettings({ ...options, state });
  const vault = createVault({ ...settings.config, purpose: 'signing keys' });
  const signingKeys = createSigningKeys({ secret: settings.config.secret, vault, state, clock, ...alone });
  const policies = createPolicies({ ...storage, clock });
  return { ...started, config: settings.config, storage, state, settings, signingKeys, policies };
}
type Node = Awaited<ReturnType<typeof openCore>>;

/** What stands before the engine does. */
const partBase = (inside: Pick<Inside, 'storage' | 'streams' | 'indexes' | 'outside' | 'clock'>) => {
  const { storage, streams, indexes, outside, clock } = inside;
  const { db, ids, signer, versions, dataDir, runs } = storage;
  const stores = { db, ids, signer, versions, clock, indexes, outside, dataDir, ...ofStorage(storage) };
  return { ...stores, publisher: streams.publisher, findRun: runs.runs.get };
};

/** Where runs work: sandboxes and workspaces. */
async function openRunPlaces(
  { config, clock, log, storage, streams }: Node & { storage: Storage; streams: OpenStreams },
  keep: Keep,
) {
  const { db, ids, runs } = storage;
  const records = createWorkspaceRecords({ db, ids, clock });
  const sandboxes = keep(
    await openSandboxes({
      ...{ config, clock, log: log.child({ domain: 'Agent' }), publisher: streams.publisher },
      findRun: (id) => runs.runs.get(id),
      alone: storage.kind !== 'MongoDB',
      eventsOf: runs.runs.events,
      sharedPlaceOf: createSharedPlaces(records),
      documentBy: createDocumentBy({ db }),
      repositoryOf: createProjectAccess({ db, clock }).repositoryOf,
    }),
  );
  const folders = storage.kind === 'MongoDB' ? await checkSharedFolders({ db, dataDir: config.dataDir, log }) : [];
  const workspaces = keep(openWorkspaces({ storage, records, workspaces: sandboxes.workspaces, clock, log }));
  const findRuns = (runIds: readonly number[]) => runs.runs.many(runIds);
  keep(
    keepFilesTidy({ ...sandboxes, findRuns, keptMs: () => config.filesKeptMs, clock, now: storage.believedTime, log }),
  );
  return { sandboxes, workspaces, placeChecks: [sandboxes.health, ...folders] };
}

interface Inside extends Node, OpenSending, Awaited<ReturnType<typeof openRunPlaces>> {
  storage: Storage;
  streams: OpenStreams;
  people: People;
  models: OpenModels;
  indexes: Indexes;
  outside: Outside;
  runtime: OpenRuntime;
  chats: OpenChat;
  hearing: ReturnType<typeof openHearing>;
  starting: OpenStarting;
  logs: OpenLogs;
  maintenance: OpenMaintenance;
  base: PartBase;
  tenantId: number;
  mailer: Mailer;
  address: OwnAddress;
}

/** What the server is to the outside: services over HTTP and sockets, what parts do in the background, the node's report. */
async function openDoors(inside: Inside, door: { port: number; shuttingDown: () => boolean }, keep: Keep) {
  const {
    clock,
    log,
    nodeId,
    base,
    storage,
    streams,
    people,
    runtime,
    tenantId,
    webhooks,
    channels,
    a2a,
    maintenance,
  } = inside;
  const { authenticator } = people;
  const rounds = keep(createRounds({ clock, log }));
  for (const round of parts.flatMap((part) => part.rounds?.(base) ?? [])) rounds.start(round);
  const billing = openBilling(inside);
  for (const round of [repairOfProjects(base), billing.round]) rounds.start(round);
  const shuttingDown = () => door.shuttingDown();
  const nodes = keep(createNodeBook({ nodeId, clock, signals: streams.nodeSignals }));
  const stores = createStores(inside);
  const system = systemOf({ ...inside, checks: [...inside.placeChecks, ...stores.checks], shuttingDown });
  const operation = { maintenance: maintenance.service, infrastructure: infrastructureOf(inside, nodes, stores) };
  const details = keep(openRunDetails(inside));
  const digests = keep(openLogDigests(inside));
  const services = createServices({ ...inside, billing, details, digests, system, operation });
  const audits = parts.flatMap((part) => part.audit?.(base) ?? []);
  const auditSubjectOf = auditSubjects(storage.db, storage.auth);
  const sites = keep(
    await openSites({ ...inside, publisher: streams.publisher, gate: gateOf(inside.state, 'site-builds') }),
  );
  const closed = closedBy(inside.state, tenantId);
  const framers = framersOfShares(inside);
  const opened = {
    ...inside,
    framers,
    sites,
    services,
    authenticator,
    inbox: runtime.inbox,
    audits,
    auditSubjectOf,
    closed,
  };
  const web = keep(await openWeb(opened));
  door.port = web.port;
  door.shuttingDown = () => web.shuttingDown;
  keep(
    reportNode({
      ...{ ...system, streams, nodeId, tenantId, keep: nodes.report },
      activeJobs: () => webhooks.active() + channels.active() + a2a.active() + maintenance.active(),
      activeRuns: () => runtime.engine.stats().running,
      requests: () => web.requests,
    }),
  );
  return web;
}

const infrastructureOf = (inside: Inside, nodes: NodeBook, stores: ReturnType<typeof createStores>) => {
  const { clock, state, tenantId, storage, streams, runtime, starting, webhooks, channels, maintenance } = inside;
  const queues = createQueues({
    ...{ storage, engine: runtime.engine, clock, startRoutine: starting.routines.startRow },
    ...{ pokeWebhooks: webhooks.poke, pokeChannels: channels.poke, pokeMaintenance: maintenance.poke },
  });
  const seen = { nodes: nodes.list, stores: stores.list };
  return { clock, state, publisher: streams.publisher, operatorTenantId: tenantId, ...seen, queues };
};

function credentials({ firstBoot }: SetupResult, url: string): RivuletServer['firstBoot'] {
  return firstBoot && { adminKey: firstBoot.adminKey, signInUrl: `${url}/#/signin?token=${firstBoot.signInToken}` };
}
