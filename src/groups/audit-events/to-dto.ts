// Audit entries as lists, events and exports show them.
import { shown } from '../../ports/shown.ts';
import { AuditEventDto } from './dto.ts';
import type { AuditEventDoc } from './record.ts';

export const toAuditEventDto = (entry: AuditEventDoc): AuditEventDto => shown(AuditEventDto, entry);
