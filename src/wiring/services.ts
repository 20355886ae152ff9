// Every service of the interface with the ports that it takes.
import { userRecord } from '../auth/collections.ts';
import { createRanks } from '../auth/rank.ts';
import type { Service } from '../contract/operation.ts';
import { agentAnalyticsService } from '../groups/agent/analytics/service.ts';
import { createRunStatistics } from '../groups/agent/analytics/statistics.ts';
import { createPersonas } from '../groups/agent/briefings/personas.ts';
import { agentCouncilsService } from '../groups/agent/councils/service.ts';
import { agentEscalationsService } from '../groups/agent/escalations/service.ts';
import { agentFeedbackService } from '../groups/agent/feedback/service.ts';
import { agentRunFilesService } from '../groups/agent/files/service.ts';
import { agentMessagesService } from '../groups/agent/messages/service.ts';
import { agentNotesService } from '../groups/agent/notes/service.ts';
import { agentPauseChatService } from '../groups/agent/pause-chat/service.ts';
import { agentRolesService, roleSoulService } from '../groups/agent/roles/service.ts';
import { createDetailParts } from '../groups/agent/runs/detail-parts.ts';
import { createFindRun } from '../groups/agent/runs/find-run.ts';
import { createRunLog } from '../groups/agent/runs/run-log.ts';
import { agentRunsService } from '../groups/agent/runs/service.ts';
import { agentTasksService } from '../groups/agent/tasks/service.ts';
import { agentToolProfilesService } from '../groups/agent/tool-profiles/service.ts';
import { agentToolsService } from '../groups/agent/tools/service.ts';
import { createAiRouterServices } from '../groups/ai-router/services.ts';
import { authService } from '../groups/auth/service.ts';
import { createRunChats } from '../groups/chat/run-chats.ts';
import { chatService } from '../groups/chat/service.ts';
import { chatCompletionsCompatService } from '../groups/chat-completions/service.ts';
import { chatUiService } from '../groups/chat-ui/service.ts';
import { hydrationConfigService } from '../groups/hydration-config/service.ts';
import { createAwaiting } from '../groups/identities/awaiting.ts';
import { hintRecord } from '../groups/identities/hints/record.ts';
import { createIdentityServices } from '../groups/identities/services.ts';
import { parts } from '../groups/parts.ts';
import { eventsService, webSocketService } from '../groups/realtime/service.ts';
import { type SystemDeps, systemService } from '../groups/system/service.ts';
import { tenantPolicyService } from '../groups/tenant-policy/service.ts';
import { createPersonalData } from '../groups/users/export/personal-data.ts';
import { usersService } from '../groups/users/service.ts';
import { workspacesService } from '../groups/workspaces/service.ts';
import type { Clock } from '../kernel/clock.ts';
import { modelSpec, routeSpec } from '../ports/ai-router.ts';
import { createKeeper } from '../ports/keeper.ts';
import { type PerTenant, perTenant } from '../ports/tenanted.ts';
import { removeParts } from '../retention/rules.ts';
import { createRunFiles } from '../run-places/run-files.ts';
import {
  escalations as escalationCollection,
  type RunDocument,
  runs as runCollection,
} from '../stores/runs/collections.ts';
import type { OpenChat } from './chat.ts';
import type { OpenEngine } from './engine.ts';
import type { OpenModels } from './models.ts';
import type { People } from './people.ts';
import type { OpenSandboxes } from './sandboxes.ts';
import type { Storage } from './storage.ts';
import type { OpenStreams } from './streams.ts';
import type { OpenWorkspaces } from './workspaces.ts';

interface Deps {
  storage: Storage;
  streams: OpenStreams;
  agents: OpenEngine;
  models: OpenModels;
  sandboxes: OpenSandboxes;
  workspaces: OpenWorkspaces;
  chats: OpenChat;
  people: People;
  tenantId: number;
  system: SystemDeps;
  clock: Clock;
}

