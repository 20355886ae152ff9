// The parts of the server, one a group. Written by `npm run openapi`: do not edit.
import { a2aPart } from './a2a/part.ts';
import { agentPart } from './agent/part.ts';
import { agentRoutinesPart } from './agent/routines/part.ts';
import { agentMemoriesPart } from './agent-memories/part.ts';
import { aiRouterPart } from './ai-router/part.ts';
import { auditEventsPart } from './audit-events/part.ts';
import { billingPart } from './billing/part.ts';
import { botProfilesPart } from './bot-profiles/part.ts';
import { channelsPart } from './channels/part.ts';
import { chatPart } from './chat/part.ts';
import { connectorA2aPart } from './connectors/a2a/part.ts';
import { connectorMcpPart } from './connectors/mcp/part.ts';
import { connectorsPart } from './connectors/part.ts';
import { demoPart } from './demo/part.ts';
import { docsPart } from './docs/part.ts';
import { emailPart } from './email/part.ts';
import { evaluationPart } from './evaluations/part.ts';
import { exportsPart } from './export/part.ts';
import { factsPart } from './facts/part.ts';
import { graphPart } from './graph/part.ts';
import { helpPart } from './help/part.ts';
import { hydrationPart } from './hydration/part.ts';
import { hintsPart } from './identities/hints/part.ts';
import { identitiesPart } from './identities/part.ts';
import { soulsPart } from './identities/souls/part.ts';
import { importPart } from './import/part.ts';
import { interestsPart } from './interests/part.ts';
import { knowledgeGoalsPart } from './knowledge-goals/part.ts';
import { logSubscriptionsPart } from './log-subscriptions/part.ts';
import { maintenancePart } from './maintenance/part.ts';
import { memoriesPart } from './memories/part.ts';
import { messagesPart } from './messages/part.ts';
import { mirrorPart } from './mirror/part.ts';
import { orgUnitsPart } from './org-units/part.ts';
import { paymentWebhookPart } from './payment-webhook/part.ts';
import { personalMemoriesPart } from './personal-memories/part.ts';
import { projectsPart } from './projects/part.ts';
import { promptsPart } from './prompts/part.ts';
import { publicDocsPart } from './public-docs/part.ts';
import { realtimePart } from './realtime/part.ts';
import { relationshipsPart } from './relationships/part.ts';
import { rolesPart } from './roles/part.ts';
import { sessionPart } from './session/part.ts';
import { sharesPart } from './shares/part.ts';
import { siteBuildsPart } from './site-builds/part.ts';
import { standingRulesPart } from './standing-rules/part.ts';
import { supportPart } from './support/part.ts';
import { systemLogsPart } from './system-logs/part.ts';
import { tasksPart } from './tasks/part.ts';
import { unlearningPart } from './unlearning/part.ts';
import { webhooksPart } from './webhooks/part.ts';

export const parts = [
  a2aPart,
  agentMemoriesPart,
  agentPart,
  agentRoutinesPart,
  aiRouterPart,
  auditEventsPart,
  billingPart,
  botProfilesPart,
  channelsPart,
  chatPart,
  connectorA2aPart,
  connectorMcpPart,
  connectorsPart,
  demoPart,
  docsPart,
  emailPart,
  evaluationPart,
  exportsPart,
  factsPart,
  graphPart,
  helpPart,
  hydrationPart,
  hintsPart,
  identitiesPart,
  soulsPart,
  importPart,
  interestsPart,
  knowledgeGoalsPart,
  logSubscriptionsPart,
  maintenancePart,
  memoriesPart,
  messagesPart,
  mirrorPart,
  orgUnitsPart,
  paymentWebhookPart,
  personalMemoriesPart,
  projectsPart,
  promptsPart,
  publicDocsPart,
  realtimePart,
  relationshipsPart,
  rolesPart,
  sessionPart,
  sharesPart,
  siteBuildsPart,
  standingRulesPart,
  supportPart,
  systemLogsPart,
  tasksPart,
  unlearningPart,
  webhooksPart,
] as const;
