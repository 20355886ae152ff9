// What the log tells.
import { type EventTable, event } from '../../contract/event.ts';
import { SystemLogDto } from './dto.ts';

export const systemLogEvents = {
  'log.written': event.passing(
    SystemLogDto,
    ['logs'],
    'A line was written that a log subscription of the tenant takes.',
  ),
} satisfies EventTable;