export function createServices({
  storage,
  streams,
  agents,
  models,
  sandboxes,
  workspaces,
  chats,
  people,
  tenantId,
  system,
  clock,
}: Deps): Service[] {
  const { db, ids, auth } = storage;
  const { engine, notes, tasks, feedback, roles, profiles, inbox, identities, users, roleDefaults, workRole, acting } =
    agents;
  const { publisher, follower } = streams;
  const findRun = createFindRun((id) => storage.runs.runs.get(id));
  const log = createRunLog(engine);
  const ranks = createRanks(auth);
  const { administrators, accessChanged } = people;
  const shared = { ids, clock, publisher, identities, users, administrators, ranks, accessChanged };
  const persons = { ...shared, ...people, collections: auth, tenantId };
  const keptUsers = createKeeper(userRecord, { db, ids, clock });
  const statistics = createRunStatistics({ runs: perTenant(db.collection(runCollection)) });
  const chatting = {
    ...chats,
    db,
    ids,
    clock,
    publisher,
    acting,
  };
  const runChats = createRunChats({ ...chats, ids, clock });
  const runs: PerTenant<RunDocument> = perTenant(db.collection(runCollection));
  const awaiting = createAwaiting({
    runs,
    escalations: perTenant(db.collection(escalationCollection)),
    tasks: tasks.of,
    hints: perTenant(db.collection(hintRecord.spec)),
    clock,
  });
  const getRun = (id: number) => storage.runs.runs.get(id);
  const ofIdentities = createIdentityServices({
    ...shared,
    db,
    auth,
    acting,
    engine,
    findRun,
    getRun,
    roles,
    profiles,
    runs,
    statistics,
    awaiting,
    unread: inbox.unread,
    relationshipCount: async () => 0,
  });
  const services = [
    agentRunsService({
      engine,
      store: storage.runs,
      findRun,
      acting,
      roleDefaults,
      workRole,
      requireWorkspace: workspaces.requireForRun,
      removeParts: ({ id, tenantId }) => removeParts(db, [{ _id: id, tenantId }]),
      detail: createDetailParts({ chats: runChats, notes, feedback, inbox, escalations: storage.runs.escalations }),
      publisher,
      follower,
      clock,
    }),
    agentPauseChatService({ engine, messages: storage.runs.runs.messages, findRun, acting, chats: runChats }),
    agentRunFilesService({ files: createRunFiles(sandboxes.sandboxes), findRun, check: sandboxes.check }),
    agentNotesService({ notes, findRun, log }),
    agentTasksService({ tasks, findRun, log }),
    agentMessagesService({ inbox, acting, findRun }),
    agentFeedbackService({ feedback, findRun, log }),
    agentEscalationsService({ engine, escalations: storage.runs.escalations, findRun, clock }),
    agentCouncilsService({ councils: storage.runs.councils, findRun }),
    agentRolesService({ roles }),
    roleSoulService({ roles }),
    agentToolProfilesService({ profiles, roles }),
    agentToolsService({ engine }),
    agentAnalyticsService({ statistics, identities, clock }),
    ...Object.values(createAiRouterServices({ db, ids, clock, identities, ...models })),
    chatCompletionsCompatService({
      ...models,
      personas: createPersonas({ roles, identities, acting, clock }),
      models: perTenant(db.collection(modelSpec)),
      routes: perTenant(db.collection(routeSpec)),
      kept: models.keptResponses,
      clock,
    }),
    authService(persons),
    ...ofIdentities.services,
    hydrationConfigService(ofIdentities),
    chatService(chatting),
    chatUiService({ ...chatting, engine }),
    eventsService({}),
    webSocketService({
      mint: streams.tickets.mint,
      authorise: streams.authorise,
      connections: streams.pageOfConnections,
      publicUrl: system.publicUrl,
    }),
    systemService(system),
    tenantPolicyService(people),
    usersService({
      ...persons,
      users: keptUsers,
      roles: perTenant(auth.roles),
      personalData: createPersonalData({ db, collections: auth, clock }),
    }),
    workspacesService({
      ...workspaces,
      clock,
      findRun,
      viewRun: engine.view,
      cancelRun: (runId, reason) => engine.cancel(runId, { reason }),
    }),
  ];
  const ofParts = parts.flatMap((part) => part.serve({ ...shared, db, auth, acting }));
  return [...services, ...ofParts] as unknown as Service[];
}
