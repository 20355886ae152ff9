// What the audit log tells.
import { type EventTable, event } from '../../contract/event.ts';
import { AuditEventDto } from './dto.ts';

export const auditEventTypes = {
  'audit.recorded': event.kept(AuditEventDto, ['audit'], 'Somebody did or tried something.'),
} satisfies EventTable;
