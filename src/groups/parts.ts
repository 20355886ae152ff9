// The parts of the server, one a group. Written by `npm run openapi`: do not edit.
import { agentPart } from './agent/part.ts';
import { auditEventsPart } from './audit-events/part.ts';
import { chatPart } from './chat/part.ts';
import { hintsPart } from './identities/hints/part.ts';
import { identitiesPart } from './identities/part.ts';
import { knowledgeGoalsPart } from './knowledge-goals/part.ts';
import { realtimePart } from './realtime/part.ts';
import { rolesPart } from './roles/part.ts';

export const parts = [
  agentPart,
  auditEventsPart,
  chatPart,
  hintsPart,
  identitiesPart,
  knowledgeGoalsPart,
  realtimePart,
  rolesPart,
] as const;
