// Routines as a part of the server; their service needs the engine and mail, and stands in the wiring.
import { part } from '../../part.ts';
import { ledgerRecord, routineRecord, triggerRecord } from './record.ts';

export const agentRoutinesPart = part({
  records: [routineRecord, ledgerRecord, triggerRecord],
  contracts: [],
  serve: () => [],
  samples: [],
});
