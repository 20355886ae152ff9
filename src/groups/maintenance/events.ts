// What is told of maintenance jobs.
import { type EventTable, event } from '../../contract/event.ts';
import { MaintenanceRunDto } from './dto.ts';

export const maintenanceEvents = {
  'maintenance.updated': event.kept(MaintenanceRunDto, ['system'], 'A maintenance job began, went on or ended.'),
} satisfies EventTable;
