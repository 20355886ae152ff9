// Every group of operations that the server offers, by the name that the client uses. Written by `npm run openapi`: do not edit.

import { agentAnalytics } from './agent/analytics/contract.ts';
import { agentBreakpoints } from './agent/breakpoints/contract.ts';
import { agentCouncils } from './agent/councils/contract.ts';
import { agentEscalations } from './agent/escalations/contract.ts';
import { agentFeedback } from './agent/feedback/contract.ts';
import { agentRunFiles } from './agent/files/contract.ts';
import { agentMessages } from './agent/messages/contract.ts';
import { agentNotes } from './agent/notes/contract.ts';
import { agentPauseChat } from './agent/pause-chat/contract.ts';
import { agentRoles, roleSoul } from './agent/roles/contract.ts';
import { agentRoutines } from './agent/routines/contract.ts';
import { agentRuns } from './agent/runs/contract.ts';
import { agentTasks } from './agent/tasks/contract.ts';
import { agentToolProfiles } from './agent/tool-profiles/contract.ts';
import { agentTools } from './agent/tools/contract.ts';
import { agentFiles } from './agent-files/contract.ts';
import { agentMemories } from './agent-memories/contract.ts';
import { aiBudgets } from './ai-router/budgets/contract.ts';
import { aiModels } from './ai-router/models/contract.ts';
import { aiPlayground } from './ai-router/playground/contract.ts';
import { aiProviders } from './ai-router/providers/contract.ts';
import { aiRoutes } from './ai-router/routes/contract.ts';
import { aiSettings } from './ai-router/settings/contract.ts';
import { aiUsage } from './ai-router/usage/contract.ts';
import { auditEvents } from './audit-events/contract.ts';
import { auth } from './auth/contract.ts';
import { billing } from './billing/contract.ts';
import { botProfiles, publicBots } from './bot-profiles/contract.ts';
import { channels } from './channels/contract.ts';
import { chat } from './chat/contract.ts';
import { chatCompletionsCompat } from './chat-completions/contract.ts';
import { chatUi } from './chat-ui/contract.ts';
import { connectors } from './connectors/contract.ts';
import { connectorMcp, mcpClient } from './connectors/mcp/contract.ts';
import { demo } from './demo/contract.ts';
import { docs } from './docs/contract.ts';
import { email } from './email/contract.ts';
import { evaluationDatasets, experiments } from './evaluations/contract.ts';
import { exports } from './export/contract.ts';
import { facts } from './facts/contract.ts';
import { globalSearch } from './global-search/contract.ts';
import { graph } from './graph/contract.ts';
import { help } from './help/contract.ts';
import { hydration } from './hydration/contract.ts';
import { hydrationConfig } from './hydration-config/contract.ts';
import { identities, identityKeys } from './identities/contract.ts';
import { identityHints } from './identities/hints/contract.ts';
import { canMessage, identityProfiles } from './identities/profiles/contract.ts';
import { souls, soulVersions } from './identities/souls/contract.ts';
import { swarm } from './identities/swarm/contract.ts';
import { imports } from './import/contract.ts';
import { infrastructure } from './infrastructure/contract.ts';
import { interests } from './interests/contract.ts';
import { knowledgeGoals } from './knowledge-goals/contract.ts';
import { logSubscriptions } from './log-subscriptions/contract.ts';
import { maintenance } from './maintenance/contract.ts';
import { memories } from './memories/contract.ts';
import { messages } from './messages/contract.ts';
import { checkpoints } from './mirror/checkpoints/contract.ts';
import { datasets } from './mirror/datasets/contract.ts';
import { trainingPairs } from './mirror/pairs/contract.ts';
import { reflectionPairs, reflections } from './mirror/reflections/contract.ts';
import { mirrorStatistics } from './mirror/statistics/contract.ts';
import { trainingRuns } from './mirror/training/contract.ts';
import { oauth } from './oauth/contract.ts';
import { oauthServer } from './oauth-server/contract.ts';
import { orgUnits } from './org-units/contract.ts';
import { paymentWebhook } from './payment-webhook/contract.ts';
import { personalMemories } from './personal-memories/contract.ts';
import { projects } from './projects/contract.ts';
import { repositoryCredentials } from './projects/credentials/contract.ts';
import { prompts } from './prompts/contract.ts';
import { publicDocs } from './public-docs/contract.ts';
import { durableStreams, events, webSocket } from './realtime/contract.ts';
import { relationships } from './relationships/contract.ts';
import { permissions, roles } from './roles/contract.ts';
import { session } from './session/contract.ts';
import { publicShares, shares } from './shares/contract.ts';
import { siteBuilds } from './site-builds/contract.ts';
import { standingRules } from './standing-rules/contract.ts';
import { support } from './support/contract.ts';
import { system } from './system/contract.ts';
import { systemLogs } from './system-logs/contract.ts';
import { tasks } from './tasks/contract.ts';
import { tenantPolicy } from './tenant-policy/contract.ts';
import { unlearning } from './unlearning/contract.ts';
import { users } from './users/contract.ts';
import { webhooks } from './webhooks/contract.ts';
import { workspaces } from './workspaces/contract.ts';

