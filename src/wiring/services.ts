// Every service of the interface with the ports that it takes.
import { userRecord } from '../auth/collections.ts';
import { createRanks } from '../auth/rank.ts';
import type { Config } from '../config.ts';
import type { AnyService } from '../contract/operation.ts';
import { agentAnalyticsService } from '../groups/agent/analytics/service.ts';
import { createRunStatistics } from '../groups/agent/analytics/statistics.ts';
import { agentBreakpointsService } from '../groups/agent/breakpoints/service.ts';
import { createPersonas } from '../groups/agent/briefings/personas.ts';
import { agentCouncilsService } from '../groups/agent/councils/service.ts';
import { agentEscalationsService } from '../groups/agent/escalations/service.ts';
import { agentFeedbackService } from '../groups/agent/feedback/service.ts';
import { agentRunFilesService } from '../groups/agent/files/service.ts';
import { agentMessagesService } from '../groups/agent/messages/service.ts';
import { agentNotesService } from '../groups/agent/notes/service.ts';
import { agentPauseChatService } from '../groups/agent/pause-chat/service.ts';
import { agentRolesService, roleSoulService } from '../groups/agent/roles/service.ts';
import { agentRoutinesService } from '../groups/agent/routines/service.ts';
import { createFindRun } from '../groups/agent/runs/find-run.ts';
import { createRunLog } from '../groups/agent/runs/run-log.ts';
import { agentRunsService } from '../groups/agent/runs/service.ts';
import { agentTasksService } from '../groups/agent/tasks/service.ts';
import { agentToolProfilesService } from '../groups/agent/tool-profiles/service.ts';
import { agentToolsService } from '../groups/agent/tools/service.ts';
import { agentFilesService } from '../groups/agent-files/service.ts';
import { createAiRouterServices } from '../groups/ai-router/services.ts';
import { authService } from '../groups/auth/service.ts';
import { addressOf } from '../groups/base-url.ts';
import { publicBotsService } from '../groups/bot-profiles/public-service.ts';
import { botProfileRecord } from '../groups/bot-profiles/record.ts';
import { botProfilesService } from '../groups/bot-profiles/service.ts';
import { channelRecord } from '../groups/channels/record.ts';
import { channelsService } from '../groups/channels/service.ts';
import { createMayReadChat } from '../groups/chat/access.ts';
import { createRunChats } from '../groups/chat/run-chats.ts';
import { chatService } from '../groups/chat/service.ts';
import { chatCompletionsCompatService } from '../groups/chat-completions/service.ts';
import { chatUiService } from '../groups/chat-ui/service.ts';
import { demoService } from '../groups/demo/service.ts';
import { globalSearchService } from '../groups/global-search/service.ts';
import { hydrationConfigService } from '../groups/hydration-config/service.ts';
import { createAwaiting } from '../groups/identities/awaiting.ts';
import { hintRecord } from '../groups/identities/hints/record.ts';
import { createIdentityServices } from '../groups/identities/services.ts';
import { type InfrastructureDeps, infrastructureService } from '../groups/infrastructure/service.ts';
import { logSubscriptionsService } from '../groups/log-subscriptions/service.ts';
import { type MaintenanceDeps, maintenanceService } from '../groups/maintenance/service.ts';
import { messagesService } from '../groups/messages/service.ts';
import { oauthService } from '../groups/oauth/service.ts';
import { createOAuthServer } from '../groups/oauth-server/server.ts';
import { oauthServerService } from '../groups/oauth-server/service.ts';
import { createShowMemberships } from '../groups/org-units/memberships.ts';
import type { PartBase } from '../groups/part.ts';
import { parts } from '../groups/parts.ts';
import { durableStreamsService, eventsService, webSocketService } from '../groups/realtime/service.ts';
import { relationshipsService } from '../groups/relationships/service.ts';
import { createHandoffs } from '../groups/session/handoffs.ts';
import { sessionService } from '../groups/session/service.ts';
import { supportService } from '../groups/support/service.ts';
import { type SystemDeps, systemService } from '../groups/system/service.ts';
import { systemLogsService } from '../groups/system-logs/service.ts';
import { createTaskBook } from '../groups/tasks/book.ts';
import { taskRecord } from '../groups/tasks/record.ts';
import { tasksService } from '../groups/tasks/service.ts';
import { tenantPolicyService } from '../groups/tenant-policy/service.ts';
import { createPersonalData } from '../groups/users/export/personal-data.ts';
import { usersService } from '../groups/users/service.ts';
import { webhooksService } from '../groups/webhooks/service.ts';
import { workspacesService } from '../groups/workspaces/service.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Indexes } from '../memory/ports.ts';
import { createInvitations } from '../org-units/invitations.ts';
import { createPeopleOfUnits } from '../org-units/people.ts';
import type { Outside } from '../outside/outside.ts';
import { modelSpec, routeSpec } from '../ports/ai-router.ts';
import { createKeeper } from '../ports/keeper.ts';
import type { Mailer } from '../ports/mail.ts';
import type { Perform } from '../ports/perform.ts';
import { type PerTenant, perTenant } from '../ports/tenanted.ts';
import { createProjectAccess } from '../projects/access.ts';
import { removeParts } from '../retention/rules.ts';
import { createRunFiles } from '../run-places/run-files.ts';
import {
  escalations as escalationCollection,
  type RunDocument,
  runs as runCollection,
} from '../stores/runs/collections.ts';
import type { OpenBilling } from './billing.ts';
import type { OpenChannels } from './channels.ts';
import type { OpenChat } from './chat.ts';
import { demoOf } from './demo.ts';
import type { OpenLogDigests, OpenLogs } from './logs.ts';
import type { OpenModels } from './models.ts';
import { createOrgUnitsService } from './org-units.ts';
import type { People } from './people.ts';
import { createPerform } from './perform.ts';
import { createProjectsServices, ofProjects } from './projects.ts';
import { ofRuns, ofStorage } from './retention.ts';
import type { OpenRunDetails } from './run-details.ts';
import type { OpenRuntime } from './runtime.ts';
import type { OpenSandboxes } from './sandboxes.ts';
import { servicesOfShares } from './shares.ts';
import type { OpenStarting } from './starting.ts';
import type { Storage } from './storage.ts';
import type { OpenStreams } from './streams.ts';
import { supportOf } from './support.ts';
import type { OpenWebhooks } from './webhooks.ts';
import type { OpenWorkspaces } from './workspaces.ts';

