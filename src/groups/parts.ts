// The parts of the server, one a group. Written by `npm run openapi`: do not edit.
import { knowledgeGoalsPart } from './knowledge-goals/part.ts';
import { rolesPart } from './roles/part.ts';

export const parts = [knowledgeGoalsPart, rolesPart];
