// Routines as a part of the server; their service needs the engine and mail, and stands in the wiring.
import { deleteInBatches } from '../../../ports/retention.ts';
import { perTenant } from '../../../ports/tenanted.ts';
import { part } from '../../part.ts';
import { ledgerRecord, openOutcomes, routineRecord, triggerRecord } from './record.ts';
import { routineSearch } from './searched.ts';

export const agentRoutinesPart = part({
  records: [routineRecord, ledgerRecord, triggerRecord],
  contracts: [],
  serve: () => [],
  searches: ({ db }) => [routineSearch(perTenant(db.collection(routineRecord.spec)))],
  retention: ({ db, kept }) => ({
    rules: [
      {
        name: 'ledgers of routines',
        keptMs: kept.ledgersMs,
        async *prune(before) {
          // Rows of runs that have not ended stay longer.
          const old = { createdAt: { $lt: new Date(before) }, outcomeId: { $nin: openOutcomes } };
          yield await deleteInBatches(db.collection(ledgerRecord.spec), old);
        },
      },
    ],
  }),
  samples: [],
});
