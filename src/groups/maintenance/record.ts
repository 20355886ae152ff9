// Maintenance jobs as they are kept.
import { record, type Stored } from '../../ports/record.ts';
import type { MaintenanceRunDto } from './dto.ts';

export interface MaintenanceDoc extends Stored<MaintenanceRunDto> {
  _id: number;
  tenantId: number;
  createdAt: Date;
  message: string | null;
  olderThanDays: number | null;
  identityId: number | null;
  /** For all tenants: by its schedule. */
  isScheduled: boolean;
  /** The moment that a schedule asked for it: asked for once, whatever the number of nodes. */
  slot?: string;
  /** What it does alone: there while it is open. */
  holds?: string;
  /** What it does alone, also when it has ended. */
  alone: string;
  /** The node that works on it, and until when the others leave it alone. */
  owner: string | null;
  leaseUntil: Date | null;
  attempts: number;
}

export const maintenanceRecord = record<MaintenanceDoc>('maintenance_runs', {
  noun: 'maintenance job',
  list: 'GET /api/system/maintenance',
  order: '-id',
  staysSmall: true,
  lacks: ['updatedAt'],
  indexes: [
    { keys: { tenantId: 1, _id: -1 } },
    { keys: { tenantId: 1, state: 1, createdAt: 1 } },
    { keys: { tenantId: 1, task: 1, isScheduled: 1, createdAt: -1 } },
    { keys: { state: 1, _id: 1 } },
    { keys: { createdAt: 1 } },
    { keys: { holds: 1 }, unique: true, name: 'alone', partialFilterExpression: { holds: { $gt: '' } } },
    { keys: { slot: 1 }, unique: true, name: 'slot', partialFilterExpression: { slot: { $gt: '' } } },
  ],
});