interface Deps {
  storage: Storage;
  streams: OpenStreams;
  runtime: OpenRuntime;
  models: OpenModels;
  sandboxes: OpenSandboxes;
  workspaces: OpenWorkspaces;
  chats: OpenChat;
  details: OpenRunDetails;
  starting: Pick<OpenStarting, 'routines' | 'experiments'>;
  webhooks: OpenWebhooks;
  channels: OpenChannels;
  billing: OpenBilling;
  logs: OpenLogs;
  digests: OpenLogDigests;
  people: People;
  tenantId: number;
  system: SystemDeps;
  /** What operators see and steer. */
  operation: { maintenance: MaintenanceDeps; infrastructure: InfrastructureDeps };
  indexes: Indexes;
  outside: Outside;
  clock: Clock;
  config: Config;
  log: Logger;
  nodeId: string;
  mailer: Mailer;
}

/** Every service of the interface. */
export function createServices(deps: Deps): AnyService[] {
  const shared = sharedBy(deps);
  const { acting, auth, db, getRun } = shared;
  const { signer, versions } = deps.storage;
  const own = {
    ...{ db, auth, acting, signer, versions },
    indexes: deps.indexes,
    outside: deps.outside,
    findRun: getRun,
    ...ofStorage(deps.storage),
    dataDir: deps.storage.dataDir,
  };
  const perform = ((...what) => createPerform(all)(...what)) as Perform;
  const services = [
    ...servicesOfRuns(deps, shared),
    ...servicesOfModels(deps, shared),
    ...servicesOfPeople(deps, shared, { ...own, perform }),
    ...createProjectsServices({ ...shared, ...ofProjects({ ...deps, ...shared }) }),
    serviceOfTasks(deps, shared),
    ...deps.starting.experiments.services(perform, shared.runs),
    ...servicesOfChats(deps, shared),
    ...servicesOfShares({ ...deps, ...shared }),
    ...deps.billing.services,
    ...servicesOfServer(deps, shared),
  ];
  const ofRuns = { runs: shared.runs, escalations: perTenant(db.collection(escalationCollection)) };
  const toParts = {
    ...given(shared),
    ...own,
    ofRuns,
    eventsOf: deps.storage.runs.runs.events,
    model: deps.models.model,
    routesChanged: deps.models.router.changed,
    version: deps.system.version,
  };
  const legs = parts.flatMap((part) => part.searches?.(toParts) ?? []);
  const search = globalSearchService({ legs, indexes: deps.indexes, clock: deps.clock });
  const all = [...services, search, ...parts.flatMap((part) => part.serve(toParts))];
  return [...all, demoService(demoOf({ ...deps, perform }))];
}

