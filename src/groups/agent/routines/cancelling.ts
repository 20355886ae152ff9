// Cancels the runs of a routine that have not ended, also those that are only being created.
import { Fault } from '../../../kernel/fault.ts';
import type { Collection } from '../../../ports/db.ts';
import type { RoutineServiceDeps } from './kit.ts';
import { type LedgerDoc, openOutcomes } from './record.ts';

/** Runs under way that are cancelled with their routine. */
const mostCancelled = 200;

interface Deps extends Pick<RoutineServiceDeps, 'cancelRun'> {
  rows: Collection<LedgerDoc>;
  life: Pick<RoutineServiceDeps['life'], 'start'>;
}

export async function cancelRunsOf({ rows, life, cancelRun }: Deps, routineId: number): Promise<void> {
  const open = { routineId, outcomeId: { $in: openOutcomes } };
  for (const row of await rows.find(open, { limit: mostCancelled }).toArray()) {
    // The run of a new row is known once it is created; starting a row twice gives the same run.
    const { agentRunId } = row.agentRunId === null ? await life.start(row) : row;
    if (agentRunId === null) continue;
    await cancelRun(agentRunId, 'Its routine was disabled.').catch((error: unknown) => {
      // The run has ended by itself meanwhile.
      if (!(error instanceof Fault) || error.code !== 'INVALID_TRANSITION') throw error;
    });
  }
}
