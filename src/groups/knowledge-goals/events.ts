// What knowledge goals tell.
import { type EventTable, event } from '../../contract/event.ts';
import { KnowledgeGoalDto } from './dto.ts';

export const knowledgeGoalEvents = {
  'knowledge.goal.updated': event.kept(KnowledgeGoalDto, ['project:*'], 'A knowledge goal was stated or changed.'),
} satisfies EventTable;
