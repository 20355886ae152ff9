// Every event that the server publishes, by its type; publisher, client, AsyncAPI document and tests follow from it. Written by `npm run openapi`: do not edit.
import type { z } from 'zod';
import { agentEvents } from './agent/events.ts';
import { routineEvents } from './agent/routines/events.ts';
import { routerEvents } from './ai-router/events.ts';
import { auditEventTypes } from './audit-events/events.ts';
import { billingEvents } from './billing/events.ts';
import { botEvents } from './bot-profiles/events.ts';
import { channelEvents } from './channels/events.ts';
import { chatEvents } from './chat/events.ts';
import { connectorEvents } from './connectors/events.ts';
import { docEvents } from './docs/events.ts';
import { factEvents } from './facts/events.ts';
import { hydrationEvents } from './hydration/events.ts';
import { identityEvents } from './identities/events.ts';
import { hintEvents } from './identities/hints/events.ts';
import { importEvents } from './import/events.ts';
import { infrastructureEvents } from './infrastructure/events.ts';
import { knowledgeGoalEvents } from './knowledge-goals/events.ts';
import { maintenanceEvents } from './maintenance/events.ts';
import { memoryEvents } from './memories/events.ts';
import { messageEvents } from './messages/events.ts';
import { trainingEvents } from './mirror/training/events.ts';
import { orgUnitEvents } from './org-units/events.ts';
import { personalMemoryEvents } from './personal-memories/events.ts';
import { projectEvents } from './projects/events.ts';
import { realtimeEvents } from './realtime/events.ts';
import { sessionEvents } from './session/events.ts';
import { siteBuildEvents } from './site-builds/events.ts';
import { standingRuleEvents } from './standing-rules/events.ts';
import { systemEvents } from './system/events.ts';
import { systemLogEvents } from './system-logs/events.ts';
import { taskEvents } from './tasks/events.ts';
import { webhookEvents } from './webhooks/events.ts';

export const eventTypes = {
  ...agentEvents,
  ...routineEvents,
  ...routerEvents,
  ...auditEventTypes,
  ...billingEvents,
  ...botEvents,
  ...channelEvents,
  ...chatEvents,
  ...connectorEvents,
  ...docEvents,
  ...factEvents,
  ...hydrationEvents,
  ...identityEvents,
  ...hintEvents,
  ...importEvents,
  ...infrastructureEvents,
  ...knowledgeGoalEvents,
  ...maintenanceEvents,
  ...memoryEvents,
  ...messageEvents,
  ...trainingEvents,
  ...orgUnitEvents,
  ...personalMemoryEvents,
  ...projectEvents,
  ...realtimeEvents,
  ...sessionEvents,
  ...siteBuildEvents,
  ...standingRuleEvents,
  ...systemLogEvents,
  ...systemEvents,
  ...taskEvents,
  ...webhookEvents,
};

export type EventTypeName = keyof typeof eventTypes;
/** Payload by event type. */
export type EventPayloads = { [Type in EventTypeName]: z.output<(typeof eventTypes)[Type]['data']> };