function sharedBy({ storage, streams, runtime, people, clock }: Deps) {
  const { db, ids, auth, units } = storage;
  const { identities, users, acting, engine } = runtime;
  const { administrators, accessChanged } = people;
  const runs: PerTenant<RunDocument> = perTenant(db.collection(runCollection));
  return {
    db,
    ids,
    auth,
    clock,
    units,
    publisher: streams.publisher,
    identities,
    users,
    acting,
    engine,
    administrators,
    accessChanged,
    ranks: createRanks(auth),
    runs,
    getRun: storage.runs.runs.get,
    findRun: createFindRun(storage.runs.runs.get),
    statistics: createRunStatistics({ runs }),
  };
}
type Shared = ReturnType<typeof sharedBy>;

/** What every part gets. */
const given = ({ ids, clock, publisher, units, identities, users, administrators, ranks, accessChanged }: Shared) => ({
  ids,
  units,
  clock,
  publisher,
  identities,
  users,
  administrators,
  ranks,
  accessChanged,
});

function servicesOfRuns(
  { storage, streams, runtime, sandboxes, workspaces, chats, details, starting }: Deps,
  shared: Shared,
) {
  const { engine, notes, tasks, feedback, roles, profiles, inbox, roleDefaults, workRole, acting } = runtime;
  const { db, ids, clock, publisher, identities, findRun, statistics } = shared;
  const { escalations, councils, runs, bonds } = { ...runtime.relationships, ...storage.runs };
  const log = createRunLog(engine);
  const runChats = createRunChats({ ...chats, ids, clock });
  return [
    agentRunsService({
      engine,
      store: storage.runs,
      findRun,
      acting,
      roleDefaults,
      workRole,
      requireWorkspace: workspaces.requireForRun,
      requireOpenProject: createProjectAccess({ db, clock }).requireOpen,
      taskTitle: async (caller, id) =>
        (await createKeeper(taskRecord, { db, ids, clock }).find(caller, id))?.title ?? null,
      removeParts: ({ id, tenantId }) => removeParts({ db, ofRuns }, [{ _id: id, tenantId }]),
      scrub: db.scrub,
      details,
      publisher,
      follower: streams.follower,
      clock,
    }),
    agentBreakpointsService({ engine, findRun, acting }),
    agentPauseChatService({ engine, messages: runs.messages, findRun, acting, chats: runChats }),
    agentRunFilesService({ files: createRunFiles(sandboxes.sandboxes), findRun, check: sandboxes.check }),
    agentNotesService({ notes, findRun, log }),
    agentTasksService({ tasks, findRun, log }),
    agentMessagesService({ inbox, acting, findRun }),
    agentFeedbackService({ feedback, findRun, log, bonds }),
    agentEscalationsService({ engine, escalations, findRun, clock, bonds, rules: runtime.ruleProposals }),
    agentCouncilsService({ councils, findRun, mayReadChat: createMayReadChat(db) }),
    agentRolesService({ roles }),
    roleSoulService({ roles }),
    agentToolProfilesService({ profiles, roles }),
    agentToolsService({ engine }),
    agentRoutinesService(starting.routines.service),
    agentAnalyticsService({ statistics, identities, clock }),
    workspacesService({
      ...workspaces,
      clock,
      findRun,
      viewRun: engine.view,
      cancelRun: (runId, reason) => engine.cancel(runId, { reason }),
      units: shared.units,
    }),
  ];
}

const serviceOfTasks = ({ storage, runtime, workspaces }: Deps, shared: Shared) =>
  tasksService({
    ...shared,
    inbox: runtime.inbox,
    roleDefaults: runtime.roleDefaults,
    workRole: runtime.workRole,
    book: createTaskBook(shared),
    access: createProjectAccess(shared),
    runs: storage.runs.runs,
    requireWorkspace: workspaces.requireForRun,
  });

function servicesOfModels({ runtime, models }: Deps, { db, ids, clock, identities, acting, units }: Shared) {
  return [
    ...Object.values(createAiRouterServices({ db, ids, clock, identities, units, ...models })),
    chatCompletionsCompatService({
      ...models,
      personas: createPersonas({ roles: runtime.roles, identities, acting, clock }),
      models: perTenant(db.collection(modelSpec)),
      routes: perTenant(db.collection(routeSpec)),
      kept: models.keptResponses,
      clock,
    }),
  ];
}

