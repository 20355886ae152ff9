// What is told of the queues.
import { type EventTable, event } from '../../contract/event.ts';
import { QueueDto } from './dto.ts';

export const infrastructureEvents = {
  'system.queue': event.passing(QueueDto, ['system'], 'A queue was paused, resumed, scaled or emptied.'),
} satisfies EventTable;
