// Maintenance as a part of the server.
import { part } from '../part.ts';
import { maintenance } from './contract.ts';
import { maintenanceService } from './service.ts';

export const maintenancePart = part({
  records: [],
  contracts: [maintenance],
  serve: (deps) => [maintenanceService(deps)],
  samples: [],
});