export type Groups = {
  agentFiles: typeof agentFiles;
  agentMemories: typeof agentMemories;
  agentAnalytics: typeof agentAnalytics;
  agentBreakpoints: typeof agentBreakpoints;
  agentCouncils: typeof agentCouncils;
  agentEscalations: typeof agentEscalations;
  agentFeedback: typeof agentFeedback;
  agentRunFiles: typeof agentRunFiles;
  agentMessages: typeof agentMessages;
  agentNotes: typeof agentNotes;
  agentPauseChat: typeof agentPauseChat;
  agentRoles: typeof agentRoles;
  roleSoul: typeof roleSoul;
  agentRoutines: typeof agentRoutines;
  agentRuns: typeof agentRuns;
  agentTasks: typeof agentTasks;
  agentToolProfiles: typeof agentToolProfiles;
  agentTools: typeof agentTools;
  aiBudgets: typeof aiBudgets;
  aiModels: typeof aiModels;
  aiPlayground: typeof aiPlayground;
  aiProviders: typeof aiProviders;
  aiRoutes: typeof aiRoutes;
  aiSettings: typeof aiSettings;
  aiUsage: typeof aiUsage;
  auditEvents: typeof auditEvents;
  auth: typeof auth;
  billing: typeof billing;
  botProfiles: typeof botProfiles;
  publicBots: typeof publicBots;
  channels: typeof channels;
  chatCompletionsCompat: typeof chatCompletionsCompat;
  chatUi: typeof chatUi;
  chat: typeof chat;
  connectors: typeof connectors;
  connectorMcp: typeof connectorMcp;
  mcpClient: typeof mcpClient;
  demo: typeof demo;
  docs: typeof docs;
  email: typeof email;
  evaluationDatasets: typeof evaluationDatasets;
  experiments: typeof experiments;
  exports: typeof exports;
  facts: typeof facts;
  globalSearch: typeof globalSearch;
  graph: typeof graph;
  help: typeof help;
  hydrationConfig: typeof hydrationConfig;
  hydration: typeof hydration;
  identities: typeof identities;
  identityKeys: typeof identityKeys;
  identityHints: typeof identityHints;
  identityProfiles: typeof identityProfiles;
  canMessage: typeof canMessage;
  souls: typeof souls;
  soulVersions: typeof soulVersions;
  swarm: typeof swarm;
  imports: typeof imports;
  infrastructure: typeof infrastructure;
  interests: typeof interests;
  knowledgeGoals: typeof knowledgeGoals;
  logSubscriptions: typeof logSubscriptions;
  maintenance: typeof maintenance;
  memories: typeof memories;
  messages: typeof messages;
  checkpoints: typeof checkpoints;
  datasets: typeof datasets;
  trainingPairs: typeof trainingPairs;
  reflections: typeof reflections;
  reflectionPairs: typeof reflectionPairs;
  mirrorStatistics: typeof mirrorStatistics;
  trainingRuns: typeof trainingRuns;
  oauthServer: typeof oauthServer;
  oauth: typeof oauth;
  orgUnits: typeof orgUnits;
  paymentWebhook: typeof paymentWebhook;
  personalMemories: typeof personalMemories;
  projects: typeof projects;
  repositoryCredentials: typeof repositoryCredentials;
  prompts: typeof prompts;
  publicDocs: typeof publicDocs;
  events: typeof events;
  durableStreams: typeof durableStreams;
  webSocket: typeof webSocket;
  relationships: typeof relationships;
  roles: typeof roles;
  permissions: typeof permissions;
  session: typeof session;
  shares: typeof shares;
  publicShares: typeof publicShares;
  siteBuilds: typeof siteBuilds;
  standingRules: typeof standingRules;
  support: typeof support;
  systemLogs: typeof systemLogs;
  system: typeof system;
  tasks: typeof tasks;
  tenantPolicy: typeof tenantPolicy;
  unlearning: typeof unlearning;
  users: typeof users;
  webhooks: typeof webhooks;
  workspaces: typeof workspaces;
};

export const groups: Groups = {
  agentFiles,
  agentMemories,
  agentAnalytics,
  agentBreakpoints,
  agentCouncils,
  agentEscalations,
  agentFeedback,
  agentRunFiles,
  agentMessages,
  agentNotes,
  agentPauseChat,
  agentRoles,
  roleSoul,
  agentRoutines,
  agentRuns,
  agentTasks,
  agentToolProfiles,
  agentTools,
  aiBudgets,
  aiModels,
  aiPlayground,
  aiProviders,
  aiRoutes,
  aiSettings,
  aiUsage,
  auditEvents,
  auth,
  billing,
  botProfiles,
  publicBots,
  channels,
  chatCompletionsCompat,
  chatUi,
  chat,
  connectors,
  connectorMcp,
  mcpClient,
  demo,
  docs,
  email,
  evaluationDatasets,
  experiments,
  exports,
  facts,
  globalSearch,
  graph,
  help,
  hydrationConfig,
  hydration,
  identities,
  identityKeys,
  identityHints,
  identityProfiles,
  canMessage,
  souls,
  soulVersions,
  swarm,
  imports,
  infrastructure,
  interests,
  knowledgeGoals,
  logSubscriptions,
  maintenance,
  memories,
  messages,
  checkpoints,
  datasets,
  trainingPairs,
  reflections,
  reflectionPairs,
  mirrorStatistics,
  trainingRuns,
  oauthServer,
  oauth,
  orgUnits,
  paymentWebhook,
  personalMemories,
  projects,
  repositoryCredentials,
  prompts,
  publicDocs,
  events,
  durableStreams,
  webSocket,
  relationships,
  roles,
  permissions,
  session,
  shares,
  publicShares,
  siteBuilds,
  standingRules,
  support,
  systemLogs,
  system,
  tasks,
  tenantPolicy,
  unlearning,
  users,
  webhooks,
  workspaces,
};