function servicesOfPeople(
  { runtime, people, tenantId, system, indexes, storage, chats, config, log, models }: Deps,
  shared: Shared,
  own: Pick<PartBase, 'signer' | 'versions' | 'indexes' | 'outside' | 'findRun' | 'dataDir' | 'pastRuns' | 'alone'> & {
    perform: Perform;
  },
) {
  const { db, ids, auth, clock, runs, identities, acting, findRun } = shared;
  const { roles, profiles, tasks, inbox, relationships } = runtime;
  const projects = createProjectAccess({ db, clock });
  const peopleOfUnit = createPeopleOfUnits(shared);
  const invited = createInvitations(shared);
  const membershipsOf = createShowMemberships({ ...shared, db });
  const persons = { ...given(shared), ...people, collections: auth, tenantId, invited, membershipsOf };
  const awaiting = createAwaiting({
    runs,
    escalations: perTenant(db.collection(escalationCollection)),
    tasks: tasks.of,
    hints: perTenant(db.collection(hintRecord.spec)),
    clock,
  });
  const ofIdentities = createIdentityServices({
    ...shared,
    ...{ roles, profiles, awaiting, unread: inbox.unread },
    ...{ policies: people.policies, quotas: storage.quotas, repairs: storage.repairs },
    luggage: parts.flatMap((part) => part.luggage?.({ ...shared, ...own }) ?? []),
  });
  const reach = { publicUrl: system.publicUrl, localUrl: system.localUrl };
  const server = createOAuthServer({ ...persons, ...reach });
  return [
    authService(persons),
    oauthServerService(server),
    oauthService({ ...server, ...people, corsOrigins: config.corsOrigins, log: log.child({ domain: 'Auth' }) }),
    ...ofIdentities.services,
    hydrationConfigService(ofIdentities),
    botProfilesService({
      ...chats,
      people: ofIdentities.people,
      profiles: createKeeper(botProfileRecord, { db, ids, clock }),
      routes: perTenant(db.collection(routeSpec)),
      ...{ publisher: shared.publisher, perform: own.perform, publicUrl: () => addressOf(system) },
      channels: perTenant(db.collection(channelRecord.spec)),
    }),
    agentFilesService({ people: ofIdentities.people, projects, ...reach }),
    messagesService({ inbox, identities, acting, findRun, projects, peopleOfUnit }),
    relationshipsService({ book: relationships, identities, acting, clock }),
    sessionService({
      membershipsOf,
      auth,
      acting,
      awaiting,
      inbox,
      findRun,
      clock,
      handoffs: createHandoffs({ ...shared, bonds: relationships.bonds }),
      version: system.version,
      ...reach,
    }),
    tenantPolicyService(people),
    createOrgUnitsService({ ...shared, ...people, invited, router: models.router, publicUrl: () => addressOf(system) }),
    usersService({
      ...{ ...persons, quotas: storage.quotas },
      users: createKeeper(userRecord, { db, ids, clock }),
      roles: perTenant(auth.roles),
      personalData: createPersonalData({ db, collections: auth, clock, indexes }),
    }),
  ];
}

function servicesOfChats({ chats, storage }: Deps, { db, ids, clock, publisher, acting, engine }: Shared) {
  const chatting = { ...chats, db, ids, clock, publisher, acting };
  return [
    chatService(chatting),
    chatUiService({ ...chatting, engine }),
    publicBotsService({ ...chatting, signer: storage.signer }),
  ];
}

function servicesOfServer(deps: Deps, { identities }: Shared) {
  const { streams, system, webhooks, channels, operation, logs, digests, clock } = deps;
  return [
    supportService(supportOf(deps)),
    systemLogsService({ ...logs, identities, clock }),
    logSubscriptionsService(digests.subscriptions),
    maintenanceService(operation.maintenance),
    infrastructureService(operation.infrastructure),
    webhooksService(webhooks.service),
    channelsService(channels.service),
    eventsService({}),
    durableStreamsService({}),
    webSocketService({
      mint: streams.tickets.mint,
      authorise: streams.authorise,
      connections: streams.pageOfConnections,
      ...{ publicUrl: system.publicUrl, localUrl: system.localUrl },
    }),
    systemService(system),
  ];
}
