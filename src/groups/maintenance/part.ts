// Maintenance as a part of the server.
import { createReindex } from '../../memory/reindex.ts';
import { part } from '../part.ts';
import { maintenance } from './contract.ts';
import { indexingsOf } from './indexings.ts';
import { maintenanceService } from './service.ts';

export const maintenancePart = part({
  records: [],
  contracts: [maintenance],
  serve: (deps) => [maintenanceService({ ...deps, reindex: createReindex(indexingsOf(deps)) })],
  samples: [],
});
