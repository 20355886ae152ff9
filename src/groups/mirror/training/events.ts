// What training tells. Identities are followed by many, so the event says which run it is, and nothing of what it learns.
import { type EventTable, event } from '../../../contract/event.ts';
import { TrainingChangeDto } from '../dto.ts';

export const trainingEvents = {
  'training.run.updated': event.kept(
    TrainingChangeDto,
    ['identity:*'],
    'A training run came to another status (ours).',
  ),
} satisfies EventTable;
