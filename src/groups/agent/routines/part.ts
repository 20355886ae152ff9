// Routines as a part of the server; their service needs the engine and mail, and stands in the wiring.
import { perTenant } from '../../../ports/tenanted.ts';
import { part } from '../../part.ts';
import { ledgerRecord, routineRecord, triggerRecord } from './record.ts';
import { routineSearch } from './searched.ts';

export const agentRoutinesPart = part({
  records: [routineRecord, ledgerRecord, triggerRecord],
  contracts: [],
  serve: () => [],
  searches: ({ db }) => [routineSearch(perTenant(db.collection(routineRecord.spec)))],
  samples: [],
});
