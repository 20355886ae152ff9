// Every group of operations that the server offers, by the name that the client uses. Written by `npm run openapi`: do not edit.

import { agentAnalytics } from './agent/analytics/contract.ts';
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
import { chat } from './chat/contract.ts';
import { chatCompletionsCompat } from './chat-completions/contract.ts';
import { chatUi } from './chat-ui/contract.ts';
import { docs } from './docs/contract.ts';
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
import { interests } from './interests/contract.ts';
import { knowledgeGoals } from './knowledge-goals/contract.ts';
import { maintenance } from './maintenance/contract.ts';
import { memories } from './memories/contract.ts';
import { messages } from './messages/contract.ts';
import { personalMemories } from './personal-memories/contract.ts';
import { projects } from './projects/contract.ts';
import { repositoryCredentials } from './projects/credentials/contract.ts';
import { publicDocs } from './public-docs/contract.ts';
import { events, webSocket } from './realtime/contract.ts';
import { relationships } from './relationships/contract.ts';
import { permissions, roles } from './roles/contract.ts';
import { session } from './session/contract.ts';
import { siteBuilds } from './site-builds/contract.ts';
import { standingRules } from './standing-rules/contract.ts';
import { system } from './system/contract.ts';
import { tasks } from './tasks/contract.ts';
import { tenantPolicy } from './tenant-policy/contract.ts';
import { unlearning } from './unlearning/contract.ts';
import { users } from './users/contract.ts';
import { webhooks } from './webhooks/contract.ts';
import { workspaces } from './workspaces/contract.ts';

export const groups = {
  agentFiles,
  agentMemories,
  agentAnalytics,
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
  chatCompletionsCompat,
  chatUi,
  chat,
  docs,
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
  interests,
  knowledgeGoals,
  maintenance,
  memories,
  messages,
  personalMemories,
  projects,
  repositoryCredentials,
  publicDocs,
  events,
  webSocket,
  relationships,
  roles,
  permissions,
  session,
  siteBuilds,
  standingRules,
  system,
  tasks,
  tenantPolicy,
  unlearning,
  users,
  webhooks,
  workspaces,
};
export type Groups = typeof groups;
