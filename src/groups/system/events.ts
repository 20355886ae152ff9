// What the server tells of itself.
import { type EventTable, event } from '../../contract/event.ts';
import { InfraNodeDto, SystemReadinessDto } from './dto.ts';

export const systemEvents = {
  'system.health': event.passing(SystemReadinessDto, ['system'], 'The readiness of the server has changed.'),
  'system.node': event.passing(InfraNodeDto, ['system'], 'A node and how it is.'),
} satisfies EventTable;
