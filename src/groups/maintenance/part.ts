// Maintenance as a part of the server; its service needs what the server is made of, and stands in the wiring.
import { pruneByDate } from '../../ports/retention.ts';
import { part } from '../part.ts';
import { maintenanceRecord } from './record.ts';

/** Milliseconds that ended jobs stay. */
const keptMs = 30 * 86_400_000;

export const maintenancePart = part({
  records: [maintenanceRecord],
  contracts: [],
  serve: () => [],
  retention: ({ db }) => ({
    rules: [{ name: 'maintenance jobs', keptMs, prune: (before) => pruneByDate(db, maintenanceRecord.spec, before) }],
  }),
  samples: [],
});
